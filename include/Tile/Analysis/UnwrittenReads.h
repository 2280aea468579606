//===- UnwrittenReads.h - reads of what nobody wrote ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read of a tile is found if its first execution is certain to find nothing there: each write of the tile comes behind it
// in the program, or writes other elements.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_UNWRITTENREADS_H
#define TILE_ANALYSIS_UNWRITTENREADS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

struct UnwrittenRead {
  AllocOp tile;
  Operation *read;
  Operation *firstWrite; ///< by another op; null if there is none
};

/// At most one for each tile of the kernels in `root`.
SmallVector<UnwrittenRead> findUnwrittenReads(Operation *root);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_UNWRITTENREADS_H
