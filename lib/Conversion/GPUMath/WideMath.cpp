//===- WideMath.cpp - functions on f32 and f64, computed in f64 -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three kernels in f64 serve most functions: exp, log and atan, to about 2^-36,
// so that what is rounded to f32 is within 0.51 ulp. No f32 is subnormal in f64
// and nothing between overflows. Small arguments of odd functions, where the
// kernels would cancel, take the first terms of their series. Exponentials and
// logarithms of f64 have kernels of their own, within 3 ulp.
//
//===----------------------------------------------------------------------===//

#include "WideMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace {

using P = arith::CmpFPredicate;

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLn2High = 0x1.62e42fefap-1;
constexpr double kLn2Low = 0x1.cf79abc9e3b39p-40;
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLog10E = 0x1.bcb7b1526e50ep-2;
constexpr double kLog10Of2High = 0x1.344135090p-2;
constexpr double kLog10Of2Low = 0x1.ef3fde623e256p-35;
constexpr double kPi = 0x1.921fb54442d18p+1;

/// Builds f64 arithmetic on scalars or vectors of one shape.
struct Wide {
  Wide(OpBuilder &b, Location loc, Type narrow)
      : b(b), loc(loc), narrow(narrow), type(withElement(b.getF64Type())) {}

  Type withElement(Type element) {
    if (auto shaped = dyn_cast<ShapedType>(narrow))
      return shaped.clone(element);
    return element;
  }

  Value constant(double v) { return splat(b.getF64FloatAttr(v), type); }
  Value integer(int64_t v) {
    return splat(b.getI64IntegerAttr(v), withElement(b.getI64Type()));
  }
  Value splat(TypedAttr attr, Type as) {
    if (auto shaped = dyn_cast<ShapedType>(as))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }

