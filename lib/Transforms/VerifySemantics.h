//===- VerifySemantics.h - the checks of tile-verify-semantics --*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check walks `root`, reports all that it finds, and fails if it reported an error.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_VERIFYSEMANTICS_H
#define TILE_LIB_TRANSFORMS_VERIFYSEMANTICS_H

#include "Tile/Analysis/Conflicts.h"

namespace mlir::tile {

/// Maps divide by positive numbers, dimensions of constant numbers exist, and nothing is nested or composed more deeply than
/// recursion goes: what upstream's analyses and patterns take for granted.
LogicalResult verifyConstants(Operation *root);

/// Buffers stay in their kernel, tiles are allocated by `tile.alloc`, and private buffers have no shared index.
LogicalResult verifySpaces(Operation *root);

/// No access that is proven to run leaves a tile.
LogicalResult verifyBounds(Operation *root);

/// All threads of a block reach collective ops together.
LogicalResult verifyControlFlow(Operation *root);

/// No two iterations of a `tile.parallel` touch the same element with a write among the two.
LogicalResult verifyIterationRaces(Operation *root);

/// No two blocks of a kernel write the same element.
LogicalResult verifyBlockRaces(Operation *root);

/// No read of a tile is certain to find what nobody has written.
LogicalResult verifyReads(Operation *root);

/// Warns of copies whose offsets count tiles in a dimension that they do not take, since no sizes say which they take.
void warnOfImpliedRegions(Operation *root);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_VERIFYSEMANTICS_H
