//===- TotalArithmetic.h - no undefined behaviour ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TOTALARITHMETIC_H
#define TILE_CONVERSION_TOTALARITHMETIC_H

#include "mlir/IR/Operation.h"

namespace mlir::tile {

/// Gives the arithmetic of bodies of `tile.parallel` a result where LLVM says
/// that anything may happen: from what never happens it concludes that nobody
/// is there, and drops the guards of loads and stores.
/// - Integers are divided by 1 instead of by 0, and the smallest by 1 instead
///   of by -1: elements past the end of a buffer are 0.
/// - Floats become integers by rule 4 of the dialect: they saturate, and a NaN
///   becomes 0. To `i1`, all but zero becomes true.
/// - Bits are shifted by the amount modulo their number.
void makeArithmeticTotal(Operation *root);

/// The same for one op, if it is a conversion of a float to an integer, which
/// another one replaces, or a division of integers.
void makeConversionTotal(Operation *op);
void makeDivisionTotal(Operation *op);

} // namespace mlir::tile

#endif // TILE_CONVERSION_TOTALARITHMETIC_H
