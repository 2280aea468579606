//===- Common.cpp - helpers of all conversions ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Common.h"

#include "Tile/Conversion/Cast.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile;

SmallVector<Value> tile::getPersistentPoint(OpBuilder &b, Location loc, Value t,
                                            ValueRange domain, int64_t group) {
  if (domain.size() == 1)
    return {t};
  Value m = domain[0], n = domain[1];
  Value plane = arith::MulIOp::create(b, loc, m, n);
  Value inPlane = arith::RemUIOp::create(b, loc, t, plane);
  Value size = constantIndex(b, loc, group);
  Value groupSize = arith::MulIOp::create(b, loc, size, n);
  Value groupIndex = arith::DivUIOp::create(b, loc, inPlane, groupSize);
  Value inGroup = arith::RemUIOp::create(b, loc, inPlane, groupSize);
  Value first = arith::MulIOp::create(b, loc, groupIndex, size);
  Value rows = arith::MinUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, m, first), size);
  SmallVector<Value> point{
      arith::AddIOp::create(b, loc, first,
                            arith::RemUIOp::create(b, loc, inGroup, rows)),
      arith::DivUIOp::create(b, loc, inGroup, rows)};
  if (domain.size() == 3)
    point.push_back(arith::DivUIOp::create(b, loc, t, plane));
  return point;
}

static bool takesAbsolute(ReduceKind kind) {
  return kind == ReduceKind::AbsSum || kind == ReduceKind::AbsMax;
}

Value tile::widenForReduction(OpBuilder &b, ReduceOp op, Value value,
                              Type element) {
  Location loc = op.getLoc();
  value = castElement(b, loc, value, element, {op.getIsUnsigned(), false});
  if (!takesAbsolute(op.getKind()) || op.getIsUnsigned())
    return value;
  if (isa<FloatType>(element))
    return math::AbsFOp::create(b, loc, value);
  return math::AbsIOp::create(b, loc, value);
}

vector::CombiningKind tile::getCombiningKind(ReduceOp op, bool isFloat) {
  using K = vector::CombiningKind;
  bool nan = op.getPropagateNan(), isUnsigned = op.getIsUnsigned();
  switch (op.getKind()) {
  case ReduceKind::Sum:
  case ReduceKind::AbsSum:
    return K::ADD;
  case ReduceKind::Max:
  case ReduceKind::AbsMax:
    if (isFloat)
      return nan ? K::MAXIMUMF : K::MAXNUMF;
    // The absolute value of the least integer is right without a sign.
    return isUnsigned || takesAbsolute(op.getKind()) ? K::MAXUI : K::MAXSI;
  case ReduceKind::Min:
    if (isFloat)
      return nan ? K::MINIMUMF : K::MINNUMF;
    return isUnsigned ? K::MINUI : K::MINSI;
  case ReduceKind::And:
    return K::AND;
  case ReduceKind::Or:
    return K::OR;
  case ReduceKind::Xor:
    return K::XOR;
  }
  llvm_unreachable("all kinds are handled");
}
