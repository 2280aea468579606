//===- ExpandFunctions.cpp - functions as simpler ones --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Functions that choose between formulas, as selections, and those of integers.
// What they consist of has instructions or formulas of its own
// (VectorFunctions.cpp). Floats are computed in f32.
//
//===----------------------------------------------------------------------===//

#include "ParallelParts.h"

#include "Tile/Conversion/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {

/// Formulas of f32 at one place.
class Formula {
public:
  Formula(OpBuilder &b, Location loc) : b(b), loc(loc), type(b.getF32Type()) {}

  Value powf(Value x, Value y);
  Value atan2(Value y, Value x);
  Value cbrt(Value x);
  Value erfc(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value fromUnsigned(Value x, Type to);
  Value toUnsigned(Value x);

private:
  using P = arith::CmpFPredicate;
  /// A sum of two numbers that is exact.
  struct Pair {
    Value high, low;
  };

  Value number(double c) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(c)));
  }
  Value integer(int32_t c) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(c));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value add(Value x, double c) { return add(x, number(c)); }
  Value mul(Value x, double c) { return mul(x, number(c)); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value compare(P p, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, p, x, y);
  }
  Value compare(P p, Value x, double c) { return compare(p, x, number(c)); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value copySign(Value x, Value sign) {
    return math::CopySignOp::create(b, loc, x, sign);
  }
  Value log1p(Value x) { return math::Log1pOp::create(b, loc, x); }
  Value clamp(Value x, double c) {
    Value low = arith::MaximumFOp::create(b, loc, x, number(-c));
    return arith::MinimumFOp::create(b, loc, low, number(c));
  }
  Value polynomial(Value x, ArrayRef<double> coefficients);
  Value high(Value x);
  Pair split(Value x) {
    Value top = high(x);
    return {top, sub(x, top)};
  }
  Pair fastSum(Value large, Value small) {
    Value sum = add(large, small);
    return {sum, sub(small, sub(sum, large))};
  }
  Value powerOfTwo(Value n);
  Pair log2(Value magnitude);
  Value exp2(Value x, Value rest);

  OpBuilder &b;
  Location loc;
  Type type;
};

} // namespace

/// The coefficient of the highest power first.
Value Formula::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = number(coefficients[0]);
  for (double coefficient : coefficients.drop_front())
    sum = add(mul(sum, x), coefficient);
  return sum;
}

/// The first 12 bits: products of two such numbers are exact.
Value Formula::high(Value x) {
  Value large = mul(x, 4097);
  return sub(large, sub(large, x));
}

/// 2^n for an integer in i32, -127 < n < 128.
Value Formula::powerOfTwo(Value n) {
  Value biased = arith::AddIOp::create(b, loc, n, integer(127));
  Value bits = arith::ShLIOp::create(b, loc, biased, integer(23));
  return arith::BitcastOp::create(b, loc, type, bits);
}

/// Of a positive number, to some 32 bits: the exponent, and of the mantissa m
/// between sqrt(1/2) and sqrt(2) the series of s = (m - 1) / (m + 1).
Formula::Pair Formula::log2(Value magnitude) {
  Value isSmall = compare(P::OLT, magnitude, std::numeric_limits<float>::min());
  Value normal =
      mul(magnitude, select(isSmall, number(0x1p24), number(1)));
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), normal);
  // The bits of sqrt(1/2): what is above it counts from there.
  Value shifted = arith::SubIOp::create(b, loc, bits, integer(0x3f3504f3));
  Value exponent = arith::ShRSIOp::create(b, loc, shifted, integer(23));
  Value m = arith::BitcastOp::create(
      b, loc, type,
      arith::SubIOp::create(
          b, loc, bits,
          arith::ShLIOp::create(b, loc, exponent, integer(23))));
  Value e = add(arith::SIToFPOp::create(b, loc, type, exponent),
                select(isSmall, number(-24), number(0)));

  Value f = add(m, -1);
  Pair divisor = fastSum(number(2), f);
  Value s = div(f, divisor.high);
  Pair sParts = split(s), dParts = split(divisor.high);
  // What the quotient leaves, exactly.
  Value left = sub(f, mul(sParts.high, dParts.high));
  left = sub(left, mul(sParts.high, dParts.low));
  left = sub(left, mul(sParts.low, dParts.high));
  left = sub(left, mul(sParts.low, dParts.low));
  left = sub(left, mul(s, divisor.low));
  Value sLow = div(left, divisor.high);
  // ln m = 2 s (1 + s^2 / 3 + s^4 / 5 + …)
  Value square = mul(s, s);
  Value series = mul(square, polynomial(square, {2.0 / 13, 2.0 / 11, 2.0 / 9,
                                                 2.0 / 7, 2.0 / 5, 2.0 / 3}));
  Pair ln = fastSum(mul(s, 2), add(mul(s, series), mul(sLow, 2)));

  // Times 1 / ln 2, in two parts.
  constexpr double factor = 1.4426950408889634;
  double top = 0x1.714p0; // 12 bits
  Pair lnParts = split(ln.high);
  Value low = mul(lnParts.low, factor);
  low = add(low, mul(lnParts.high, factor - top));
  low = add(low, mul(ln.low, factor));
  Pair fraction = fastSum(mul(lnParts.high, top), low);
  // The exponent is 0 or larger than the fraction.
  Value sum = add(e, fraction.high);
  Value lost = add(sub(fraction.high, sub(sum, e)), fraction.low);
  return fastSum(sum, lost);
}