  Value widen(Value x) { return arith::ExtFOp::create(b, loc, type, x); }
  Value round(Value x) { return arith::TruncFOp::create(b, loc, narrow, x); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value add(Value x, double y) { return add(x, constant(y)); }
  Value sub(double x, Value y) { return sub(constant(x), y); }
  Value mul(Value x, double y) { return mul(x, constant(y)); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value withSign(Value x, Value sign) {
    return math::CopySignOp::create(b, loc, x, sign);
  }
  Value compare(P predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value compare(P predicate, Value x, double y) {
    return compare(predicate, x, constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value either(Value x, Value y) {
    return arith::OrIOp::create(b, loc, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }

  /// c0 + c1 x + …
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(c));
    return sum;
  }

  Value exp(Value x);
  Value log(Value x);
  Value atan2(Value y, Value x);

  /// 2^n (1 + r q), rounded once, for a whole n of at most 2000.
  Value scale(Value n, Value r, Value q);
  Value powerOfTwo(Value n);
  /// A whole number as integer; 0 for NaN, of which LLVM has none.
  Value toInteger(Value n);
  Value clamp(Value x, double limit);
  /// log x = e ln 2 + rest, for x > 0.
  struct Logarithm {
    Value e, rest;
  };
  Logarithm splitLog(Value x);
  /// What `result` is for x > 0, and the values at and below 0.
  Value logDomain(Value x, Value result);

  /// `value` where |x| is at least `least`, and the odd series x (1 + c x^2)
  /// below.
  Value oddBelow(Value x, double least, double c, Value value) {
    Value series = fma(mul(mul(x, x), c), x, x);
    // The sum of two zeros has lost the sign.
    return select(compare(P::OLT, abs(x), least), withSign(series, x), value);
  }

  OpBuilder &b;
  Location loc;
  Type narrow, type;
};

/// Arguments beyond 200 give what f32 cannot hold.
Value Wide::exp(Value x) {
  Value limit = constant(200), lower = constant(-200);
  x = select(compare(P::OGT, x, limit), limit, x);
  x = select(compare(P::OLT, x, lower), lower, x);
  Value n = math::RoundEvenOp::create(b, loc, mul(x, kLog2E));
  Value minusN = arith::NegFOp::create(b, loc, n);
  Value r = fma(minusN, constant(kLn2High), x);
  r = fma(minusN, constant(kLn2Low), r);
  Value sum = polynomial(r, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120,
                             1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                             1.0 / 362880});
  Value power = toInteger(n);
  power = arith::AddIOp::create(b, loc, power, integer(1023));
  power = arith::ShLIOp::create(b, loc, power, integer(52));
  return mul(sum, arith::BitcastOp::create(b, loc, type, power));
}

/// Not for subnormal numbers.
Value Wide::log(Value x) {
  Type ints = withElement(b.getI64Type());
  // x = 2^e m with m between the roots of 1/2 and 2.
  Value bits = arith::BitcastOp::create(b, loc, ints, x);
  Value root = integer(0x3fe6a09e667f3bcd);
  Value offset = arith::SubIOp::create(b, loc, bits, root);
  Value e = arith::ShRSIOp::create(b, loc, offset, integer(52));
  Value whole = arith::ShLIOp::create(b, loc, e, integer(52));
  Value m = arith::SubIOp::create(b, loc, bits, whole);
  m = arith::BitcastOp::create(b, loc, type, m);
  // log m = 2 atanh((m - 1) / (m + 1))
  Value s = div(add(m, -1.0), add(m, 1.0));
  Value sum = polynomial(mul(s, s), {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9,
                                     2.0 / 11, 2.0 / 13, 2.0 / 15});
  Value exponent = arith::SIToFPOp::create(b, loc, type, e);
  Value result = fma(exponent, constant(kLn2High),
                     fma(exponent, constant(kLn2Low), mul(s, sum)));
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  // Infinity and NaN stay what they are.
  result = select(compare(P::OLT, x, infinity), result, x);
  result = select(compare(P::OLT, x, 0.0), constant(nan), result);
  return select(compare(P::OEQ, x, 0.0), constant(-infinity), result);
}

/// The angle of a point, as C defines atan2. What is divided is at most 1; of
/// two zeros and of two infinities, the ratio is 0 and 1.
Value Wide::atan2(Value y, Value x) {
  Value ay = abs(y), ax = abs(x);
  Value steep = compare(P::OGT, ay, ax);
  Value low = select(steep, ax, ay), high = select(steep, ay, ax);
  Value ratio = div(low, high);
  ratio = select(compare(P::OEQ, low, high), constant(1.0), ratio);
  ratio = select(compare(P::OEQ, high, 0.0), constant(0.0), ratio);
  // atan t = atan a + atan((t - a) / (1 + a t)) with a = 0, tan(pi/8) and 1
  constexpr double kMiddle = 0x1.a827999fcef32p-2;
  constexpr double kFirst = 0x1.975f5e0553158p-3;  // tan(pi/16)
  constexpr double kSecond = 0x1.561b82ab7f990p-1; // tan(3 pi/16)
  Value past = compare(P::OGT, ratio, kFirst);
  Value farPast = compare(P::OGT, ratio, kSecond);
  Value a = select(past, constant(kMiddle), constant(0.0));
  a = select(farPast, constant(1.0), a);
  Value base = select(past, constant(kPi / 8), constant(0.0));
  base = select(farPast, constant(kPi / 4), base);
  Value t = div(sub(ratio, a), fma(a, ratio, constant(1.0)));
  Value sum = polynomial(mul(t, t), {1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9,
                                     -1.0 / 11, 1.0 / 13});
  Value angle = fma(t, sum, base);
  angle = select(steep, sub(kPi / 2, angle), angle);
  // The sign of a zero counts.
  Value side = withSign(constant(1.0), x);
  Value left = compare(P::OLT, side, 0.0);
  angle = select(left, sub(kPi, angle), angle);
  Value nan = compare(P::UNO, x, y);
  return select(nan, add(x, y), withSign(angle, y));
}

//===----------------------------------------------------------------------===//
// Functions on f64
//===----------------------------------------------------------------------===//

Value Wide::clamp(Value x, double limit) {
  Value most = constant(limit), least = constant(-limit);
  x = select(compare(P::OGT, x, most), most, x);
  return select(compare(P::OLT, x, least), least, x);
}

Value Wide::powerOfTwo(Value n) {
  Value biased = arith::AddIOp::create(b, loc, n, integer(1023));
  Value bits = arith::ShLIOp::create(b, loc, biased, integer(52));
  return arith::BitcastOp::create(b, loc, type, bits);
}

Value Wide::toInteger(Value n) {
  Value number = select(compare(P::ORD, n, n), n, constant(0));
  return arith::FPToSIOp::create(b, loc, withElement(b.getI64Type()), number);
}

Value Wide::scale(Value n, Value r, Value q) {
  Value whole = toInteger(n);
  // In two steps, the first of which is exact but for the sum.
  Value half = arith::ShRSIOp::create(b, loc, whole, integer(1));
  Value rest = arith::SubIOp::create(b, loc, whole, half);
  Value power = powerOfTwo(half);
  return mul(fma(mul(r, power), q, power), powerOfTwo(rest));
}

/// (exp r - 1) / r for |r| <= 1/2.
Value expRest(Wide &w, Value r) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int k = 1; k <= 15; ++k)
    coefficients.push_back(1 / (factorial *= k));
  return w.polynomial(r, coefficients);
}

Value exp64(Wide &w, Value x) {
  x = w.clamp(x, 1000);
  Value n = math::RoundEvenOp::create(w.b, w.loc, w.mul(x, kLog2E));
  Value minusN = arith::NegFOp::create(w.b, w.loc, n);
  Value r = w.fma(minusN, w.constant(kLn2High), x);
  r = w.fma(minusN, w.constant(kLn2Low), r);
  return w.scale(n, r, expRest(w, r));
}

Value exp2To64(Wide &w, Value x) {
  x = w.clamp(x, 1500);
  Value n = math::RoundEvenOp::create(w.b, w.loc, x);
  Value rest = arith::SubFOp::create(w.b, w.loc, x, n);
  Value r = w.mul(rest, kLn2);
  return w.scale(n, r, expRest(w, r));
}

Value expM1To64(Wide &w, Value x) {
  Value small = w.compare(P::OLT, w.abs(x), 0.5);
  Value series = w.mul(expRest(w, w.clamp(x, 0.5)), x);
  return w.select(small, series, w.add(exp64(w, x), -1.0));
}

Value tanh64(Wide &w, Value x) {
  Value a = w.abs(x);
  Value e = expM1To64(w, w.mul(w.clamp(a, 30), 2.0));
  Value ratio = w.div(e, w.add(e, 2.0));
  return w.withSign(ratio, x);
}

Wide::Logarithm Wide::splitLog(Value x) {
  Type ints = withElement(b.getI64Type());
  // Subnormal numbers are made normal.
  Value tiny = compare(P::OLT, x, std::numeric_limits<double>::min());
  x = select(tiny, mul(x, 0x1p54), x);
  Value bits = arith::BitcastOp::create(b, loc, ints, x);
  Value offset =
      arith::SubIOp::create(b, loc, bits, integer(0x3fe6a09e667f3bcd));
  Value e = arith::ShRSIOp::create(b, loc, offset, integer(52));
  Value whole = arith::ShLIOp::create(b, loc, e, integer(52));
  Value m = arith::BitcastOp::create(
      b, loc, type, arith::SubIOp::create(b, loc, bits, whole));
  // log(1 + f) = f - (f^2/2 - s (f^2/2 + R)) with s = f / (2 + f)
  Value f = add(m, -1.0);
  Value s = div(f, add(f, 2.0));
  SmallVector<double> coefficients;
  for (int k = 1; k <= 11; ++k)
    coefficients.push_back(2.0 / (2 * k + 1));
  Value square = mul(s, s);
  Value series = mul(polynomial(square, coefficients), square);
  Value half = mul(mul(f, f), 0.5);
  Value minusHalf = arith::NegFOp::create(b, loc, half);
  Value rest = add(f, fma(s, add(half, series), minusHalf));
  Value exponent = arith::SIToFPOp::create(b, loc, type, e);
  return {select(tiny, add(exponent, -54.0), exponent), rest};
}

Value Wide::logDomain(Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  // Infinity and NaN stay what they are.
  result = select(compare(P::OLT, x, infinity), result, x);
  result = select(compare(P::OLT, x, 0.0), constant(nan), result);
  return select(compare(P::OEQ, x, 0.0), constant(-infinity), result);
}

Value finishLog(Wide &w, const Wide::Logarithm &log) {
  return w.fma(log.e, w.constant(kLn2High),
               w.fma(log.e, w.constant(kLn2Low), log.rest));
}

Value log64(Wide &w, Value x) {
  return w.logDomain(x, finishLog(w, w.splitLog(x)));
}

Value log2To64(Wide &w, Value x) {
  Wide::Logarithm log = w.splitLog(x);
  return w.logDomain(x, w.fma(log.rest, w.constant(kLog2E), log.e));
}

Value log1pTo64(Wide &w, Value x) {
  // What rounding 1 + x has lost, in the first order.
  Value sum = w.add(x, 1.0);
  Value back = w.add(sum, -1.0);
  Value lost = arith::SubFOp::create(w.b, w.loc, x, back);
  Value log = w.add(finishLog(w, w.splitLog(sum)), w.div(lost, sum));
  Value small = w.compare(P::OLT, w.abs(x), 0x1p-54);
  return w.select(small, x, w.logDomain(sum, log));
}

/// An op on f64 becomes what `lower` makes of its operand.
template <typename OpTy>
struct InDouble : OpRewritePattern<OpTy> {
  using Lower = Value (*)(Wide &, Value);
  InDouble(MLIRContext *context, Lower lower)
      : OpRewritePattern<OpTy>(context), lower(lower) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return failure();
    Wide w(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, lower(w, op.getOperand()));
    return success();
  }

