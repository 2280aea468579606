//===- ClusterSum.h - sums over the blocks of a cluster ------- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_CLUSTERSUM_H
#define TILE_LIB_CONVERSION_TILETOSIMT_CLUSTERSUM_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::simt {

/// The clusters whose blocks add up what they hold.
struct ClusterSums {
  llvm::SmallSetVector<int64_t, 1> blocks;
};

/// An error: what the attribute takes.
LogicalResult reportClusterSum(ParallelOp loop);

/// Lowers a tile.parallel with `tile.cluster_sum`, whose iterations are spread
/// over threads like `map`. `clones` becomes what is still to be lowered.
LogicalResult emitClusterSum(ParallelOp loop, const ThreadMap &map,
                             KernelLowering &l,
                             SmallVectorImpl<Operation *> &clones);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_CLUSTERSUM_H
