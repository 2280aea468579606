//===- IndexRanges.h - ranges of indices that come from data ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_INDEXRANGES_H
#define TILE_ANALYSIS_INDEXRANGES_H

#include "Tile/Analysis/Bounds.h"

#include "mlir/Analysis/DataFlowFramework.h"

namespace mlir::tile {

/// What types, masks, remainders and the like say of the values of a kernel, by
/// upstream's analysis, which runs when it is first asked.
class IndexRanges {
public:
  explicit IndexRanges(Operation *root) : root(root) {}

  /// Closes those sides of one dimension of `region` that the range of its
  /// index proves; true if none is left open.
  bool close(const BufferRegion &region, OpenBounds &bounds);

private:
  Operation *root;
  DataFlowSolver solver;
  bool hasRun = false;
};

} // namespace mlir::tile

#endif // TILE_ANALYSIS_INDEXRANGES_H
