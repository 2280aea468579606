//===- OnlineSoftmax.h - attention in one pass over the keys ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_ONLINESOFTMAX_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_ONLINESOFTMAX_H

#include "Products.h"
#include "Rows.h"

namespace mlir::tile {

/// The most that a tile has of the dimension that the scores sum over, if it
/// has all: then the rows of the left operand are loaded once.
constexpr int64_t kWholeSum = 256;

/// An op through which a value goes: multiplied, divided, selected, converted.
struct LinearStep {
  linalg::LinalgOp op;
  Operation *inner;
  unsigned operand; ///< the value
  bool isLate;      ///< the other operands are known behind all columns
};

/// A group whose left operand and whose sums are linear in one exponential,
/// exp(score - shift). The shift is a function of the maximum of the scores.
struct OnlineSoftmax {
  const Reduction *max;
  linalg::LinalgOp op;                  ///< of the exponential
  Value score, shift;                   ///< in its body
  SmallVector<Operation *> exponential; ///< from the difference on
  SmallVector<LinearStep> left;
  DenseMap<Operation *, SmallVector<LinearStep>> sums;
};

/// Recognises it by its structure: any scale, mask, or order of the dimensions.
std::optional<OnlineSoftmax> matchOnlineSoftmax(const RowGroup &group,
                                                const Contraction &last);

/// Where a mask hides all columns behind `row + shift`, the shift: comparisons
/// of indices, with scores that are replaced by minus infinity, or by a number
/// below -1e30 if they are but scaled sums. A row always sees a column.
std::optional<int64_t> matchCausalMask(const RowGroup &group,
                                       const Reduction &max);

/// Whether what the maximum is of are scaled sums of products, hidden by minus
/// infinity or not at all: numbers of a moderate size.
bool areScaledProducts(const Reduction &max);

/// Writes one loop over tiles of columns with running reductions, which fade
/// with the accumulator whenever the maximum grows.
void emitOnlineSoftmax(OpBuilder &b, const OnlineSoftmax &online,
                       RowStages &stages, ProductEmitter &last,
                       ArrayRef<Value> offsets, Value accumulator,
                       const Choice &stageCount);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_ONLINESOFTMAX_H
