//===- Cast.h - conversion of elements --------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every lowering does alike with single elements: rule 4 of the dialect,
// written with arith.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_CAST_H
#define TILE_CONVERSION_CAST_H

#include "mlir/IR/Builders.h"

namespace mlir::tile {

/// How a conversion treats integers and overflow; see rule 4 of the dialect.
struct CastRules {
  bool isUnsigned = false;
  bool saturate = false;
};

/// Converts a number, or a vector of numbers, to another element type.
Value castElement(OpBuilder &b, Location loc, Value value, Type element,
                  CastRules rules = {});

/// An f32 rounded to the 10 bits of mantissa of tf32, to nearest, ties away from
/// zero.
Value roundToTF32(OpBuilder &b, Location loc, Value value);

/// The type in which elements are summed: f32 for floats up to 32 bits, f64,
/// i32 or i64.
Type getAccumulatorType(Type element);

Value constantIndex(OpBuilder &b, Location loc, int64_t value);

/// The constant 0 of an element type.
Value constantZero(OpBuilder &b, Location loc, Type type);

} // namespace mlir::tile

#endif // TILE_CONVERSION_CAST_H