/// 2^(x + rest), 0 and infinity beyond the range.
Value Formula::exp2(Value x, Value rest) {
  Value bounded = clamp(x, 300);
  Value n = math::RoundEvenOp::create(b, loc, bounded);
  Value r = add(sub(bounded, n), clamp(rest, 1));
  Value power = math::ExpOp::create(b, loc, mul(r, M_LN2));
  Value whole = arith::FPToSIOp::create(b, loc, b.getI32Type(), n);
  // In parts that are all in range; the last product alone is rounded.
  for (unsigned part = 3; part > 0; --part) {
    Value step = whole;
    if (part > 1) {
      step = arith::MaxSIOp::create(b, loc, whole, integer(-100));
      step = arith::MinSIOp::create(b, loc, step, integer(100));
      whole = arith::SubIOp::create(b, loc, whole, step);
    }
    power = mul(power, powerOfTwo(step));
  }
  return power;
}

Value Formula::powf(Value x, Value y) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Value magnitude = abs(x);
  Pair log = log2(magnitude);
  // Beyond 2^60, a power is 0, 1 or infinite.
  Value bounded = clamp(y, 0x1p60);
  Pair yParts = split(bounded), logParts = split(log.high);
  Value high = mul(yParts.high, logParts.high);
  Value low = add(mul(yParts.high, logParts.low), mul(yParts.low, log.high));
  low = add(low, mul(bounded, log.low));
  Pair product = fastSum(high, low);
  Value result = exp2(product.high, product.low);

  Value isZero = compare(P::OEQ, magnitude, 0.0);
  Value isInfinite = compare(P::OEQ, magnitude, inf);
  Value grows = compare(P::OGT, y, 0.0);
  Value limit = select(grows, number(0), number(inf));
  result = select(isZero, limit, result);
  result = select(isInfinite, select(grows, number(inf), number(0)), result);
  // Of a negative number there are the powers of integers.
  Value isWhole =
      compare(P::OEQ, math::FloorOp::create(b, loc, y).getResult(), y);
  Value half = mul(y, 0.5);
  Value isOdd = both(
      isWhole,
      compare(P::ONE, math::FloorOp::create(b, loc, half).getResult(), half));
  result = select(isOdd, copySign(result, x), result);
  Value isNegative = both(compare(P::OLT, x, 0.0),
                          compare(P::OGT, x, -inf));
  Value truth = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value isNoPower =
      both(isNegative, arith::XOrIOp::create(b, loc, isWhole, truth));
  Value isUnknown = compare(P::UNO, x, y);
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  result = select(either(isNoPower, isUnknown), nan, result);
  Value isOne =
      either(compare(P::OEQ, x, 1.0), compare(P::OEQ, y, 0.0));
  return select(isOne, number(1), result);
}

