//===- Cast.cpp - conversion of elements ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Cast.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;

Value tile::constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value tile::constantZero(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Type tile::getAccumulatorType(Type element) {
  Builder b(element.getContext());
  if (isa<FloatType>(element))
    return element.isF64() ? element : Type(b.getF32Type());
  return element.getIntOrFloatBitWidth() > 32 ? element : Type(b.getI32Type());
}

/// `element`, as a vector if `like` is one.
static Type withShapeOf(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

static Value constantLike(OpBuilder &b, Location loc, Type type,
                          TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vector, scalar));
  return arith::ConstantOp::create(b, loc, scalar);
}

static Value constantFloat(OpBuilder &b, Location loc, Type type,
                           double value) {
  return constantLike(b, loc, type,
                      b.getFloatAttr(getElementTypeOrSelf(type), value));
}

static Value constantInt(OpBuilder &b, Location loc, Type type, APInt value) {
  return constantLike(b, loc, type,
                      b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

/// Clamps to the finite range of a float type.
static Value clampToFinite(OpBuilder &b, Location loc, Value value,
                           FloatType to) {
  APFloat largest = APFloat::getLargest(to.getFloatSemantics());
  bool losesInfo;
  auto element = cast<FloatType>(getElementTypeOrSelf(value));
  largest.convert(element.getFloatSemantics(), APFloat::rmTowardZero,
                  &losesInfo);
  double limit = largest.convertToDouble();
  Value high = constantFloat(b, loc, value.getType(), limit);
  // One format has neither sign nor zero.
  double least = isa<Float8E8M0FNUType>(to) ? 0x1p-127 : -limit;
  Value low = constantFloat(b, loc, value.getType(), least);
  // maximumf and minimumf keep NaN.
  value = arith::MinimumFOp::create(b, loc, value, high);
  return arith::MaximumFOp::create(b, loc, value, low);
}

static Value castFloatToFloat(OpBuilder &b, Location loc, Value value,
                              FloatType to, tile::CastRules rules) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  if (from == to)
    return value;
  Type target = withShapeOf(value.getType(), to);
  // Neither of two types of equal width contains the other, and small types widen to f32 only.
  if (from.getWidth() < 32 && to.getWidth() < 32) {
    value = arith::ExtFOp::create(
        b, loc, withShapeOf(value.getType(), b.getF32Type()), value);
    from = b.getF32Type();
  }
  if (from.getWidth() < to.getWidth()) {
    value = arith::ExtFOp::create(b, loc, target, value);
    // What is finite fits.
    bool mayOverflow = APFloat::semanticsHasInf(from.getFloatSemantics());
    return rules.saturate && mayOverflow ? clampToFinite(b, loc, value, to)
                                         : value;
  }
  if (rules.saturate)
    value = clampToFinite(b, loc, value, to);
  return arith::TruncFOp::create(b, loc, target, value);
}

/// Truncates towards zero and saturates; NaN becomes 0.
static Value castFloatToInt(OpBuilder &b, Location loc, Value value,
                            IntegerType to, bool isUnsigned) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  if (from.getWidth() < 32)
    value = castFloatToFloat(b, loc, value, b.getF32Type(), {});
  Type type = value.getType(), target = withShapeOf(type, to);
  if (to.getWidth() == 1)
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value,
                                 constantFloat(b, loc, type, 0.0));
  unsigned width = to.getWidth();
  APInt least = isUnsigned ? APInt::getMinValue(width)
                           : APInt::getSignedMinValue(width);
  APInt most = isUnsigned ? APInt::getMaxValue(width)
                          : APInt::getSignedMaxValue(width);
  // The first value above the range is a power of two and so exact in any float type that reaches it.
  double above = std::ldexp(1.0, isUnsigned ? width : width - 1);
  double below = isUnsigned ? 0.0 : -above;
  using P = arith::CmpFPredicate;
  Value tooHigh = arith::CmpFOp::create(b, loc, P::OGE, value,
                                        constantFloat(b, loc, type, above));
  Value tooLow = arith::CmpFOp::create(b, loc, P::OLT, value,
                                       constantFloat(b, loc, type, below));
  Value isNumber = arith::CmpFOp::create(b, loc, P::ORD, value, value);
  Value zero = constantFloat(b, loc, type, 0.0);
  Value inRange = arith::SelectOp::create(b, loc, isNumber, value, zero);
  inRange = arith::SelectOp::create(b, loc, tooHigh, zero, inRange);
  inRange = arith::SelectOp::create(b, loc, tooLow, zero, inRange);
  Value result =
      isUnsigned
          ? arith::FPToUIOp::create(b, loc, target, inRange).getResult()
          : arith::FPToSIOp::create(b, loc, target, inRange).getResult();
  result = arith::SelectOp::create(
      b, loc, tooHigh, constantInt(b, loc, target, most), result);
  return arith::SelectOp::create(
      b, loc, tooLow, constantInt(b, loc, target, least), result);
}

