//===- TopK.h - the largest elements of rows --------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_TOPK_H
#define TILE_LIB_CONVERSION_TILETOSIMT_TOPK_H

#include "Models.h"

#include "Tile/Transforms/TopKPlan.h"

namespace mlir::tile::simt {

/// What both ways to lower tile.topk have in common.
class TopKEmitter {
public:
  TopKEmitter(TopKOp op, const TopKPlan &plan, KernelLowering &l)
      : op(op), plan(plan), l(l), b(l.builder()), loc(op.getLoc()) {}

protected:
  Value index(int64_t value) { return constantIndex(b, loc, value); }
  /// The next part of `base`: a table of 4 or 8 bytes an element.
  Buffer makeRoom(Value base, int64_t &offset, Type element,
                  ArrayRef<int64_t> shape);
  /// Calls `body` for the elements of a thread, with their row and column, as
  /// index values. Copies of an element count as elements.
  void forEach(const Buffer &buffer,
               function_ref<void(int64_t, Value, Value)> body);
  Value loadFrom(const Buffer &buffer, int64_t reg, Value row, Value column);
  /// Puts a value in its place in the target, converted.
  void storeTo(const Buffer &target, int64_t reg, Value row, Value column,
               Value value);
  /// An element as f32, a NaN as -inf.
  Value getKey(Value value);
  /// The i32 that is written for an element of the source.
  Value getPlace(Value column);

  TopKOp op;
  const TopKPlan &plan;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;

private:
  SmallVector<Value> coordinatesOf(const Buffer &buffer, Value row,
                                   Value column);
};

/// Leaves the largest elements of long rows to be ranked.
LogicalResult selectTopK(TopKOp op, const TopKPlan &plan, KernelLowering &l);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_TOPK_H
