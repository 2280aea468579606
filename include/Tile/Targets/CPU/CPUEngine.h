//===- CPUEngine.h - runs functions on this machine -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_CPU_CPUENGINE_H
#define TILE_TARGETS_CPU_CPUENGINE_H

#include "mlir/Support/LLVM.h"

#include <memory>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mlir {
class ExecutionEngine;
class ModuleOp;

namespace tile {

struct CPUEngineOptions {
  bool threads = true;           ///< spread grids over the runtime's threads
  bool checkAssumptions = false; ///< test what tile.assume states
  unsigned optLevel = 3;
  /// Called with the message where an assertion of the code fails, before it
  /// aborts. By default the message goes to stdout.
  int (*failedAssertion)(const char *message) = nullptr;
  raw_ostream *dumpMLIR = nullptr; ///< gets the module of the LLVM dialect
  raw_ostream *dumpLLVM = nullptr; ///< gets the optimised LLVM IR
};

/// A module compiled for this machine, in memory.
class CPUEngine {
public:
  /// Takes a module of any level, whose dialects know their translation to LLVM
  /// IR, and changes it in place. `entries` names the functions that may be
  /// looked up; those that they do not need are not compiled. Failures have
  /// been reported as diagnostics.
  static FailureOr<std::unique_ptr<CPUEngine>>
  create(ModuleOp module, ArrayRef<StringRef> entries,
         const CPUEngineOptions &options = {});

  ~CPUEngine();

  /// Takes pointers to the arguments; a memref's is a pointer to a pointer to
  /// its descriptor (allocated, aligned, offset, sizes, strides).
  using Function = void (*)(void **);

  /// The function, or null with the reason in `error`.
  Function lookup(StringRef name, std::string &error) const;

private:
  CPUEngine();
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<ExecutionEngine> engine;
};

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_CPU_CPUENGINE_H
