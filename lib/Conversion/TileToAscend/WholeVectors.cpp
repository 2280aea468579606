//===- WholeVectors.cpp - selections on matrices of any extents -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeVectors.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::tile::ascend;

WholeVectors::WholeVectors(KernelLowering &lowering, Location loc, Value like)
    : l(lowering), loc(loc) {
  auto type = cast<MemRefType>(like.getType());
  element = type.getElementType();
  Matrix shape = *getMatrix(type);
  columns = shape.columns;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t unit = l.spec.repeatBytes / bytes;
  width = llvm::alignTo(columns, unit);
  if (type.getRank() == 1)
    return;
  rows = shape.rows;
  if (columns % (l.spec.blockBytes / bytes) == 0 && *rows * columns % unit == 0)
    width = columns;
}

Value WholeVectors::create() {
  return l.buffers.createMatrix(loc, rows, width, element);
}

Value WholeVectors::fill(double value) {
  Value whole = create();
  DuplicateOp::create(l.b, loc, whole, l.constantOf(loc, element, value));
  return whole;
}

Value WholeVectors::enter(Value matrix) {
  Matrix shape = *getMatrix(cast<MemRefType>(matrix.getType()));
  if (width == columns && shape.isContiguous())
    return matrix;
  Value whole = width == columns ? create() : fill(0);
  CopyUbOp::create(l.b, loc, leave(whole), matrix);
  return whole;
}

Value WholeVectors::leave(Value whole) {
  OpFoldResult zero = l.b.getIndexAttr(0);
  return l.buffers.createPart(loc, whole, zero, zero, rows.value_or(1),
                              columns);
}

Value WholeVectors::compare(CompareMode mode, Value a, Value c) {
  Value bits = l.buffers.createMatrix(
      loc, std::nullopt, rows.value_or(1) * width / 8, l.b.getI8Type());
  CompareOp::create(l.b, loc, mode, bits, a, c);
  return bits;
}

Value WholeVectors::select(Value bits, Value a, Value c) {
  Value whole = create();
  SelectOp::create(l.b, loc, whole, bits, a, c);
  return whole;
}

Value mlir::tile::ascend::replaceNaN(KernelLowering &l, Location loc,
                                     Value matrix, double otherwise,
                                     bool marks) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  WholeVectors vectors(l, loc, matrix);
  Value x = vectors.enter(matrix);
  Value isNumber = vectors.compare(CompareMode::EQ, x, x);
  return vectors.leave(vectors.select(isNumber, marks ? vectors.fill(1) : x,
                                      l.constantOf(loc, element, otherwise)));
}

Value mlir::tile::ascend::keepWhere(KernelLowering &l, Location loc,
                                    CompareMode mode, Value a, Value c,
                                    Value matrix) {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  WholeVectors vectors(l, loc, matrix);
  Value bits = vectors.compare(mode, vectors.enter(a), vectors.enter(c));
  Value nan = l.constantOf(loc, element, std::numeric_limits<double>::quiet_NaN());
  return vectors.leave(vectors.select(bits, vectors.enter(matrix), nan));
}

Value mlir::tile::ascend::createLimit(KernelLowering &l, Location loc,
                                      BinaryKind kind, Value a, Value c,
                                      bool propagates) {
  WholeVectors vectors(l, loc, a);
  Value x = vectors.enter(a), y = vectors.enter(c);
  Value hasX = vectors.compare(CompareMode::EQ, x, x),
        hasY = vectors.compare(CompareMode::EQ, y, y);
  // Where one is a number, both are; where none is, one is NaN.
  Value left = vectors.select(hasX, x, y), right = vectors.select(hasY, y, x);
  BinaryOp::create(l.b, loc, kind, left, left, right);
  Value result = vectors.select(hasX, left, x);
  if (propagates)
    return vectors.leave(vectors.select(hasY, result, y));
  return vectors.leave(vectors.select(hasY, left, result));
}
