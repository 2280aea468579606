//===- TileToAMD.h - from tiles to threads of AMD GPUs -------- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOAMD_TILETOAMD_H
#define TILE_CONVERSION_TILETOAMD_TILETOAMD_H

namespace mlir {
class DialectRegistry;

namespace tile {

/// Lets `convert-tile-to-simt` lower kernels to GPUs of AMD.
void registerTileToAMD(DialectRegistry &registry);

} // namespace tile
} // namespace mlir

#endif // TILE_CONVERSION_TILETOAMD_TILETOAMD_H
