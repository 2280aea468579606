//===- TopKPlan.h - how a GPU finds the largest elements --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_TOPKPLAN_H
#define TILE_TRANSFORMS_TOPKPLAN_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// Of a tile.topk on a GPU: short rows are ranked, every element against every
/// other one; of long ones a radix select leaves a few candidates to rank.
struct TopKPlan {
  static constexpr int64_t kDigitBits = 11;
  static constexpr int64_t kBins = int64_t(1) << kDigitBits;
  /// Bins are added up by warps, of which there are no more than lanes.
  static constexpr int64_t kMostWarps = 64;
  /// Words of shared memory that hold what all threads have to know.
  static constexpr int64_t kWords = 8;

  /// For a chip with `sharedBytes` of shared memory for a block.
  TopKPlan(TopKOp op, int64_t sharedBytes);

  int64_t rows;       // of the tile
  int64_t count, old; // to be found in each row; of its old content
  int64_t total;      // elements that compete, `old` included
  /// The most elements that are ranked.
  int64_t candidates;
  /// Whether candidates are sorted by parts of their range before they are
  /// ranked.
  bool ranksInParts;
  bool selects; // by radix, before the ranking

  /// Shared memory for the time of the op.
  int64_t getScratchBytes() const;

private:
  int64_t getBytesOfRanking() const;
  int64_t getBytesOfSelection() const;
};

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_TOPKPLAN_H
