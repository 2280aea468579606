//===- AMDGPU.h - code objects for AMD GPUs ---------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_AMD_AMDGPU_H
#define TILE_TARGETS_AMD_AMDGPU_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir {
class ModuleOp;

namespace tile {

/// How device code is made. Empty strings stand for the default.
struct AMDGPUOptions {
  /// The chip of modules that name none by `tile.target`.
  std::string chip;
  /// The linker. By default the first of the environment variable TILE_LLD,
  /// that of this version of LLVM, and any other on the PATH.
  std::string lld;
  /// Vector registers that are spilled, and scratch memory, are errors.
  bool strict = false;
  unsigned optLevel = 3;
};

/// What the code object says about a kernel.
struct AMDGPUResources {
  int64_t vectorRegisters = 0;       ///< of a lane, accumulators among them
  int64_t accumulators = 0;          ///< AGPRs
  int64_t scalarRegisters = 0;       ///< of a wave
  int64_t vectorSpills = 0, scalarSpills = 0; ///< registers
  int64_t scratch = 0;               ///< bytes of a lane
};

struct AMDGPUKernel {
  std::string name;
  /// The text for the runtime: docs/LaunchMetadata.md.
  std::string metadata;
  AMDGPUResources resources;
};

/// The device code of one function.
struct AMDGPUImage {
  std::string function; ///< that the kernels come from
  std::string chip;
  std::vector<AMDGPUKernel> kernels; ///< in order of launch
  std::string assembly; ///< empty where a code object was asked for
  std::string hsaco;    ///< empty where assembly was asked for
};

enum class AMDGPUOutput { Assembly, HSACO };

/// Lowers the module, from tile ops or any level below, to gpu.modules of the
/// LLVM and ROCDL dialects. The module changes in place.
LogicalResult lowerToROCDL(ModuleOp module, const AMDGPUOptions &options);

/// Makes code from a gpu.module of the LLVM and ROCDL dialects. What a code
/// object says about registers, spills and scratch memory is announced as
/// remarks of the category "tile-emit-amdgpu".
FailureOr<AMDGPUImage> emitAMDGPU(gpu::GPUModuleOp module, AMDGPUOutput output,
                                  const AMDGPUOptions &options);

/// Lowers a module and makes the code of all of its gpu.modules.
FailureOr<std::vector<AMDGPUImage>> compileAMDGPU(ModuleOp module,
                                                  AMDGPUOutput output,
                                                  const AMDGPUOptions &options);

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_AMD_AMDGPU_H
