//===- LaunchGrid.h - how the blocks of a grid are launched -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_LAUNCHGRID_H
#define TILE_TRANSFORMS_LAUNCHGRID_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

/// Whether the blocks of a grid are launched along x alone, in the same order,
/// since the chip takes fewer along another dimension.
bool flattensGrid(KernelOp kernel, const ::tile::target::GPUSpec &gpu);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_LAUNCHGRID_H
