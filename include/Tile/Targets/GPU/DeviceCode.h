//===- DeviceCode.h - code from modules of device code ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a gpu.module of the LLVM dialect to assembly or an object file, for the
// GPUs of any vendor.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_GPU_DEVICECODE_H
#define TILE_TARGETS_GPU_DEVICECODE_H

#include "Tile/Driver/Backend.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::tile::devicecode {

using Chip = ::tile::target::Target;

/// The GPUs of a vendor in LLVM.
struct Backend {
  StringRef triple;
  StringRef product; ///< in messages: "PTX"
  std::optional<llvm::Reloc::Model> relocation;
  void (*initialise)();
};

/// The function that the kernels of a module come from: that of the first
/// launch, or the name of a module without.
std::string getFunctionName(gpu::GPUModuleOp module);

/// Hands the kernels, which have the attribute `marker`, to `add`, with the
/// text for the runtime; it is empty where nothing is known of the launch.
/// Versions stand before their general form and are a part of its text.
LogicalResult forEachKernel(gpu::GPUModuleOp module, StringRef marker,
                            function_ref<void(StringRef, std::string)> add);

/// Whether a kernel of a module of threads' code has versions.
bool hasVersions(gpu::GPUModuleOp module);

/// Adds the kernels of such a module, in forms that have no code yet.
void addForms(gpu::GPUModuleOp module, std::vector<CompiledKernel> &kernels);

using Optimize =
    function_ref<LogicalResult(llvm::Module &, llvm::TargetMachine &)>;

/// Assembly, or an object file that has yet to be linked.
FailureOr<std::string> makeCode(gpu::GPUModuleOp module, const Chip &chip,
                                const Backend &backend,
                                llvm::CodeGenFileType type, Optimize optimize);

/// Assembly of each kernel alone, made in parallel where the context allows it.
/// Names in the parts are such that all of them make one program.
FailureOr<std::vector<std::string>>
makeAssemblyOfKernels(gpu::GPUModuleOp module, const Chip &chip,
                      const Backend &backend, Optimize optimize);

/// The module that such code is generated from. Null after an error.
std::unique_ptr<llvm::Module>
makeModule(gpu::GPUModuleOp module, const Chip &chip, const Backend &backend,
           llvm::LLVMContext &context, Optimize optimize);

/// Runs the pipeline that `build` makes.
llvm::Error runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::PipelineTuningOptions tuning,
    function_ref<llvm::Error(llvm::PassBuilder &, llvm::ModulePassManager &)>
        build);

} // namespace mlir::tile::devicecode

#endif // TILE_TARGETS_GPU_DEVICECODE_H
