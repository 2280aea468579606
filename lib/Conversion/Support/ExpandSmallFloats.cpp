//===- ExpandSmallFloats.cpp - conversions of small floats ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats differ only in numbers that APFloat knows: widths, bias, the codes of infinity, NaN and the largest value. One
// expansion for each direction serves all of them; f8E8M0FNU, which has neither zero nor sign nor mantissa, has its own.
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDSMALLFLOATSPASS
#include "Tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

static bool isSmall(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && (element.getWidth() <= 8 || element.isBF16());
}

static Type withShapeOf(Type like, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(like))
    return shaped.clone(element);
  return element;
}

namespace {

/// The numbers that tell one small format from another.
struct Format {
  explicit Format(FloatType type)
      : sem(type.getFloatSemantics()), width(type.getWidth()),
        mantissa(APFloat::semanticsPrecision(sem) - 1),
        minExponent(APFloat::semanticsMinExponent(sem)),
        bias(1 - minExponent), magnitude((uint64_t(1) << (width - 1)) - 1),
        largest(code(APFloat::getLargest(sem))),
        hasNegativeZero(code(APFloat::getZero(sem, true)) != 0) {
    if (APFloat::semanticsHasInf(sem))
      infinity = code(APFloat::getInf(sem));
    if (APFloat::semanticsHasNaN(sem))
      nan = code(APFloat::getNaN(sem));
  }

  static uint64_t code(const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }

  const llvm::fltSemantics &sem;
  unsigned width;
  int mantissa;
  int minExponent;
  int bias;
  uint64_t magnitude; // all bits but the sign
  uint64_t largest;
  bool hasNegativeZero;
  std::optional<uint64_t> infinity, nan;
};

/// Builds integer and float arithmetic on scalars or vectors of one shape.
class Emitter {
public:
  Emitter(OpBuilder &b, Location loc, Type like) : b(b), loc(loc), like(like) {}

  Type shaped(Type element) { return withShapeOf(like, element); }
  Type intType(unsigned width) { return shaped(b.getIntegerType(width)); }

