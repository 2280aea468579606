//===- TopKPlan.cpp - how a GPU finds the largest elements ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/TopKPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

/// A list whose elements are ranked against each other in the time of one pass
/// over a long row.
static constexpr int64_t kShortList = 256;
/// A row whose elements are ranked against each other sooner than some are
/// selected.
static constexpr int64_t kShortRow = 1024;

/// How many candidates there may be. Without old content, a bin of the first or
/// second digit mostly ends the search, and holds few; the old content is a
/// candidate whole, beside as many others.
static int64_t getCandidates(int64_t count, int64_t old) {
  int64_t others = old ? count : std::min(count, 2 * kShortList);
  return std::max<int64_t>(kShortList, llvm::alignTo(count + others, 8));
}

TopKPlan::TopKPlan(TopKOp op, int64_t sharedBytes)
    : rows(cast<MemRefType>(op.getSource().getType()).getNumElements() /
           op.getRowLength()),
      count(op.getCount()), old(op.getCombine() ? count : 0),
      total(old + op.getRowLength()), candidates(getCandidates(count, old)),
      ranksInParts(candidates > kShortList) {
  int64_t bytes = getBytesOfSelection();
  selects = total > std::min(2 * candidates, kShortRow) &&
            (bytes <= getBytesOfRanking() || 2 * bytes <= sharedBytes);
}

/// A value and an index of each element.
int64_t TopKPlan::getBytesOfRanking() const {
  return rows * (total + count) * 8;
}

/// Bins, sums of warps, words; candidates with their order; what is found.
int64_t TopKPlan::getBytesOfSelection() const {
  return (kBins + kMostWarps + kWords) * 4 + candidates * 16 + count * 8;
}

int64_t TopKPlan::getScratchBytes() const {
  return selects ? getBytesOfSelection() : getBytesOfRanking();
}