  Lower lower;
};

//===----------------------------------------------------------------------===//
// Functions on f32
//===----------------------------------------------------------------------===//

using Operands = ValueRange; // in f64

Value lowerExpM1(Wide &w, Operands v) {
  Value x = v[0];
  Value series = w.mul(w.polynomial(x, {1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24}), x);
  Value small = w.compare(P::OLT, w.abs(x), 0x1p-9);
  return w.select(small, series, w.add(w.exp(x), -1.0));
}

Value lowerLog1p(Wide &w, Operands v) {
  Value x = v[0];
  Value series = w.fma(w.mul(x, -0.5), x, x);
  Value small = w.compare(P::OLT, w.abs(x), 0x1p-20);
  return w.select(small, series, w.log(w.add(x, 1.0)));
}

Value lowerTanh(Wide &w, Operands v) {
  Value x = v[0];
  Value e = w.exp(w.mul(x, 2.0));
  Value ratio = w.sub(1.0, w.div(w.constant(2.0), w.add(e, 1.0)));
  return w.oddBelow(x, 0x1p-10, -1.0 / 3, ratio);
}

Value lowerSinh(Wide &w, Operands v) {
  Value x = v[0], e = w.exp(x);
  Value half = w.mul(w.sub(e, w.div(w.constant(1.0), e)), 0.5);
  return w.oddBelow(x, 0x1p-8, 1.0 / 6, half);
}

