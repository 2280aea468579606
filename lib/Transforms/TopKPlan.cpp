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

/// A list that is ranked in the time of one pass over a long row.
static constexpr int64_t kShortList = 256;

TopKPlan::TopKPlan(TopKOp op)
    : rows(cast<MemRefType>(op.getSource().getType()).getNumElements() /
           op.getRowLength()),
      count(op.getCount()), old(op.getCombine() ? count : 0),
      total(old + op.getRowLength()),
      candidates(std::max<int64_t>(kShortList,
                                   llvm::PowerOf2Ceil(2 * count))),
      selects(total > 2 * candidates) {}

int64_t TopKPlan::getScratchBytes() const {
  // A value and an index of each element.
  if (!selects)
    return rows * (total + count) * 8;
  // Bins, groups, words; candidates with their order; what is found.
  return (kBins + kGroups + kWords) * 4 + candidates * 16 + count * 8;
}
