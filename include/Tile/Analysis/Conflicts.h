//===- Conflicts.h - two accesses of one element ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_CONFLICTS_H
#define TILE_ANALYSIS_CONFLICTS_H

#include "Tile/Analysis/AccessSystem.h"

namespace mlir::tile {

struct PlacedAccess {
  Operation *op;
  Access access;
  unsigned place = 0; ///< in the order of the program
};

/// Executions of two accesses, instances 0 and 1, that touch the same element of
/// a buffer, in its bounds. `element` is that element.
AccessSystem makeConflict(Region *scope, const PlacedAccess &a,
                          const PlacedAccess &b,
                          SmallVectorImpl<AffineExpr> &element);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_CONFLICTS_H
