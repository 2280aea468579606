//===- Multiples.h - what numbers are multiples of --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_MULTIPLES_H
#define TILE_ANALYSIS_MULTIPLES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::tile {

/// Whether a number is known to be a multiple of `factor`, out of the ops that
/// make it. Index arithmetic is assumed not to overflow.
bool isMultiple(Value value, int64_t factor);
/// Likewise an expression of dimensions, whose values are `operands`.
bool isMultiple(AffineExpr expr, ValueRange operands, int64_t factor);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_MULTIPLES_H
