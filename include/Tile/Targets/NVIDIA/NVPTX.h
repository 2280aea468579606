//===- NVPTX.h - PTX and cubins for NVIDIA GPUs -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_NVIDIA_NVPTX_H
#define TILE_TARGETS_NVIDIA_NVPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir {
class ModuleOp;

namespace tile {

/// How device code is made. Empty strings stand for the default.
struct NVPTXOptions {
  /// The chip of modules that name none by `tile.target`.
  std::string chip;
  /// The assembler. By default the first of the environment variable
  /// TILE_PTXAS, the PATH and /usr/local/cuda/bin.
  std::string ptxas;
  /// Registers that are spilled, and warnings that the assembler gives about
  /// performance, are errors.
  bool strict = false;
  unsigned optLevel = 3;
};

/// What the assembler says about a kernel.
struct NVPTXResources {
  int64_t registers = 0;
  int64_t spillStores = 0, spillLoads = 0, stack = 0; ///< in bytes
};

struct NVPTXKernel {
  std::string name;
  /// The text for the runtime: docs/LaunchMetadata.md.
  std::string metadata;
  NVPTXResources resources; ///< zero without a cubin
};

/// The device code of one function.
struct NVPTXImage {
  std::string function; ///< that the kernels come from
  std::string chip;
  std::vector<NVPTXKernel> kernels; ///< in order of launch
  std::string ptx;
  std::string cubin; ///< empty where there is no assembler

  /// What the runtime loads.
  const std::string &getCode() const { return cubin.empty() ? ptx : cubin; }
};

enum class NVPTXOutput { PTX, Cubin, CubinIfPossible };

/// Lowers the module, from tile ops or any level below, to gpu.modules of the
/// LLVM and NVVM dialects. The module changes in place.
LogicalResult lowerToNVVM(ModuleOp module, const NVPTXOptions &options);

/// Makes code from a gpu.module of the LLVM and NVVM dialects. What the
/// assembler says about registers, spills and lost performance is announced as
/// remarks of the category "tile-emit-nvptx".
FailureOr<NVPTXImage> emitNVPTX(gpu::GPUModuleOp module, NVPTXOutput output,
                                const NVPTXOptions &options);

/// Lowers a module and makes the code of all of its gpu.modules.
FailureOr<std::vector<NVPTXImage>> compileNVPTX(ModuleOp module,
                                                NVPTXOutput output,
                                                const NVPTXOptions &options);

/// The chip to compile for so that a device of that name ("sm_90") runs the code
/// with all that it has ("sm_90a"); null if there is none. Ends in a 0.
StringRef findNVPTXChip(StringRef device);

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_NVIDIA_NVPTX_H