  Value constant(Type element, uint64_t bits) {
    TypedAttr attr;
    if (auto type = dyn_cast<FloatType>(element))
      attr = b.getFloatAttr(type, APFloat(type.getFloatSemantics(),
                                          APInt(type.getWidth(), bits)));
    else
      attr = b.getIntegerAttr(
          element, APInt(element.getIntOrFloatBitWidth(), bits,
                         /*isSigned=*/false, /*implicitTrunc=*/true));
    if (auto type = dyn_cast<ShapedType>(like))
      return arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type.clone(element), attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value like_(Value v, uint64_t bits) {
    return constant(getElementTypeOrSelf(v), bits);
  }

  Value bitcast(Value v, Type element) {
    return arith::BitcastOp::create(b, loc, shaped(element), v);
  }
  Value bitAnd(Value v, uint64_t mask) {
    return arith::AndIOp::create(b, loc, v, like_(v, mask));
  }
  Value bitOr(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value shl(Value v, unsigned n) {
    return n ? arith::ShLIOp::create(b, loc, v, like_(v, n)).getResult() : v;
  }
  Value shr(Value v, unsigned n) {
    return n ? arith::ShRUIOp::create(b, loc, v, like_(v, n)).getResult() : v;
  }
  Value compare(arith::CmpIPredicate p, Value v, uint64_t bits) {
    return arith::CmpIOp::create(b, loc, p, v, like_(v, bits));
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }

  OpBuilder &b;
  Location loc;
  Type like;
};

} // namespace

//===----------------------------------------------------------------------===//
// Widening: small -> f32
//===----------------------------------------------------------------------===//

static Value extendE8M0(Emitter &e, Value code) {
  using P = arith::CmpIPredicate;
  Value bits = e.shl(code, 23);
  // 2^-127 is subnormal in f32.
  bits = e.select(e.compare(P::eq, code, 0), e.like_(bits, 0x00400000), bits);
  return e.select(e.compare(P::eq, code, 255), e.like_(bits, 0x7fc00000), bits);
}

static Value extend(OpBuilder &b, Location loc, Value value) {
  using P = arith::CmpIPredicate;
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  Emitter e(b, loc, value.getType());
  Value raw = e.bitcast(value, b.getIntegerType(type.getWidth()));
  Value code = arith::ExtUIOp::create(b, loc, e.intType(32), raw);
  if (isa<Float8E8M0FNUType>(type))
    return e.bitcast(extendE8M0(e, code), b.getF32Type());
  Format f(type);
  if (type.isBF16())
    return e.bitcast(e.shl(code, 16), b.getF32Type());

  Value magnitude = e.bitAnd(code, f.magnitude);
  Value normal = e.add(e.shl(magnitude, 23 - f.mantissa),
                       e.like_(code, uint64_t(127 - f.bias) << 23));
  // Below the normal range a code is a count of the smallest value.
  Value count =
      arith::UIToFPOp::create(b, loc, e.shaped(b.getF32Type()), magnitude);
  uint64_t unit = uint64_t(127 + f.minExponent - f.mantissa) << 23;
  Value tiny =
      arith::MulFOp::create(b, loc, count, e.constant(b.getF32Type(), unit));
  Value bits = e.select(e.compare(P::ult, magnitude, 1u << f.mantissa),
                        e.bitcast(tiny, b.getI32Type()), normal);
  if (f.infinity)
    bits = e.select(e.compare(P::eq, magnitude, *f.infinity),
                    e.like_(bits, 0x7f800000), bits);
  Value sign = e.shl(e.bitAnd(code, f.magnitude + 1), 32 - f.width);
  bits = e.bitOr(bits, sign);
  if (f.nan) {
    // With a negative zero NaN lies above the finite values (and infinity); without, it takes the place of negative zero.
    Value isNan =
        f.hasNegativeZero
            ? e.compare(P::ugt, magnitude, f.infinity.value_or(f.largest))
            : e.compare(P::eq, code, *f.nan);
    bits = e.select(isNan, e.like_(bits, 0x7fc00000), bits);
  }
  return e.bitcast(bits, b.getF32Type());
}

//===----------------------------------------------------------------------===//
// Narrowing: f32 or f64 -> small, to nearest even
//===----------------------------------------------------------------------===//

/// Adds half of the last place that stays, ties to even, and drops the places below it.
static Value roundBits(Emitter &e, Value bits, unsigned drop) {
  Value odd = e.bitAnd(e.shr(bits, drop), 1);
  Value half = e.like_(bits, (uint64_t(1) << (drop - 1)) - 1);
  return e.shr(e.add(e.add(bits, half), odd), drop);
}

static Value truncateE8M0(Emitter &e, Value bits, Value isNan,
                          const Format &wide) {
  using P = arith::CmpIPredicate;
  uint64_t signBit = wide.magnitude + 1;
  Value magnitude = e.bitAnd(bits, wide.magnitude);
  int shift = wide.bias - 127;
  Value code = roundBits(e, magnitude, wide.mantissa);
  code = e.sub(code, e.like_(code, shift));
  // Everything up to the tie between 2^-127 and 2^-126 is the smallest code, 0.
  uint64_t tie = wide.width == 32
                     ? 0x00600000
                     : (uint64_t(wide.bias - 127) << wide.mantissa) |
                           (uint64_t(1) << (wide.mantissa - 1));
  uint64_t one = wide.width == 32
                     ? 0x00800000
                     : uint64_t(wide.bias - 126) << wide.mantissa;
  code = e.select(e.compare(P::ult, magnitude, one), e.like_(code, 1), code);
  code = e.select(e.compare(P::ule, magnitude, tie), e.like_(code, 0), code);
  code = e.select(e.compare(P::ugt, code, 255), e.like_(code, 255), code);
  Value negative = e.compare(P::ugt, bits, signBit);
  code = e.select(negative, e.like_(code, 255), code);
  return e.select(isNan, e.like_(code, 255), code);
}

/// The code of a magnitude, before special values.
static Value truncateFinite(Emitter &e, Value magnitude, FloatType wideType,
                            const Format &wide, const Format &f) {
  using P = arith::CmpIPredicate;
  Value normal = roundBits(e, magnitude, wide.mantissa - f.mantissa);
  normal = e.sub(normal, e.like_(normal, uint64_t(wide.bias - f.bias)
                                             << f.mantissa));
  uint64_t smallestNormal = uint64_t(wide.bias + f.minExponent)
                            << wide.mantissa;
  if (f.minExponent <= wide.minExponent) {
    // The same exponents: subnormals are rounded in place, which the integer form already does.
    return normal;
  }
  // Adding 2^p, whose last place is the smallest value of the format, makes the float unit round.
  uint64_t magic =
      uint64_t(wide.bias + f.minExponent - f.mantissa + wide.mantissa)
      << wide.mantissa;
  Value sum = arith::AddFOp::create(e.b, e.loc, e.bitcast(magnitude, wideType),
                                    e.constant(wideType, magic));
  Type intType = getElementTypeOrSelf(magnitude);
  Value tiny = e.sub(e.bitcast(sum, intType), e.like_(magnitude, magic));
  return e.select(e.compare(P::ult, magnitude, smallestNormal), tiny, normal);
}

static Value truncate(OpBuilder &b, Location loc, Value value, FloatType to) {
  using P = arith::CmpIPredicate;
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  Emitter e(b, loc, value.getType());
  Format wide(from), f(to);
  Value bits = e.bitcast(value, b.getIntegerType(from.getWidth()));
  Value magnitude = e.bitAnd(bits, wide.magnitude);
  Value isNan = e.compare(P::ugt, magnitude, *wide.infinity);
  Type raw = withShapeOf(value.getType(), b.getIntegerType(to.getWidth()));
  Value code;
  if (isa<Float8E8M0FNUType>(to)) {
    code = truncateE8M0(e, bits, isNan, wide);
  } else {
    code = truncateFinite(e, magnitude, from, wide, f);
    // Infinity in the source overflows as well.
    uint64_t overflow = f.infinity.value_or(f.nan.value_or(f.largest));
    overflow &= f.hasNegativeZero ? f.magnitude : ~uint64_t(0);
    Value tooLarge = e.compare(P::ugt, code, f.largest);
    code = e.select(tooLarge, e.like_(code, overflow), code);
    Value sign = e.bitAnd(e.shr(bits, from.getWidth() - f.width),
                          f.magnitude + 1);
    Value isZero = e.compare(P::eq, code, 0);
    if (!f.hasNegativeZero)
      sign = e.select(isZero, e.like_(sign, 0), sign);
    code = e.bitOr(code, sign);
    // A format without NaN takes its largest value.
    code = e.select(isNan, e.like_(code, f.nan.value_or(f.largest)), code);
  }
  Value small = arith::TruncIOp::create(b, loc, raw, code);
  return e.bitcast(small, to);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// A pattern that knows whether the machine does this to bf16 itself.
template <typename OpTy> struct ConversionPattern : OpRewritePattern<OpTy> {
  ConversionPattern(MLIRContext *context, bool keepBF16)
      : OpRewritePattern<OpTy>(context), keepBF16(keepBF16) {}

  bool keeps(Type type) const {
    return keepBF16 && getElementTypeOrSelf(type).isBF16();
  }

  bool keepBF16;
};

struct ExpandExtF : ConversionPattern<arith::ExtFOp> {
  using ConversionPattern::ConversionPattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getIn().getType()) || keeps(op.getIn().getType()))
      return failure();
    Value wide = extend(rewriter, op.getLoc(), op.getIn());
    Type target = op.getType();
    if (wide.getType() == target)
      rewriter.replaceOp(op, wide);
    else if (getElementTypeOrSelf(target).getIntOrFloatBitWidth() > 32)
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, target, wide);
    else if (isSmall(target) && !keeps(target))
      rewriter.replaceOp(op, truncate(rewriter, op.getLoc(), wide,
                                      cast<FloatType>(
                                          getElementTypeOrSelf(target))));
    else
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, target, wide);
    return success();
  }
};

