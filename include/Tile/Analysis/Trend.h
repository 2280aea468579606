//===- Trend.h - how one value changes with another -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an integer grows or shrinks while an index grows. Index arithmetic is assumed not to overflow.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_TREND_H
#define TILE_ANALYSIS_TREND_H

#include "mlir/IR/Value.h"

namespace mlir::tile {

/// `Varies` is everything that is not known to be one of the others.
enum class Trend { Constant, Growing, Shrinking, Varies };

/// How `value` changes while `index` grows. Growing and shrinking values may stay the same in between.
Trend getTrend(Value value, Value index);

/// The trend of `-value`.
Trend negate(Trend trend);

/// The trend of the sum, and of the minimum and maximum, of two values.
Trend combine(Trend a, Trend b);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_TREND_H
