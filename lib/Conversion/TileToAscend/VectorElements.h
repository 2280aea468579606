//===- VectorElements.h - accesses element by element -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORELEMENTS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORELEMENTS_H

#include "Vectorizer.h"

namespace mlir::tile::ascend {

/// The scalar code of one iteration: its values so far.
struct Iteration {
  Value row, column;
  DenseMap<Value, Value> known;
};

/// A value of the body, in the scalar code of an iteration.
FailureOr<Value> evaluate(Vectorizer &v, Iteration &at, Value value);
FailureOr<SmallVector<Value>> evaluateAll(Vectorizer &v, Iteration &at,
                                          ValueRange values);
/// Stores a value to the place of the iteration in a matrix of a shape.
void setElement(Vectorizer &v, Iteration &at, Value matrix, VectorShape shape,
                Value value);
/// Loops over the elements of a shape, or over its rows.
LogicalResult forEach(Vectorizer &v, VectorShape shape, bool byRows,
                      function_ref<LogicalResult(Iteration &)> body);
/// The row of a matrix that belongs to the iteration.
Value getRow(Vectorizer &v, Iteration &at, Value matrix);

/// Whether an element of a tile is in it, at the indices that `access` has in
/// an iteration; null where that is known.
Value checkBounds(Vectorizer &v, Operation *access, ValueRange indices);

/// One element for all iterations.
LogicalResult loadUniform(Vectorizer &v, memref::LoadOp load);
/// Elements, or rows of GM, one after the other.
LogicalResult loadElements(Vectorizer &v, memref::LoadOp load);
LogicalResult storeElements(Vectorizer &v, memref::StoreOp store);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORELEMENTS_H