Value lowerCosh(Wide &w, Operands v) {
  Value e = w.exp(v[0]);
  return w.mul(w.add(e, w.div(w.constant(1.0), e)), 0.5);
}

Value lowerAsinh(Wide &w, Operands v) {
  Value x = v[0], a = w.abs(x);
  Value root = w.sqrt(w.fma(a, a, w.constant(1.0)));
  Value log = w.withSign(w.log(w.add(a, root)), x);
  return w.oddBelow(x, 0x1p-9, -1.0 / 6, log);
}

Value lowerAcosh(Wide &w, Operands v) {
  Value x = v[0];
  Value root = w.sqrt(w.fma(x, x, w.constant(-1.0)));
  Value nan = w.constant(std::numeric_limits<double>::quiet_NaN());
  return w.select(w.compare(P::OLT, x, 1.0), nan, w.log(w.add(x, root)));
}

Value lowerAtanh(Wide &w, Operands v) {
  Value x = v[0];
  Value ratio = w.div(w.add(x, 1.0), w.sub(1.0, x));
  Value log = w.mul(w.log(ratio), 0.5);
  return w.oddBelow(x, 0x1p-9, 1.0 / 3, log);
}

/// The other leg of the triangle with the hypotenuse 1.
Value otherLeg(Wide &w, Value x) {
  return w.sqrt(w.mul(w.sub(1.0, x), w.add(x, 1.0)));
}

Value lowerCbrt(Wide &w, Operands v) {
  Value root = w.exp(w.mul(w.log(w.abs(v[0])), 1.0 / 3));
  Value finite = w.compare(P::OLT, w.abs(v[0]),
                           std::numeric_limits<double>::infinity());
  return w.select(finite, w.withSign(root, v[0]), v[0]);
}

