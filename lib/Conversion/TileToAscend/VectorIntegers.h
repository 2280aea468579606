//===- VectorIntegers.h - integers of 8 bits, and unsigned ones -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORINTEGERS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORINTEGERS_H

#include "VectorBuilder.h"

namespace mlir::tile::ascend {

/// The type that values of `element` are held in.
Type getHeldType(VectorBuilder &v, Type element);
/// Back to the range of 8-bit integers.
VectorOperand wrap(VectorBuilder &v, const VectorOperand &operand,
                   Type element);
/// As an unsigned number, in a type that has all of them: i16 for i8, i32 for
/// i16.
FailureOr<VectorOperand> zeroExtend(VectorBuilder &v, VectorOperand operand,
                                    Type element);
/// Unsigned numbers in the order of signed ones: the sign bit is flipped.
FailureOr<VectorOperand> flipSign(VectorBuilder &v, VectorOperand operand,
                                  Type element);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORINTEGERS_H
