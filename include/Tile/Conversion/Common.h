//===- Common.h - helpers of all conversions --------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_COMMON_H
#define TILE_CONVERSION_COMMON_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::tile {

/// The point of a tile.persistent that comes `t`-th: groups of `group` along
/// the first dimension, first the group's rows, then its columns.
SmallVector<Value> getPersistentPoint(OpBuilder &b, Location loc, Value t,
                                      ValueRange domain, int64_t group);

/// An element or vector of what is reduced, widened to `element`, and absolute
/// where the kind asks for it.
Value widenForReduction(OpBuilder &b, ReduceOp op, Value value, Type element);

/// How two values of a reduction combine, once they are widened and, where the
/// kind asks for it, absolute.
vector::CombiningKind getCombiningKind(ReduceOp op, bool isFloat);

} // namespace mlir::tile

#endif // TILE_CONVERSION_COMMON_H
