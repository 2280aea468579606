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
  linalg::LinalgOp op; ///< of the exponential
  Value score, shift;  ///< in its body
  SmallVector<Operation *> exponential; ///< from the difference on
  SmallVector<LinearStep> left;
  DenseMap<Operation *, SmallVector<LinearStep>> sums;
};

/// Recognises it by its structure: any scale, mask, or order of the dimensions.
std::optional<OnlineSoftmax> matchOnlineSoftmax(const RowGroup &group,
                                                const Contraction &last);

/// Writes one loop over tiles of columns with running reductions, which fade
/// with the accumulator whenever the maximum grows.
void emitOnlineSoftmax(OpBuilder &b, const OnlineSoftmax &online,
                       RowStages &stages, ProductEmitter &last,
                       ArrayRef<Value> offsets, Value accumulator);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_ONLINESOFTMAX_H
