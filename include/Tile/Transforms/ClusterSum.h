//===- ClusterSum.h - sums over the blocks of a cluster ------- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_CLUSTERSUM_H
#define TILE_TRANSFORMS_CLUSTERSUM_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

/// The fragment that a tile.parallel with `tile.cluster_sum` loads; null if
/// there is not one.
AllocOp getClusterSummand(ParallelOp loop);

/// Whether blocks of the kernel's clusters add up what they hold.
bool addsUpInCluster(KernelOp kernel);

/// Bytes of shared memory for what the threads of a block hold of the fragment,
/// whose layout is known.
int64_t getClusterRoomBytes(ParallelOp loop,
                            const ::tile::target::Target &target);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_CLUSTERSUM_H
