//===- SIMTModel.h - kernels on the SIMT model ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LLVM module of a GPU's kernels, for this machine: memory accesses, calls
// of the GPU's intrinsics and inline assembly become calls of model/simt.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_GPU_SIMTMODEL_H
#define TILE_TARGETS_GPU_SIMTMODEL_H

#include "Tile/Targets/GPU/GPUBackend.h"

#include "llvm/Support/Error.h"

namespace mlir::tile {

/// The back end "NAME-model" of the back end NAME, which must outlive it. Its
/// images are TileSimtImage.
/// Asked for "bitcode", it makes the module that GPU code is made of, whether
/// the model knows all of it or not, in place of an image.
std::unique_ptr<Backend> createSIMTModelBackend(const GPUBackend &gpu);

/// An image of such bitcode.
llvm::Expected<std::unique_ptr<LoadedImage>> loadSIMTBitcode(StringRef bitcode,
                                                             StringRef chip);

/// Changes a module of device code into one of the host's that exports
/// `tile_simt_code`, a TileSimtCode. An error says what it cannot do.
llvm::Error retargetToModel(llvm::Module &module, StringRef chip,
                            unsigned warpSize);

} // namespace mlir::tile

#endif // TILE_TARGETS_GPU_SIMTMODEL_H
