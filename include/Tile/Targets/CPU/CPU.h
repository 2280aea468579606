//===- CPU.h - LLVM IR and object files for a CPU ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_CPU_CPU_H
#define TILE_TARGETS_CPU_CPU_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/CodeGen.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class ModuleOp;

namespace tile {
class Backend;

/// What code is made for: a CPU of this machine's architecture.
struct CPUTarget {
  std::string cpu;      ///< a name that LLVM knows; "native" is this machine
  std::string features; ///< "+avx2,-avx512f", on top of the CPU's own
  unsigned optLevel = 3;
};

/// Makes LLVM ready for this machine's architecture; false if it does not know
/// it.
bool initializeCPU();

/// Whether LLVM knows a CPU of that name, of this machine's architecture.
bool isKnownCPU(StringRef cpu);

/// What this machine lacks of a CPU that LLVM knows, as LLVM names it; empty
/// where it runs the code of that CPU.
std::string findMissingFeature(StringRef cpu);

/// Makes LLVM's description of the target. Reports an unknown CPU at `module`.
FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(ModuleOp module, const CPUTarget &target);

/// The name of the record of Tile/Target/CPU.td that the CPU pipeline may count
/// on, and the width of its vectors.
StringRef getTargetRecord(const llvm::TargetMachine &machine);
unsigned getVectorBits(const llvm::TargetMachine &machine);

/// Translates a module of the LLVM dialect. Its functions state the CPU they
/// are for, so that LLVM's tools treat the printed module alike. Null on
/// failure, which has been reported at `module`.
std::unique_ptr<llvm::Module>
translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                  const llvm::TargetMachine &machine);

/// Runs LLVM's pipeline of that level, 0 to 3.
LogicalResult optimize(ModuleOp module, llvm::Module &llvmModule,
                       llvm::TargetMachine &machine, unsigned level);

/// Writes a relocatable object file or assembly.
LogicalResult writeMachineCode(ModuleOp module, llvm::Module &llvmModule,
                               llvm::TargetMachine &machine, bool assembly,
                               raw_ostream &os);

/// Translates and optimises a module of the LLVM dialect, then writes text of
/// LLVM IR, a relocatable object file or assembly.
enum class CPUOutput { LLVMIR, Object, Assembly };
LogicalResult emitCPU(ModuleOp module, llvm::TargetMachine &machine,
                      unsigned optLevel, CPUOutput output, raw_ostream &os);

/// The options of tile-translate for CPUs, with --tile-to-llvmir,
/// --tile-to-object and --tile-to-asm. `backend` lowers.
void registerCPUTranslations(const Backend &backend);

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_CPU_CPU_H