/// The arc of the smaller side over the larger one, in its octant.
Value Formula::atan2(Value y, Value x) {
  Value height = abs(y), width = abs(x);
  Value isSteep = compare(P::OGT, height, width);
  Value large = select(isSteep, height, width);
  Value small = select(isSteep, width, height);
  // Equal sides, zeros and infinities too, are 45 degrees, or none.
  Value ratio = div(small, large);
  Value isEqual = compare(P::OEQ, small, large);
  Value isZero = compare(P::OEQ, large, 0.0);
  ratio = select(isEqual, number(1), ratio);
  ratio = select(isZero, number(0), ratio);
  Value angle = math::AtanOp::create(b, loc, ratio);
  angle = select(isSteep, sub(number(M_PI_2), angle), angle);
  Value isLeft = compare(P::OLT, copySign(number(1), x), 0.0);
  angle = select(isLeft, sub(number(M_PI), angle), angle);
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  return select(compare(P::UNO, x, y), nan, copySign(angle, y));
}

/// A power, and one step of Newton's.
Value Formula::cbrt(Value x) {
  Value magnitude = abs(x);
  Value log = math::LogOp::create(b, loc, magnitude);
  Value root = math::ExpOp::create(b, loc, mul(log, 1.0 / 3));
  Value error = sub(root, div(magnitude, mul(root, root)));
  root = copySign(sub(root, mul(error, 1.0 / 3)), x);
  // Zeros, infinities and NaN are their own roots.
  Value isPlain = both(
      compare(P::OGT, magnitude, 0.0),
      compare(P::OLT, magnitude, std::numeric_limits<double>::infinity()));
  return select(isPlain, root, x);
}

/// t exp(-z^2 + P(t)), t = 1 / (1 + z / 2) (Numerical Recipes, 6.2).
Value Formula::erfc(Value x) {
  Value z = arith::MinimumFOp::create(b, loc, abs(x), number(12));
  Value t = div(number(1), add(mul(z, 0.5), 1));
  Value p = polynomial(t, {0.17087277, -0.82215223, 1.48851587, -1.13520398,
                           0.27886807, -0.18628806, 0.09678418, 0.37409196,
                           1.00002368, -1.26551223});
  // z^2 in two parts, of which the first one is exact.
  Pair parts = split(z);
  Value rest = mul(parts.low, add(z, parts.high));
  Value value = mul(
      t, mul(math::ExpOp::create(b, loc, neg(mul(parts.high, parts.high))),
             math::ExpOp::create(b, loc, sub(p, rest))));
  return select(compare(P::OLT, x, 0.0), sub(number(2), value), value);
}

/// ln (|x| + sqrt(x^2 + 1)) as log1p, which loses nothing next to 0.
Value Formula::asinh(Value x) {
  Value magnitude = abs(x);
  Value bounded = arith::MinimumFOp::create(b, loc, magnitude, number(0x1p40));
  Value square = mul(bounded, bounded);
  Value root = math::SqrtOp::create(b, loc, add(square, 1));
  Value near = log1p(add(bounded, div(square, add(root, 1))));
  Value far = add(math::LogOp::create(b, loc, magnitude).getResult(), M_LN2);
  Value value =
      select(compare(P::OGT, magnitude, 0x1p30), far, near);
  return copySign(value, x);
}

Value Formula::acosh(Value x) {
  Value t = add(arith::MinimumFOp::create(b, loc, x, number(0x1p40)), -1);
  Value root = math::SqrtOp::create(b, loc, add(mul(t, 2), mul(t, t)));
  Value near = log1p(add(t, root));
  Value far = add(math::LogOp::create(b, loc, x).getResult(), M_LN2);
  Value value = select(compare(P::OGT, x, 0x1p30), far, near);
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  return select(compare(P::ULT, x, 1.0), nan, value);
}

Value Formula::atanh(Value x) {
  Value magnitude = abs(x);
  Value ratio =
      div(mul(magnitude, 2), sub(number(1), magnitude));
  return copySign(mul(log1p(ratio), 0.5), x);
}

