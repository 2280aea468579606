//===- ClusterReduce.h - sums of rows in several blocks ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block stores its partial results to a table in the shared memory of each
// block of the cluster, whose barrier counts the bytes. A table serves one
// reduction, which runs once: nobody writes to it again.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_CLUSTERREDUCE_H
#define TILE_LIB_CONVERSION_TILETOSIMT_CLUSTERREDUCE_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::simt {

/// The columns of a table of partial results: the positions of threads that
/// shuffles do not combine.
int64_t countColumns(const ::tile::layout::Layout &layout, int64_t dim);
/// Whether shuffles combine the digit, and whether it is one of threads.
bool isFolded(const ::tile::layout::Digit &digit);
bool isOnThreads(const ::tile::layout::Digit &digit);

/// At the top of a kernel: places for the tables of its reductions of parts of
/// rows. The block tells the others of its cluster that it runs.
LogicalResult prepareClusterReduces(KernelOp kernel, KernelLowering &l);

/// One reduction of parts of rows.
class ClusterReduce {
public:
  /// In how many blocks the parts of the rows are.
  static int64_t countBlocks(ReduceOp op);

  ClusterReduce(ReduceOp op, KernelLowering &l) : op(op), l(l) {}

  /// The table in the block's own memory.
  Value getTable(Location loc) const;
  /// The number of the block, an i32.
  Value getRank(Location loc) const;
  /// Before stores to other blocks: all of them run.
  void begin(Location loc);
  /// Stores to the same place in each block.
  void store(Location loc, Value address, Value value);
  /// What all blocks have stored to this one is there.
  void end(Location loc);

private:
  ReduceOp op;
  KernelLowering &l;
};

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_CLUSTERREDUCE_H
