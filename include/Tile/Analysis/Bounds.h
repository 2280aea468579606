//===- Bounds.h - bounds of accesses ----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_BOUNDS_H
#define TILE_ANALYSIS_BOUNDS_H

#include "Tile/Analysis/Accesses.h"

namespace mlir::tile {

/// Every `memref.dim` of a constant names a dimension that its buffer has; otherwise
/// an error. Upstream's analysis of values takes it for granted, so what asks for
/// bounds checks it first.
LogicalResult verifyDimensionNumbers(Operation *root);

/// The sides of one dimension that are not known to hold.
struct OpenBounds {
  unsigned dim;
  bool lower, upper;
};

/// The bounds of `region`, which `op` accesses, that cannot be proven. Loops, guards and assumptions around `op` are known.
SmallVector<OpenBounds> findOpenBounds(Operation *op,
                                       const BufferRegion &region);

/// For each dimension, whether both of its bounds are proven.
SmallVector<bool> findProvenDims(Operation *op, const BufferRegion &region);

/// The value of `tile.padding_value` for a buffer, or for one that it shows the
/// same elements of; null if there is none.
Value findPaddingValue(KernelOp kernel, Value buffer);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_BOUNDS_H