struct ExpandTruncF : ConversionPattern<arith::TruncFOp> {
  using ConversionPattern::ConversionPattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Value value = op.getIn();
    if (keeps(op.getType()) && getElementTypeOrSelf(value).isF32())
      return failure();
    // f16 and bf16 hold less than f32: widening first is exact.
    if (isSmall(value.getType()))
      value = extend(rewriter, loc, value);
    else if (getElementTypeOrSelf(value).isF16())
      value = arith::ExtFOp::create(
          rewriter, loc, withShapeOf(value.getType(), rewriter.getF32Type()),
          value);
    if (keeps(op.getType()) && getElementTypeOrSelf(value).isF32())
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), value);
    else
      rewriter.replaceOp(op,
                         truncate(rewriter, loc, value,
                                  cast<FloatType>(
                                      getElementTypeOrSelf(op.getType()))));
    return success();
  }
};

/// Integers that f64 does not hold are cut to 53 bits first, the last of which tells whether anything was cut: that rounds
/// once, since no small format has as many bits.
template <typename OpTy, bool isSigned>
struct ExpandIntToFloat : OpRewritePattern<OpTy> {
  ExpandIntToFloat(MLIRContext *context, bool keepBF16)
      : OpRewritePattern<OpTy>(context), keepBF16(keepBF16) {}
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Value value = op.getIn();
    Emitter e(rewriter, loc, value.getType());
    unsigned width = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
    if (width > 53)
      value = cut(e, value, width - 53);
    Type wide = width <= 24 ? rewriter.getF32Type() : rewriter.getF64Type();
    value = OpTy::create(rewriter, loc, e.shaped(wide), value);
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (keepBF16 && to.isBF16() && wide.isF32())
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), value);
    else
      rewriter.replaceOp(op, truncate(rewriter, loc, value, to));
    return success();
  }

