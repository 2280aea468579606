//===- Linear.h - indices that are linear functions -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_LINEAR_H
#define TILE_LIB_CONVERSION_TILETOASCEND_LINEAR_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile::ascend {

/// Whether the scalar unit can compute the op: functions and bit casts are of
/// the vector unit alone.
bool hasScalarForm(Operation *op);

/// `Σ coefficient · iv + uniform + constant`, with a uniform part that is the
/// same for all iterations.
struct Linear {
  SmallVector<int64_t> coefficients; // one for each iteration variable
  Value uniform;                     // null: 0
  int64_t constant = 0;

  bool isUniform() const {
    return llvm::all_of(coefficients, [](int64_t c) { return c == 0; });
  }
};

/// Takes values in the body of `parallel` apart. What is uniform is computed at
/// the insertion point of `b`, which lies before the loop.
class LinearForm {
public:
  LinearForm(OpBuilder &b, ParallelOp parallel) : b(b), parallel(parallel) {}

  /// Nothing if the value is not such a function.
  std::optional<Linear> get(Value value);

  Linear sum(Location loc, const Linear &a, const Linear &c) {
    return *add(loc, a, c, 1);
  }
  Linear scaled(Location loc, const Linear &a, int64_t factor) {
    return *scale(loc, a, factor);
  }

  /// The uniform and the constant part together.
  Value getUniform(Location loc, const Linear &linear);

  /// A value that does not depend on the iteration, computed before the loop;
  /// null if it does.
  Value hoist(Value value);

  /// From here on, `value` is uniform and is `replacement`.
  void setUniform(Value value, Value replacement) {
    hoisted[value] = replacement;
  }
  /// What stands for the value before the loop, if something does already.
  Value lookup(Value value) const { return hoisted.lookup(value); }

  using Scope = DenseMap<Value, Value>;
  Scope enter() const { return hoisted; }
  void leave(Scope scope) { hoisted = std::move(scope); }

private:
  std::optional<Linear> add(Location loc, std::optional<Linear> a,
                            std::optional<Linear> c, int64_t factor);
  std::optional<Linear> scale(Location loc, std::optional<Linear> a,
                              int64_t factor);
  std::optional<Linear> expand(Location loc, AffineExpr expr,
                               ValueRange operands, unsigned numDims);

  OpBuilder &b;
  ParallelOp parallel;
  DenseMap<Value, Value> hoisted;
};

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_LINEAR_H
