//===- WholeVectors.h - selections on matrices of any extents ---*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Comparisons and selections take whole vectors, one row behind the other:
// matrices of other extents are copied to such ones and back. And what NaN has
// to do with maxima: no instruction promises anything about it, so that none
// gets one.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_WHOLEVECTORS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_WHOLEVECTORS_H

#include "KernelLowering.h"

namespace mlir::tile::ascend {

/// Matrices of the shape and element type of `like`.
class WholeVectors {
public:
  WholeVectors(KernelLowering &lowering, Location loc, Value like);

  /// The matrix, or a copy of it that ends with a vector.
  Value enter(Value matrix);
  /// The part of what was computed that has the shape.
  Value leave(Value whole);
  /// Bits of a comparison of two matrices that were entered.
  Value compare(CompareMode mode, Value a, Value c);
  /// `a` where the bits are set, and else `c`, a matrix or a scalar.
  Value select(Value bits, Value a, Value c);
  /// A matrix of one value.
  Value fill(double value);

private:
  Value create();

  KernelLowering &l;
  Location loc;
  Type element;
  std::optional<int64_t> rows;
  int64_t columns, width;
};

/// The matrix with a number in place of NaN; with `marks`, 1 in place of all
/// that is a number.
Value replaceNaN(KernelLowering &l, Location loc, Value matrix,
                 double otherwise, bool marks = false);

/// The elements of `matrix` where `a` and `c` compare; NaN elsewhere.
Value keepWhere(KernelLowering &l, Location loc, CompareMode mode, Value a,
                Value c, Value matrix);

/// The larger or smaller of two matrices: of a number and NaN the number, or
/// with `propagates` NaN.
Value createLimit(KernelLowering &l, Location loc, BinaryKind kind, Value a,
                  Value c, bool propagates);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_WHOLEVECTORS_H