Value Formula::fromUnsigned(Value x, Type to) {
  Type word = b.getI32Type();
  auto right = [&](Value value, int32_t by) -> Value {
    return arith::ShRUIOp::create(b, loc, value, integer(by));
  };
  auto low = [&](Value value, int32_t mask) -> Value {
    return arith::AndIOp::create(b, loc, value, integer(mask));
  };
  auto convert = [&](Value value) -> Value {
    Value top = arith::SIToFPOp::create(b, loc, type, right(value, 16));
    Value rest = arith::SIToFPOp::create(b, loc, type, low(value, 0xffff));
    return add(mul(top, 65536), rest);
  };
  if (to == type)
    return convert(x);
  auto isSet = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value,
                                 integer(0));
  };
  Value lost = arith::ExtUIOp::create(b, loc, word, isSet(low(x, 0xff)));
  Value kept = arith::OrIOp::create(b, loc, right(x, 8), lost);
  Value isLong = isSet(right(x, 24));
  Value exact = convert(select(isLong, kept, x));
  Value result = arith::TruncFOp::create(b, loc, to, exact);
  // Beyond its range, f16 is infinite before and behind.
  Value scale = arith::TruncFOp::create(b, loc, to,
                                        select(isLong, number(256), number(1)));
  return arith::MulFOp::create(b, loc, result, scale);
}

/// Saturates, and makes 0 of a NaN, as the signed conversion does.
Value Formula::toUnsigned(Value x) {
  Type word = b.getI32Type();
  Value isLarge = compare(P::OGE, x, 0x1p31);
  Value near = arith::FPToSIOp::create(
      b, loc, word, arith::MaximumFOp::create(b, loc, x, number(0)));
  Value far = arith::FPToSIOp::create(b, loc, word, add(x, -0x1p31));
  Value sign = integer(std::numeric_limits<int32_t>::min());
  return select(isLarge, arith::AddIOp::create(b, loc, far, sign), near);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Bits of an integer at one place.
class Bits {
public:
  Bits(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(type), width(type.getIntOrFloatBitWidth()) {}

  /// Sums of 1, 2, 4 … neighbours.
  Value count(Value x) {
    x = arith::SubIOp::create(b, loc, x, keep(right(x, 1), 1));
    x = add(keep(x, 2), keep(right(x, 2), 2));
    x = keep(add(x, right(x, 4)), 4);
    for (unsigned shift = 8; shift < width; shift *= 2)
      x = add(x, right(x, shift));
    return arith::AndIOp::create(b, loc, x, constant(width * 2 - 1));
  }
  /// Those that no 1 is in front of.
  Value countLeading(Value x) {
    for (unsigned shift = 1; shift < width; shift *= 2)
      x = arith::OrIOp::create(b, loc, x, right(x, shift));
    return count(complement(x));
  }
  Value countTrailing(Value x) {
    Value before = arith::SubIOp::create(b, loc, x, constant(1));
    return count(arith::AndIOp::create(b, loc, complement(x), before));
  }

private:
  Value constant(uint64_t value) {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(type, APInt(width, value, false, true)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value right(Value x, unsigned by) {
    return arith::ShRUIOp::create(b, loc, x, constant(by));
  }
  Value complement(Value x) {
    return arith::SubIOp::create(b, loc, constant(~uint64_t(0)), x);
  }
  /// The lower one of each two groups of so many bits.
  Value keep(Value x, unsigned bits) {
    APInt mask = APInt::getSplat(width, APInt::getLowBitsSet(bits * 2, bits));
    return arith::AndIOp::create(
        b, loc, x,
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, mask)));
  }

  OpBuilder &b;
  Location loc;
  Type type;
  unsigned width;
};
} // namespace

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Computes in f32, and rounds once more to what is narrower.
template <typename OpTy>
struct ExpandFloat : OpRewritePattern<OpTy> {
  using Function = Value (*)(Formula &, ValueRange);
  ExpandFloat(MLIRContext *context, Function function)
      : OpRewritePattern<OpTy>(context), function(function) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() > 32)
      return failure();
    Location loc = op.getLoc();
    Type single = rewriter.getF32Type();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          type == single ? operand
                         : arith::ExtFOp::create(rewriter, loc, single, operand)
                               .getResult());
    Formula formula(rewriter, loc);
    Value value = function(formula, operands);
    if (type != single)
      value = arith::TruncFOp::create(rewriter, loc, type, value);
    rewriter.replaceOp(op, value);
    return success();
  }
  Function function;
};