Value lowerPow(Wide &w, Operands v) {
  Value x = v[0], y = v[1], a = w.abs(x);
  Value power = w.mul(w.log(a), y);
  // 1 to any power and any number to the power 0 are 1.
  Value one = w.either(w.compare(P::OEQ, x, 1.0), w.compare(P::OEQ, y, 0.0));
  double infinity = std::numeric_limits<double>::infinity();
  Value minusOne = w.both(w.compare(P::OEQ, x, -1.0),
                          w.compare(P::OEQ, w.abs(y), infinity));
  one = w.either(one, minusOne);
  Value result = w.exp(w.select(one, w.constant(0.0), power));
  Value half = w.mul(y, 0.5);
  Value whole = math::FloorOp::create(w.b, w.loc, y);
  Value even = math::FloorOp::create(w.b, w.loc, half);
  Value isWhole = w.compare(P::OEQ, whole, y);
  Value isOdd = w.both(isWhole, w.compare(P::ONE, even, half));
  // Of a zero, too, the sign counts where the power is odd.
  Value signedResult = w.select(isOdd, w.withSign(result, x), result);
  Value wrong = w.both(w.compare(P::OLT, x, 0.0), w.compare(P::UNE, whole, y));
  wrong = w.both(wrong, w.compare(P::ONE, a, infinity));
  Value nan = w.constant(std::numeric_limits<double>::quiet_NaN());
  return w.select(wrong, nan, signedResult);
}

/// The remainder of the division that rounds to zero, exactly: the quotient is
/// taken 48 bits at a time, so that each step has no error but that of rounding
/// the quotient up.
Value lowerRem(Wide &w, Operands v) {
  Value rest = w.abs(v[0]), divisor = w.abs(v[1]);
  for (int step = 5; step >= 0; --step) {
    Value scaled = w.mul(divisor, std::ldexp(1.0, 48 * step));
    Value quotient =
        math::TruncOp::create(w.b, w.loc, w.div(rest, scaled));
    Value minus = arith::NegFOp::create(w.b, w.loc, quotient);
    rest = w.fma(minus, scaled, rest);
    rest = w.select(w.compare(P::OLT, rest, 0.0), w.add(rest, scaled), rest);
  }
  // Nothing is left out of an infinite divisor.
  double infinity = std::numeric_limits<double>::infinity();
  Value whole = w.both(w.compare(P::OEQ, divisor, infinity),
                       w.compare(P::OLT, w.abs(v[0]), infinity));
  return w.withSign(w.select(whole, w.abs(v[0]), rest), v[0]);
}

/// An op on f32 becomes what `lower` makes of its operands in f64.
template <typename OpTy> struct InWide : OpRewritePattern<OpTy> {
  using Lower = Value (*)(Wide &, Operands);
  InWide(MLIRContext *context, Lower lower)
      : OpRewritePattern<OpTy>(context), lower(lower) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    bool isHalf = element.isF16() && std::is_same_v<OpTy, arith::RemFOp>;
    if (!element.isF32() && !isHalf)
      return failure();
    Wide w(rewriter, op.getLoc(), op.getType());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(w.widen(operand));
    rewriter.replaceOp(op, w.round(lower(w, operands)));
    return success();
  }

  Lower lower;
};

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// x - q pi/2 and the integer q, of which the low two bits count.
struct Reduced {
  Value angle; // f64
  Value quarter; // i64
};

/// By products with pi/2 in two parts; for |x| < 2^31.
Reduced reduceSmall(Wide &w, Value x) {
  Value n = math::RoundEvenOp::create(w.b, w.loc, w.mul(x, 2 / kPi));
  Value minusN = arith::NegFOp::create(w.b, w.loc, n);
  Value r = w.fma(minusN, w.constant(kPi / 2), x);
  r = w.fma(minusN, w.constant(0x1.1a62633145c07p-54), r);
  return {r, arith::FPToSIOp::create(w.b, w.loc, w.b.getI64Type(), n)};
}