static Value castIntToFloat(OpBuilder &b, Location loc, Value value,
                            FloatType to, tile::CastRules rules) {
  bool isSigned =
      !rules.isUnsigned && !getElementTypeOrSelf(value).isInteger(1);
  auto convert = [&](Value v, FloatType type) -> Value {
    Type target = withShapeOf(v.getType(), type);
    if (isSigned)
      return arith::SIToFPOp::create(b, loc, target, v);
    return arith::UIToFPOp::create(b, loc, target, v);
  };
  if (!rules.saturate)
    return convert(value, to);
  if (APFloat::semanticsMaxExponent(to.getFloatSemantics()) >= 64) {
    // No integer is too large; a negative one is too small for the format that has no sign.
    if (isSigned && isa<Float8E8M0FNUType>(to)) {
      unsigned width = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
      Value zero = constantInt(b, loc, value.getType(), APInt(width, 0));
      value = arith::MaxSIOp::create(b, loc, value, zero);
    }
    return convert(value, to);
  }
  // f64 holds every integer that is not clamped.
  return castFloatToFloat(b, loc, convert(value, b.getF64Type()), to, rules);
}

static Value castIntToInt(OpBuilder &b, Location loc, Value value,
                          IntegerType to, tile::CastRules rules) {
  auto from = cast<IntegerType>(getElementTypeOrSelf(value));
  Type target = withShapeOf(value.getType(), to);
  if (from == to)
    return value;
  if (to.getWidth() == 1)
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, value,
        constantInt(b, loc, value.getType(), APInt(from.getWidth(), 0)));
  if (to.getWidth() < from.getWidth())
    return arith::TruncIOp::create(b, loc, target, value);
  if (rules.isUnsigned || from.getWidth() == 1)
    return arith::ExtUIOp::create(b, loc, target, value);
  return arith::ExtSIOp::create(b, loc, target, value);
}

Value tile::castElement(OpBuilder &b, Location loc, Value value, Type element,
                       CastRules rules) {
  bool fromFloat = isa<FloatType>(getElementTypeOrSelf(value));
  if (auto to = dyn_cast<FloatType>(element))
    return fromFloat ? castFloatToFloat(b, loc, value, to, rules)
                     : castIntToFloat(b, loc, value, to, rules);
  auto to = cast<IntegerType>(element);
  return fromFloat ? castFloatToInt(b, loc, value, to, rules.isUnsigned)
                   : castIntToInt(b, loc, value, to, rules);
}

Value tile::roundToTF32(OpBuilder &b, Location loc, Value value) {
  Type i32 = b.getI32Type();
  auto constant = [&](int64_t v) {
    return arith::ConstantIntOp::create(b, loc, i32, v);
  };
  Value bits = arith::BitcastOp::create(b, loc, i32, value);
  Value up = arith::AddIOp::create(b, loc, bits, constant(1 << 12));
  Value cut = arith::AndIOp::create(b, loc, up, constant(~0x1fff));
  Value exponent = arith::AndIOp::create(b, loc, bits, constant(0x7f800000));
  Value isFinite = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         exponent, constant(0x7f800000));
  Value rounded = arith::SelectOp::create(b, loc, isFinite, cut, bits);
  return arith::BitcastOp::create(b, loc, value.getType(), rounded);
}
