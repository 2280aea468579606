//===- Trend.cpp - how one value changes with another ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Trend.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

Trend mlir::tile::negate(Trend trend) {
  if (trend == Trend::Growing)
    return Trend::Shrinking;
  return trend == Trend::Shrinking ? Trend::Growing : trend;
}

Trend mlir::tile::combine(Trend a, Trend b) {
  if (a == Trend::Constant || a == b)
    return b;
  return b == Trend::Constant ? a : Trend::Varies;
}

/// The trend of a product or quotient with a factor of that sign.
static Trend scale(Trend trend, std::optional<int64_t> factor) {
  if (trend == Trend::Constant)
    return trend;
  if (!factor)
    return Trend::Varies;
  if (*factor == 0)
    return Trend::Constant;
  return *factor > 0 ? trend : negate(trend);
}

static Trend getTrend(AffineExpr expr, AffineMap map, ValueRange operands,
                      Value index) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getTrend(operands[dim.getPosition()], index);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getTrend(operands[map.getNumDims() + symbol.getPosition()], index);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return Trend::Constant;
  Trend left = getTrend(binary.getLHS(), map, operands, index);
  Trend right = getTrend(binary.getRHS(), map, operands, index);
  if (expr.getKind() == AffineExprKind::Add)
    return combine(left, right);
  if (left == Trend::Constant && right == Trend::Constant)
    return Trend::Constant;
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mod || !factor)
    return Trend::Varies;
  return scale(left, factor.getValue());
}

/// The trend of an op whose results change as its operands do.
static Trend combineOperands(Operation *op, Value index) {
  Trend trend = Trend::Constant;
  for (Value operand : op->getOperands())
    trend = combine(trend, getTrend(operand, index));
  return trend;
}

static Trend getAffineTrend(AffineMap map, ValueRange operands, Value index) {
  Trend trend = Trend::Constant;
  for (AffineExpr result : map.getResults())
    trend = combine(trend, getTrend(result, map, operands, index));
  return trend;
}

/// Any op: constant if all that it is computed from is.
static Trend getUnknownTrend(Operation *op, Value index) {
  bool varies = false;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      varies |= !op->isAncestor(operand.getParentRegion()->getParentOp()) &&
                getTrend(operand, index) != Trend::Constant;
  });
  return varies ? Trend::Varies : Trend::Constant;
}

Trend mlir::tile::getTrend(Value value, Value index) {
  if (value == index)
    return Trend::Growing;
  Operation *op = value.getDefiningOp();
  if (!op)
    return Trend::Constant;
  auto operand = [&](unsigned i) { return getTrend(op->getOperand(i), index); };
  auto factor = [&](unsigned i) {
    return getConstantIntValue(op->getOperand(i));
  };
  return llvm::TypeSwitch<Operation *, Trend>(op)
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [&](auto affineOp) {
            return getAffineTrend(affineOp.getAffineMap(),
                                  affineOp.getOperands(), index);
          })
      .Case<arith::AddIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp,
            arith::MaxUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](Operation *) { return combineOperands(op, index); })
      .Case([&](arith::SubIOp) { return combine(operand(0), negate(operand(1))); })
      .Case([&](arith::MulIOp) {
        return factor(1) ? scale(operand(0), factor(1))
                         : combine(scale(operand(1), factor(0)),
                                   scale(operand(0), std::nullopt));
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::FloorDivSIOp>([&](Operation *) {
        return combine(scale(operand(0), factor(1)),
                       scale(operand(1), std::nullopt));
      })
      .Default([&](Operation *) { return getUnknownTrend(op, index); });
}
