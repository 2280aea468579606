//===- TotalDivision.cpp - divisions without undefined behaviour ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TotalDivision.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

static bool isSigned(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
             arith::FloorDivSIOp>(op);
}

static bool isDivision(Operation *op) {
  return isSigned(op) ||
         isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

/// Whether the divisor is a number that nothing is undefined for.
static bool isHarmless(Operation *op) {
  APInt divisor;
  return matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
         !divisor.isZero() && !(isSigned(op) && divisor.isAllOnes());
}

/// The smallest number of a type; of an index, which a target may make shorter,
/// that of 64 bits.
static APInt getSmallest(Type type) {
  return APInt::getSignedMinValue(
      type.isIndex() ? IndexType::kInternalStorageBitWidth
                     : type.getIntOrFloatBitWidth());
}

static void makeTotal(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value number = op->getOperand(0), divisor = op->getOperand(1);
  Type type = divisor.getType();
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  auto isEqual = [&](Value value, const APInt &other) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 constant(other));
  };
  APInt smallest = getSmallest(type);
  Value isUndefined =
      isEqual(divisor, APInt::getZero(smallest.getBitWidth()));
  if (isSigned(op)) {
    Value overflows = arith::AndIOp::create(
        b, loc, isEqual(number, smallest),
        isEqual(divisor, APInt::getAllOnes(smallest.getBitWidth())));
    isUndefined = arith::OrIOp::create(b, loc, isUndefined, overflows);
  }
  Value one = constant(APInt(smallest.getBitWidth(), 1));
  op->setOperand(
      1, arith::SelectOp::create(b, loc, isUndefined, one, divisor));
}

void tile::makeDivisionsTotal(Operation *root) {
  SmallVector<Operation *> divisions;
  root->walk([&](ParallelOp loop) {
    loop.getBody().walk([&](Operation *op) {
      if (isDivision(op) && isa<IntegerType, IndexType>(
                                op->getOperand(1).getType()) &&
          !isHarmless(op) &&
          op->getParentOfType<ParallelOp>() == loop)
        divisions.push_back(op);
    });
  });
  for (Operation *op : divisions)
    makeTotal(op);
}
