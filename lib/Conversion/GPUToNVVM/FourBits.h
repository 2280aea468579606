//===- FourBits.h - conversions of elements of 4 bits -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_GPUTONVVM_FOURBITS_H
#define TILE_LIB_CONVERSION_GPUTONVVM_FOURBITS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tile::nvidia {

/// Vectors of i4 and f4E2M1FN to f16 and bf16.
void populateFourBitPatterns(RewritePatternSet &patterns);

/// Whether the value is a vector of bf16 that one of these patterns converts.
bool isFourBitConversion(Value value);

/// Products of converted elements, of which each is multiplied by a factor
/// times a power of two within these limits, become one operation for a pair.
void foldFourBitScales(Operation *root);

/// A factor times 2^(133 + exponent) is to be a number: with the greatest one,
/// factors below 2^55.
constexpr int kLeastScaleExponent = -100, kGreatestScaleExponent = -60;

/// Two elements of such a conversion from 2 * `pair` on, times a factor of bf16
/// and a power of two.
Value convertScaledPair(OpBuilder &b, Location loc, Value conversion,
                        int64_t pair, Value factor, int exponent);

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_GPUTONVVM_FOURBITS_H
