//===- NVPTX.h - PTX and cubins for NVIDIA GPUs -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_NVIDIA_NVPTX_H
#define TILE_TARGETS_NVIDIA_NVPTX_H

#include "Tile/Targets/GPU/GPUBackend.h"

namespace mlir::tile {

/// Makes "ptx" or a "cubin" from a gpu.module of the LLVM and NVVM dialects; by
/// default a cubin where there is an assembler. The tool of the options is
/// ptxas, by default the first of the environment variable TILE_PTXAS, the PATH
/// and /usr/local/cuda/bin. Its report on registers, spills and lost
/// performance is announced as remarks of the category "tile-emit-nvptx".
FailureOr<GPUImage> emitNVPTX(gpu::GPUModuleOp module,
                              const GPUCodeOptions &options);

/// The LLVM module that PTX is made of. Null after an error.
std::unique_ptr<llvm::Module> makeNVPTXModule(gpu::GPUModuleOp module,
                                              unsigned optLevel,
                                              llvm::LLVMContext &context);

/// The chip to compile for so that a device of that name ("sm_90") runs the
/// code with all its instructions ("sm_90a"); null if there is none. Ends in a
/// 0.
StringRef findNVPTXChip(StringRef device);

/// Adds --tile-to-ptx and --tile-to-cubin, and their options, to a translation
/// tool.
void registerNVIDIATranslations(const GPUBackend &backend);

} // namespace mlir::tile

#endif // TILE_TARGETS_NVIDIA_NVPTX_H
