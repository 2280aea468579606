//===- Accesses.h - regions that an op accesses -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One answer for all ops: tile ops through their interface, the scalar and vector accesses of upstream dialects by what is
// known of them here. Passes ask this question and never an op by its name.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_ACCESSES_H
#define TILE_ANALYSIS_ACCESSES_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// Appends what `op` itself reads and writes; ops in its regions are not
/// considered. Fails, without appending, if the op may touch memory in a way
/// that no region tells: calls, masked and indirect vector accesses, unknown
/// ops.
LogicalResult collectAccesses(Operation *op, SmallVectorImpl<Access> &accesses);

/// Where the region begins in dimension `dim`, as a map of one result over `region.operands`.
AffineMap getOffset(const BufferRegion &region, unsigned dim);

/// Whether the threads of a block do the op together; the alternative is that one thread does it alone.
bool isCollective(Operation *op);

/// Whether the region is one element.
bool isSingleElement(const BufferRegion &region);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_ACCESSES_H
