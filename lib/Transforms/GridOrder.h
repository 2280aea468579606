//===- GridOrder.h - the order in which blocks start ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_GRIDORDER_H
#define TILE_TRANSFORMS_GRIDORDER_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

inline constexpr StringLiteral kOrderCategory = "tile-persistent";

/// The order in which a kernel asks to walk over its grid; null if it does not.
RasterizeOp findRasterize(KernelOp kernel);

/// The number of blocks, if it is known.
std::optional<int64_t> countBlocks(KernelOp kernel);

/// Why some blocks take longer than others; empty if none are known to.
std::string findUnequalTime(KernelOp kernel);

/// Lets the blocks that take longest start first, if it is known which do. A
/// kernel without a hint gets one.
void orderByTime(KernelOp kernel, const ::tile::target::Target &target);

/// Lets blocks that write side by side start one after the other. A kernel
/// with a hint keeps it.
void orderByStores(KernelOp kernel, const ::tile::target::Target &target);

/// Blocks run in the order of their numbers, x first. Gives each the point that
/// comes at its number in the order of the hint, which is erased.
void remapBlocks(KernelOp kernel, RasterizeOp hint);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_GRIDORDER_H
