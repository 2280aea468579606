//===- Exchange.h - tiles that go from core to core -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_EXCHANGE_H
#define TILE_LIB_CONVERSION_TILETOASCEND_EXCHANGE_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

namespace mlir::tile::ascend {

/// On what exchanges tiles: the core that runs it, until the kernel is split,
/// and the number of the exchange.
inline constexpr StringLiteral kCoreAttr = "ascend.core";
inline constexpr StringLiteral kRingAttr = "ascend.ring";

/// A tile in L0C to UB, or one in UB to L1, for `op`, at the insertion point.
LogicalResult createExchange(OpBuilder &b, Operation *op, Value target,
                             Value source);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_EXCHANGE_H