template <typename OpTy>
struct ExpandBits : OpRewritePattern<OpTy> {
  using Function = Value (Bits::*)(Value);
  ExpandBits(MLIRContext *context, Function function)
      : OpRewritePattern<OpTy>(context), function(function) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isInteger() || type.getIntOrFloatBitWidth() < 8)
      return failure();
    Bits bits(rewriter, op.getLoc(), type);
    rewriter.replaceOp(op, (bits.*function)(op.getOperand()));
    return success();
  }
  Function function;
};

/// Squares are exact products.
struct ExpandSquare : OpRewritePattern<math::PowFOp> {
  ExpandSquare(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    APFloat exponent(0.0);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&exponent)) ||
        !exponent.isExactlyValue(2.0))
      return failure();
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), op.getLhs(),
                                               op.getFastmathAttr());
    return success();
  }
};

/// Numbers of 32 bits without a sign, as the sum of their halves. Those beyond
/// 24 bits keep in their last bit that others were not 0, so that what is
/// narrower than f32 is rounded once.
struct ExpandFromUnsigned : OpRewritePattern<arith::UIToFPOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::UIToFPOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() > 32 || !op.getIn().getType().isInteger(32))
      return failure();
    Formula formula(rewriter, op.getLoc());
    rewriter.replaceOp(op, formula.fromUnsigned(op.getIn(), type));
    return success();
  }
};

struct ExpandToUnsigned : OpRewritePattern<arith::FPToUIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::FPToUIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getIn().getType());
    if (!type || type.getWidth() > 32 || !op.getType().isInteger(32))
      return failure();
    Value x = op.getIn();
    Type single = rewriter.getF32Type();
    if (type != single)
      x = arith::ExtFOp::create(rewriter, op.getLoc(), single, x);
    Formula formula(rewriter, op.getLoc());
    rewriter.replaceOp(op, formula.toUnsigned(x));
    return success();
  }
};

/// Of approximations, one with two roundings is enough: the vector unit has no
/// instruction that is known to round once.
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    auto flags = op.getFastmath();
    if (!bitEnumContainsAny(flags, arith::FastMathFlags::afn))
      return failure();
    flags = flags | arith::FastMathFlags::contract;
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(),
                                          op.getB(), flags);
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC(), flags);
    return success();
  }
};

struct ExpandSinCos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto flags = op.getFastmathAttr();
    rewriter.replaceOp(op, {math::SinOp::create(rewriter, loc, x, flags),
                            math::CosOp::create(rewriter, loc, x, flags)});
    return success();
  }
};
} // namespace

void mlir::tile::ascend::expandFunctions(tl::ParallelOp op) {
  MLIRContext *context = op.getContext();
  RewritePatternSet patterns(context);
  tl::populateExpandIntegerPowerPatterns(patterns, /*withConstants=*/true);
  patterns.add<ExpandSquare, ExpandFma, ExpandSinCos, ExpandFromUnsigned,
               ExpandToUnsigned>(context);
  patterns.add<ExpandFloat<math::PowFOp>>(
      context, [](Formula &f, ValueRange x) { return f.powf(x[0], x[1]); });
  patterns.add<ExpandFloat<math::Atan2Op>>(
      context, [](Formula &f, ValueRange x) { return f.atan2(x[0], x[1]); });
  patterns.add<ExpandFloat<math::CbrtOp>>(
      context, [](Formula &f, ValueRange x) { return f.cbrt(x[0]); });
  patterns.add<ExpandFloat<math::ErfcOp>>(
      context, [](Formula &f, ValueRange x) { return f.erfc(x[0]); });
  patterns.add<ExpandFloat<math::AsinhOp>>(
      context, [](Formula &f, ValueRange x) { return f.asinh(x[0]); });
  patterns.add<ExpandFloat<math::AcoshOp>>(
      context, [](Formula &f, ValueRange x) { return f.acosh(x[0]); });
  patterns.add<ExpandFloat<math::AtanhOp>>(
      context, [](Formula &f, ValueRange x) { return f.atanh(x[0]); });
  patterns.add<ExpandBits<math::CtPopOp>>(context, &Bits::count);
  patterns.add<ExpandBits<math::CountLeadingZerosOp>>(context,
                                                      &Bits::countLeading);
  patterns.add<ExpandBits<math::CountTrailingZerosOp>>(context,
                                                       &Bits::countTrailing);
  walkAndApplyPatterns(op, std::move(patterns));
}