private:
  static Value cut(Emitter &e, Value value, unsigned drop) {
    using P = arith::CmpIPredicate;
    uint64_t low = (uint64_t(1) << drop) - 1, exact = uint64_t(1) << 53;
    Value sticky = e.add(e.bitAnd(value, low), e.like_(value, low));
    Value coarse = e.bitAnd(e.bitOr(value, sticky), ~low);
    Value isLarge =
        isSigned ? e.compare(P::ugt, e.add(value, e.like_(value, exact)),
                             2 * exact)
                 : e.compare(P::ugt, value, exact);
    return e.select(isLarge, coarse, value);
  }

  bool keepBF16;
};

/// A fused multiply-add rounds once. f64 holds the product of two small floats, and its sum with a third but for an error, which
/// TwoSum gives. With the last bit set wherever there was an error (rounding to odd), the one rounding to the
/// small format, which has far fewer bits, sees all that it must.
struct ExpandFma : ConversionPattern<math::FmaOp> {
  using ConversionPattern::ConversionPattern;
  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &b) const override {
    Type type = op.getType();
    if (!isSmall(type) || keeps(type))
      return failure();
    Location loc = op.getLoc();
    Type wide = withShapeOf(type, b.getF64Type());
    auto extended = [&](Value value) {
      return arith::ExtFOp::create(b, loc, wide, value);
    };
    Value product = arith::MulFOp::create(b, loc, extended(op.getA()),
                                          extended(op.getB()));
    Value addend = extended(op.getC());
    Value sum = arith::AddFOp::create(b, loc, product, addend);
    Value error = sumError(b, loc, product, addend, sum);
    b.replaceOpWithNewOp<arith::TruncFOp>(op, type,
                                          roundToOdd(b, loc, sum, error));
    return success();
  }

private:
  /// What `sum` lacks of `x` + `y`; NaN where the sum is infinite or NaN.
  static Value sumError(OpBuilder &b, Location loc, Value x, Value y,
                        Value sum) {
    auto sub = [&](Value l, Value r) -> Value {
      return arith::SubFOp::create(b, loc, l, r);
    };
    Value partOfY = sub(sum, x), partOfX = sub(sum, partOfY);
    return arith::AddFOp::create(b, loc, sub(x, partOfX), sub(y, partOfY));
  }

  static Value roundToOdd(OpBuilder &b, Location loc, Value sum, Value error) {
    Emitter e(b, loc, sum.getType());
    Value bits = e.bitcast(sum, b.getI64Type());
    Value zero = e.constant(b.getF64Type(), 0);
    auto compare = [&](arith::CmpFPredicate p, Value x) -> Value {
      return arith::CmpFOp::create(b, loc, p, x, zero);
    };
    Value isInexact = compare(arith::CmpFPredicate::ONE, error);
    Value isEven =
        e.compare(arith::CmpIPredicate::eq, e.bitAnd(bits, 1), 0);
    // Away from zero if what is missing has the sign of the sum.
    Value isBelow = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, compare(arith::CmpFPredicate::OGT, error),
        compare(arith::CmpFPredicate::OGT, sum));
    Value odd = e.select(isBelow, e.add(bits, e.like_(bits, 1)),
                         e.sub(bits, e.like_(bits, 1)));
    Value moves = arith::AndIOp::create(b, loc, isInexact, isEven);
    return e.bitcast(e.select(moves, odd, bits), b.getF64Type());
  }
};

struct ExpandSmallFloats
    : tile::impl::ExpandSmallFloatsPassBase<ExpandSmallFloats> {
  using ExpandSmallFloatsPassBase::ExpandSmallFloatsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtF, ExpandTruncF>(&getContext(), keepBF16);
    patterns.add<ExpandFma>(&getContext(), keepBF16Fma);
    patterns.add<ExpandIntToFloat<arith::SIToFPOp, true>,
                 ExpandIntToFloat<arith::UIToFPOp, false>>(&getContext(),
                                                           keepBF16);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

void tile::addSmallFloatPasses(OpPassManager &pm,
                               const ExpandSmallFloatsPassOptions &native) {
  // Integers first: the emulation would round them to f32 on the way.
  pm.addPass(createExpandSmallFloatsPass(native));
  pm.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16",       "f8E4M3FN",   "f8E5M2",
                            "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3",
                            "f8E3M4",     "f8E8M0FNU",  "f4E2M1FN"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  pm.addPass(createExpandSmallFloatsPass(native));
}
