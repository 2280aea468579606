//===- FourBits.h - elements of 4 bits --------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_FOURBITS_H
#define TILE_DIALECT_TILE_IR_FOURBITS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tile {

/// The op that makes the float `value` of an element of 4 bits, its operand,
/// which any float of 16 bits and more holds exactly: also through a wider float
/// than `value`. Null if there is none.
inline Operation *findFourBitConversion(Value value) {
  if (auto narrow = value.getDefiningOp<arith::TruncFOp>())
    value = narrow.getIn();
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp, arith::ExtFOp>(op))
    return nullptr;
  Type element = op->getOperand(0).getType();
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 4
             ? op
             : nullptr;
}

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_FOURBITS_H