/// From 2^31 on, by those 96 bits of 2/pi that tell x * 2/pi modulo 4: the bits
/// before only make multiples of 4, those after it too little to matter.
Reduced reduceLarge(Wide &w, Value narrow) {
  static constexpr uint32_t twoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                           0xf534ddc0, 0xdb629599, 0x3c439041,
                                           0xfe5163ab};
  OpBuilder &b = w.b;
  Location loc = w.loc;
  Type i64 = b.getI64Type();
  auto constant = [&](int64_t v) { return w.integer(v); };
  auto shl = [&](Value x, Value y) -> Value {
    return arith::ShLIOp::create(b, loc, x, y);
  };
  auto shr = [&](Value x, Value y) -> Value {
    return arith::ShRUIOp::create(b, loc, x, y);
  };
  auto bitAnd = [&](Value x, int64_t y) -> Value {
    return arith::AndIOp::create(b, loc, x, constant(y));
  };
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), narrow);
  bits = arith::ExtUIOp::create(b, loc, i64, bits);
  Value exponent = bitAnd(shr(bits, constant(23)), 255);
  Value mantissa = arith::OrIOp::create(b, loc, bitAnd(bits, 0x7fffff),
                                        constant(0x800000));
  // x = mantissa * 2^(exponent - 150); the window begins two bits before.
  Value first = arith::SubIOp::create(b, loc, exponent, constant(152));
  Value index = shr(first, constant(5)), shift = bitAnd(first, 31);
  auto word = [&](int k) {
    Value result = constant(twoOverPi[k]);
    for (int i = 1; i <= 3; ++i) {
      Value here = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq, index, constant(i));
      result = arith::SelectOp::create(b, loc, here, constant(twoOverPi[k + i]),
                                       result);
    }
    return result;
  };
  auto window = [&](Value high, Value low) {
    Value both = arith::OrIOp::create(b, loc, shl(high, constant(32)), low);
    return shr(shl(both, shift), constant(32));
  };
  Value words[4] = {word(0), word(1), word(2), word(3)};
  auto product = [&](int k) -> Value {
    return arith::MulIOp::create(b, loc, mantissa,
                                 window(words[k], words[k + 1]));
  };
  Value low = product(2);
  Value middle =
      arith::AddIOp::create(b, loc, product(1), shr(low, constant(32)));
  Value high =
      arith::AddIOp::create(b, loc, product(0), shr(middle, constant(32)));
  // x * 2/pi modulo 4, in units of 2^-62.
  Value turn = arith::OrIOp::create(b, loc, shl(high, constant(32)),
                                    bitAnd(middle, 0xffffffff));
  Value quarter = arith::AddIOp::create(b, loc, turn,
                                        constant(int64_t(1) << 61));
  quarter = shr(quarter, constant(62));
  Value rest =
      arith::SubIOp::create(b, loc, turn, shl(quarter, constant(62)));
  Value angle = arith::SIToFPOp::create(b, loc, w.type, rest);
  angle = w.mul(angle, kPi * 0x1p-63);
  // Of the magnitude only, so far.
  Value isNegative = w.compare(P::OLT, w.widen(narrow), 0.0);
  Value minusQuarter = arith::SubIOp::create(b, loc, constant(0), quarter);
  return {w.select(isNegative, arith::NegFOp::create(b, loc, angle), angle),
          w.select(isNegative, minusQuarter, quarter)};
}

Reduced reduce(Wide &w, Value narrow) {
  Value x = w.widen(narrow);
  Value isLarge = w.compare(P::OGE, w.abs(x), 0x1p31);
  auto branch = scf::IfOp::create(w.b, w.loc, {w.type, w.b.getI64Type()},
                                  isLarge, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(w.b);
  w.b.setInsertionPointToStart(branch.thenBlock());
  Reduced large = reduceLarge(w, narrow);
  scf::YieldOp::create(w.b, w.loc, ValueRange{large.angle, large.quarter});
  w.b.setInsertionPointToStart(branch.elseBlock());
  Reduced small = reduceSmall(w, x);
  scf::YieldOp::create(w.b, w.loc, ValueRange{small.angle, small.quarter});
  return {branch.getResult(0), branch.getResult(1)};
}

/// Sine or cosine, by adding a quarter turn. NaN for infinities.
Value lowerTrig(Wide &w, Value narrow, const Reduced &reduced, int shift) {
  Value r = reduced.angle, square = w.mul(r, r);
  Value sine = w.polynomial(square, {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040,
                                     1.0 / 362880, -1.0 / 39916800});
  sine = w.mul(sine, r);
  Value cosine = w.polynomial(square, {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720,
                                       1.0 / 40320, -1.0 / 3628800});
  Value quarter = arith::AddIOp::create(w.b, w.loc, reduced.quarter,
                                        w.integer(shift));
  auto hasBit = [&](int64_t bit) -> Value {
    Value set = arith::AndIOp::create(w.b, w.loc, quarter, w.integer(bit));
    return arith::CmpIOp::create(w.b, w.loc, arith::CmpIPredicate::ne, set,
                                 w.integer(0));
  };
  Value result = w.select(hasBit(1), cosine, sine);
  result = w.select(hasBit(2), arith::NegFOp::create(w.b, w.loc, result),
                    result);
  Value x = w.widen(narrow);
  Value finite = w.compare(P::OLT, w.abs(x),
                           std::numeric_limits<double>::infinity());
  // Subtracting an infinity from itself gives NaN, and NaN stays.
  return w.select(finite, result, w.sub(x, x));
}

/// Element by element: arguments differ in how they are reduced.
template <typename OpTy> struct LowerTrigOp : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOp(op, lower(rewriter, op.getLoc(), op.getOperand()));
      return success();
    }
    if (vector.getRank() != 1 || vector.isScalable())
      return failure();
    Value result = arith::ConstantOp::create(rewriter, op.getLoc(),
                                             rewriter.getZeroAttr(vector));
    for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
      Value x = vector::ExtractOp::create(rewriter, op.getLoc(),
                                          op.getOperand(), i);
      result = vector::InsertOp::create(
          rewriter, op.getLoc(), lower(rewriter, op.getLoc(), x), result, i);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value lower(OpBuilder &b, Location loc, Value x) {
    Wide w(b, loc, x.getType());
    Reduced reduced = reduce(w, x);
    Value wide = w.widen(x);
    if constexpr (std::is_same_v<OpTy, math::CosOp>)
      return w.round(lowerTrig(w, x, reduced, 1));
    Value sine = lowerTrig(w, x, reduced, 0);
    if constexpr (std::is_same_v<OpTy, math::SinOp>)
      return w.round(w.oddBelow(wide, 0x1p-12, -1.0 / 6, sine));
    Value tangent = w.div(sine, lowerTrig(w, x, reduced, 1));
    return w.round(w.oddBelow(wide, 0x1p-12, 1.0 / 3, tangent));
  }
};

} // namespace

