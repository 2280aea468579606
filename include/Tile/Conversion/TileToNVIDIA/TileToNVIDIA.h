//===- TileToNVIDIA.h - from tiles to threads of NVIDIA GPUs -- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETONVIDIA_TILETONVIDIA_H
#define TILE_CONVERSION_TILETONVIDIA_TILETONVIDIA_H

namespace mlir {
class DialectRegistry;

namespace tile {

/// Lets `convert-tile-to-simt` lower kernels to GPUs of NVIDIA.
void registerTileToNVIDIA(DialectRegistry &registry);

} // namespace tile
} // namespace mlir

#endif // TILE_CONVERSION_TILETONVIDIA_TILETONVIDIA_H
