//===- SpreadRows.h - rows over the blocks of a cluster ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_SPREADROWS_H
#define TILE_LIB_TRANSFORMS_SPREADROWS_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

/// Gives each block of a cluster a part of the columns of a kernel's tiles:
/// those along which tiles are reduced.
class RowSpreader {
public:
  explicit RowSpreader(KernelOp kernel) : kernel(kernel) {}

  /// Why the kernel's blocks cannot share their rows; empty if they can, and
  /// then `getTiles` has the tiles with columns.
  std::string findObstacle(const ::tile::target::GPUSpec &gpu);
  /// The tiles that are divided, and along which dimension.
  const llvm::MapVector<Value, unsigned> &getTiles() const { return tiles; }
  /// How often blocks that share rows exchange sums.
  int64_t countReductions();
  /// Whether each of so many blocks gets the same number of whole vectors.
  bool divides(int64_t blocks, int64_t vectorBytes) const;
  /// Divides the tiles among so many blocks of `threads` threads.
  void spread(int64_t blocks, int64_t threads);

private:
  std::string markReduced();
  bool propagate();
  bool mark(Value buffer, unsigned dim);
  std::optional<unsigned> getColumns(Value buffer) const;
  std::string checkOp(Operation *op);
  std::string checkCopy(CopyOp copy);
  std::string checkParallel(ParallelOp loop);
  std::string checkGlobal();

  void spreadCopy(CopyOp copy);
  void spreadParallel(ParallelOp loop);
  Value offsetBy(OpBuilder &b, Location loc, Value index, int64_t part);

  KernelOp kernel;
  llvm::MapVector<Value, unsigned> tiles;
  /// The first conflict found while tiles were marked.
  std::string conflict;
  int64_t blocks = 1;
  Value rank;
};

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_SPREADROWS_H