void tile::populateWideMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  auto add = [&](auto tag, auto lower) {
    patterns.add<InWide<decltype(tag)>>(context, lower);
  };
  add(math::ExpM1Op(), lowerExpM1);
  add(math::Log1pOp(), lowerLog1p);
  add(math::TanhOp(), lowerTanh);
  add(math::SinhOp(), lowerSinh);
  add(math::CoshOp(), lowerCosh);
  add(math::AsinhOp(), lowerAsinh);
  add(math::AcoshOp(), lowerAcosh);
  add(math::AtanhOp(), lowerAtanh);
  add(math::CbrtOp(), lowerCbrt);
  add(math::PowFOp(), lowerPow);
  add(math::LogOp(), [](Wide &w, Operands v) { return w.log(v[0]); });
  add(math::Log2Op(),
      [](Wide &w, Operands v) { return w.mul(w.log(v[0]), kLog2E); });
  add(math::Log10Op(),
      [](Wide &w, Operands v) { return w.mul(w.log(v[0]), kLog10E); });
  add(math::AtanOp(),
      [](Wide &w, Operands v) { return w.atan2(v[0], w.constant(1.0)); });
  add(math::Atan2Op(), [](Wide &w, Operands v) { return w.atan2(v[0], v[1]); });
  add(math::AsinOp(),
      [](Wide &w, Operands v) { return w.atan2(v[0], otherLeg(w, v[0])); });
  add(math::AcosOp(),
      [](Wide &w, Operands v) { return w.atan2(otherLeg(w, v[0]), v[0]); });
  add(arith::RemFOp(), lowerRem);
  auto addDouble = [&](auto tag, auto lower) {
    patterns.add<InDouble<decltype(tag)>>(context, lower);
  };
  addDouble(math::ExpOp(), exp64);
  addDouble(math::Exp2Op(), exp2To64);
  addDouble(math::ExpM1Op(), expM1To64);
  addDouble(math::TanhOp(), tanh64);
  addDouble(math::LogOp(), log64);
  addDouble(math::Log2Op(), log2To64);
  addDouble(math::Log10Op(), [](Wide &w, Value x) {
    Wide::Logarithm log = w.splitLog(x);
    Value rest =
        w.fma(log.e, w.constant(kLog10Of2Low), w.mul(log.rest, kLog10E));
    return w.logDomain(x, w.fma(log.e, w.constant(kLog10Of2High), rest));
  });
  addDouble(math::Log1pOp(), log1pTo64);
  patterns.add<LowerTrigOp<math::SinOp>, LowerTrigOp<math::CosOp>,
               LowerTrigOp<math::TanOp>>(context);
}
