//===- IntegerPowers.cpp - powers by integers -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float loses whether a large integer is odd, and with that the sign of a
// negative number's power: bf16 from 257 on, f32 from 2^24 + 1 on.
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
/// The power of the magnitude, at least in f32, with the sign of `x` where the
/// exponent is odd.
struct ExpandIntegerPower : OpRewritePattern<math::FPowIOp> {
  ExpandIntegerPower(MLIRContext *context, bool withConstants)
      : OpRewritePattern(context, /*benefit=*/2), withConstants(withConstants) {}

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &b) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    Value x = op.getLhs(), exponent = op.getRhs();
    if (!type || (!withConstants && matchPattern(exponent, m_Constant())))
      return failure();
    Location loc = op.getLoc();
    bool isNarrow = type.getWidth() < 32;
    Type wide = isNarrow ? Type(b.getF32Type()) : type;
    if (isNarrow)
      x = arith::ExtFOp::create(b, loc, wide, x);
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value power = math::PowFOp::create(
        b, loc, magnitude, arith::SIToFPOp::create(b, loc, wide, exponent));
    Type word = exponent.getType();
    auto integer = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(word, value));
    };
    Value last = arith::AndIOp::create(b, loc, exponent, integer(1));
    Value isOdd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, last,
                                        integer(0));
    Value result = arith::SelectOp::create(
        b, loc, isOdd, math::CopySignOp::create(b, loc, power, x), power);
    if (isNarrow)
      result = arith::TruncFOp::create(b, loc, type, result);
    b.replaceOp(op, result);
    return success();
  }
  bool withConstants;
};

/// Values of one type of integers, or of vectors of them.
struct IntegerArithmetic {
  OpBuilder &b;
  Location loc;
  Type type;

  unsigned getWidth() const {
    Type element = getElementTypeOrSelf(type);
    return element.isIndex() ? IndexType::kInternalStorageBitWidth
                             : element.getIntOrFloatBitWidth();
  }
  Value constant(const APInt &value) {
    TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value constant(int64_t value) {
    return constant(APInt(getWidth(), value, /*isSigned=*/true));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value hasBit(Value x, unsigned bit) {
    Value mask = constant(APInt::getOneBitSet(getWidth(), bit));
    return compare(arith::CmpIPredicate::ne,
                   arith::AndIOp::create(b, loc, x, mask), constant(0));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
};

} // namespace

/// Without a loop or a branch, so that vectors of numbers take it, too.
static Value createProducts(IntegerArithmetic a, Value x, Value exponent) {
  Value one = a.constant(1), power = one, square = x;
  for (unsigned bit = 0, bits = a.getWidth() - 1; bit < bits; ++bit) {
    if (bit)
      square = arith::MulIOp::create(a.b, a.loc, square, square);
    Value factor = a.select(a.hasBit(exponent, bit), square, one);
    power = arith::MulIOp::create(a.b, a.loc, power, factor);
  }
  return power;
}

/// For tiles, of which each op is a loop where the scalar unit computes it.
static Value createLoop(IntegerArithmetic a, Value x, Value exponent) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(a.b, a.loc, value);
  };
  auto loop = scf::ForOp::create(
      a.b, a.loc, index(0), index(a.getWidth() - 1), index(1),
      ValueRange{a.constant(1), x, exponent},
      [&](OpBuilder &b, Location loc, Value, ValueRange values) {
        IntegerArithmetic in{b, loc, a.type};
        Value square = values[1], rest = values[2], one = in.constant(1);
        Value factor = in.select(in.hasBit(rest, 0), square, one);
        Value power = arith::MulIOp::create(b, loc, values[0], factor);
        square = arith::MulIOp::create(b, loc, square, square);
        rest = arith::ShRUIOp::create(b, loc, rest, one);
        scf::YieldOp::create(b, loc, ValueRange{power, square, rest});
      });
  return loop.getResult(0);
}

namespace {
/// A negative exponent leaves 1 and -1 of all numbers but 0, whose powers are
/// some number then.
struct ExpandPowerOfInteger : OpRewritePattern<math::IPowIOp> {
  ExpandPowerOfInteger(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &b) const override {
    Value x = op.getLhs(), exponent = op.getRhs();
    Location loc = op.getLoc();
    IntegerArithmetic a{b, loc, op.getType()};
    Value zero = a.constant(0), one = a.constant(1), minusOne = a.constant(-1);
    bool isLoop = op->getParentOfType<tile::ParallelOp>() &&
                  !matchPattern(exponent, m_Constant());
    Value power = isLoop ? createLoop(a, x, exponent)
                         : createProducts(a, x, exponent);
    using P = arith::CmpIPredicate;
    Value ofMinusOne = a.select(a.hasBit(exponent, 0), minusOne, one);
    Value inverse = a.select(a.compare(P::eq, x, minusOne), ofMinusOne, zero);
    inverse = a.select(a.compare(P::eq, x, one), one, inverse);
    b.replaceOp(op, a.select(a.compare(P::slt, exponent, zero), inverse, power));
    return success();
  }
};
} // namespace

void mlir::tile::populateExpandIntegerPowerPatterns(RewritePatternSet &patterns,
                                                    bool withConstants) {
  patterns.add<ExpandIntegerPower>(patterns.getContext(), withConstants);
  patterns.add<ExpandPowerOfInteger>(patterns.getContext());
}
