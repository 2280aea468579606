//===- TotalArithmetic.cpp - arithmetic without undefined behaviour -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TotalArithmetic.h"

#include "Tile/Conversion/Cast.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

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

void mlir::tile::makeDivisionTotal(Operation *op) {
  if (!isDivision(op) ||
      !isa<IntegerType, IndexType>(op->getOperand(1).getType()) ||
      isHarmless(op))
    return;
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

static bool isIntegerFromFloat(Operation *op) {
  return isa<arith::FPToSIOp, arith::FPToUIOp>(op);
}

void mlir::tile::makeConversionTotal(Operation *op) {
  if (!isIntegerFromFloat(op))
    return;
  OpBuilder b(op);
  CastRules rules;
  rules.isUnsigned = isa<arith::FPToUIOp>(op);
  op->getResult(0).replaceAllUsesWith(
      castElement(b, op->getLoc(), op->getOperand(0),
                  getElementTypeOrSelf(op->getResult(0)), rules));
  op->erase();
}

/// How many bits a number has that is shifted by an amount that may be larger;
/// 0 of other ops, and of widths that are no power of two.
static int64_t getShiftedBits(Operation *op) {
  if (!isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return 0;
  Type type = op->getOperand(1).getType();
  if (!isa<IntegerType, IndexType>(type))
    return 0;
  int64_t bits = type.isIndex() ? int64_t(IndexType::kInternalStorageBitWidth)
                                : int64_t(type.getIntOrFloatBitWidth());
  APInt amount;
  bool fits = matchPattern(op->getOperand(1), m_ConstantInt(&amount)) &&
              amount.ult(bits);
  return fits || !llvm::isPowerOf2_64(bits) ? 0 : bits;
}

static void makeShiftTotal(Operation *op, int64_t bits) {
  OpBuilder b(op);
  Value amount = op->getOperand(1);
  Value mask = arith::ConstantOp::create(
      b, op->getLoc(), b.getIntegerAttr(amount.getType(), bits - 1));
  op->setOperand(1, arith::AndIOp::create(b, op->getLoc(), amount, mask));
}

void mlir::tile::makeArithmeticTotal(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](ParallelOp loop) {
    loop.getBody().walk([&](Operation *op) { ops.push_back(op); });
  });
  for (Operation *op : ops) {
    if (isIntegerFromFloat(op))
      makeConversionTotal(op);
    else if (int64_t bits = getShiftedBits(op))
      makeShiftTotal(op, bits);
    else
      makeDivisionTotal(op);
  }
}
