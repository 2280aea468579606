//===- ExpandMath.cpp - exponentials as polynomials -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp(x) = 2^n exp(r) with n = round(x / ln 2) and r = x - n ln 2, |r| <= ln 2 / 2; exp2 alike with r = x - n, |r| <= 1/2. On
// these intervals the polynomials, interpolated at Chebyshev nodes, are within 3e-9; what remains is rounding. The scaling by
// 2^n takes two steps, so that results that are subnormal, or just below overflow, are rounded once.
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/bit.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "Tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

namespace {

/// Arithmetic on f32 scalars or vectors of one shape.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  Type type;
  bool hasLdexp;

  Value constant(float v) {
    auto attr = b.getF32FloatAttr(v);
    if (auto shaped = dyn_cast<ShapedType>(type))
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(shaped, attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Type intType() {
    if (auto shaped = dyn_cast<ShapedType>(type))
      return shaped.clone(b.getI32Type());
    return b.getI32Type();
  }
  Value integer(int32_t v) {
    auto attr = b.getI32IntegerAttr(v);
    if (auto shaped = dyn_cast<ShapedType>(intType()))
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(shaped, attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }

  /// Keeps NaN: written with comparisons, each side is one instruction, which minimumf and maximumf are not.
  Value clamp(Value x, float low, float high) {
    using P = arith::CmpFPredicate;
    Value least = constant(low), most = constant(high);
    Value above = arith::CmpFOp::create(b, loc, P::OLT, most, x);
    x = arith::SelectOp::create(b, loc, above, most, x);
    Value below = arith::CmpFOp::create(b, loc, P::OGT, least, x);
    return arith::SelectOp::create(b, loc, below, least, x);
  }

  /// c0 + c1 x + c2 x^2 + …, by pairs: what bounds the speed is the length of the chain, not the number of operations.
  Value polynomial(Value x, Value square, ArrayRef<float> coefficients) {
    SmallVector<Value> terms;
    for (size_t i = 0; i + 1 < coefficients.size(); i += 2)
      terms.push_back(fma(constant(coefficients[i + 1]), x,
                          constant(coefficients[i])));
    if (coefficients.size() % 2)
      terms.push_back(constant(coefficients.back()));
    Value sum = terms.pop_back_val();
    for (Value term : llvm::reverse(terms))
      sum = fma(sum, square, term);
    return sum;
  }

  /// 2^n for integers in f32, -127 < n < 128.
  Value powerOfTwo(Value n) {
    Value biased = arith::AddIOp::create(b, loc, n, integer(127));
    Value bits = arith::ShLIOp::create(b, loc, biased, integer(23));
    return arith::BitcastOp::create(b, loc, type, bits);
  }

  /// The integer in a sum with `kMagic`, as a float: what the addition has rounded.
  Value roundedFloat(Value sum) {
    return arith::SubFOp::create(b, loc, sum, constant(kMagic));
  }

  /// (1 + r q) * 2^n for the integer n in a sum with `kMagic`. NaN in the sum gives some power; r is NaN then. The product is
  /// not rounded.
  Value scaleOnePlus(Value r, Value q, Value sum) {
    Value bits = arith::BitcastOp::create(b, loc, intType(), sum);
    Value n = arith::SubIOp::create(b, loc, bits,
                                    integer(llvm::bit_cast<int32_t>(kMagic)));
    // The LLVM dialect has it on scalars only; LLVM's vectoriser widens it.
    if (hasLdexp && !isa<ShapedType>(type)) {
      Value whole = fma(r, q, constant(1.0f));
      return LLVM::LoadExpOp::create(b, loc, type, whole, n);
    }
    // In two steps, the first of which is exact but for the sum.
    Value half = arith::ShRSIOp::create(b, loc, n, integer(1));
    Value rest = arith::SubIOp::create(b, loc, n, half);
    Value power = powerOfTwo(half);
    return mul(fma(mul(r, power), q, power), powerOfTwo(rest));
  }

  /// 1.5 * 2^23: adding it to a small float rounds to an integer, to nearest even, and leaves that in the low bits.
  static constexpr float kMagic = 12582912.0f;
};

template <typename OpTy> struct ExpandExponential : OpRewritePattern<OpTy> {
  ExpandExponential(MLIRContext *context, bool hasLdexp)
      : OpRewritePattern<OpTy>(context), hasLdexp(hasLdexp) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Arithmetic a{rewriter, op.getLoc(), op.getType(), hasLdexp};
    rewriter.replaceOp(op, expand(a, op.getOperand()));
    return success();
  }

private:
  static Value expand(Arithmetic &a, Value x);
  bool hasLdexp;
};

// Beyond the clamps the result is 0 or infinity, also with the clamped argument.
template <>
Value ExpandExponential<math::ExpOp>::expand(Arithmetic &a, Value x) {
  x = a.clamp(x, -104.0f, 89.0f);
  Value sum = a.fma(x, a.constant(0x1.715476p+0f), a.constant(a.kMagic));
  Value n = a.roundedFloat(sum);
  // ln 2 in two parts; n times the first one is exact.
  Value minusN = arith::NegFOp::create(a.b, a.loc, n);
  Value r = a.fma(minusN, a.constant(0x1.62e400p-1f), x);
  r = a.fma(minusN, a.constant(0x1.7f7d1cp-20f), r);
  Value square = a.mul(r, r);
  Value q = a.polynomial(r, square,
                         {5.000000000e-01f, 1.666657699e-01f, 4.166655462e-02f,
                          8.363179053e-03f, 1.392618359e-03f});
  return a.scaleOnePlus(r, a.fma(r, q, a.constant(1.0f)), sum);
}

template <>
Value ExpandExponential<math::Exp2Op>::expand(Arithmetic &a, Value x) {
  x = a.clamp(x, -151.0f, 129.0f);
  Value sum = arith::AddFOp::create(a.b, a.loc, x, a.constant(a.kMagic));
  Value r = arith::SubFOp::create(a.b, a.loc, x, a.roundedFloat(sum));
  Value q = a.polynomial(r, a.mul(r, r),
                         {6.931471880e-01f, 2.402265076e-01f, 5.550357071e-02f,
                          9.618082520e-03f, 1.339088633e-03f,
                          1.545318283e-04f});
  return a.scaleOnePlus(r, q, sum);
}

struct ExpandMath : mlir::tile::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    const ::tile::target::Target *target = mlir::tile::lookupTarget(getOperation());
    bool hasLdexp = target && target->getCPU() && target->getCPU()->ldexp;
    RewritePatternSet patterns(&getContext());
    mlir::tile::populateExpandExponentialPatterns(patterns, hasLdexp);
    mlir::tile::populateExpandClassTestPatterns(patterns);
    mlir::tile::populateExpandIntegerPowerPatterns(patterns,
                                                   /*withConstants=*/false);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    callLibrary();
    getOperation()->removeAttr(mlir::tile::kTargetAttrName);
  }

  /// The lowering to LLVM knows expm1 as exp - 1 and log1p as log of 1 + x, which cancel near 0: these go to the C library.
  void callLibrary() {
    SmallVector<Operation *> calls;
    getOperation()->walk([&](Operation *op) {
      if (isa<math::ExpM1Op, math::Log1pOp>(op))
        calls.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    // Vectors fall apart into scalars, which the driver then meets as new ops.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(calls, std::move(patterns), config);
  }
};

} // namespace

void mlir::tile::populateExpandExponentialPatterns(RewritePatternSet &patterns,
                                             bool hasLdexp) {
  patterns.add<ExpandExponential<math::ExpOp>,
               ExpandExponential<math::Exp2Op>>(patterns.getContext(),
                                                hasLdexp);
}

namespace {
/// |x| compared with infinity; a NaN with itself.
template <typename OpTy, arith::CmpFPredicate predicate>
struct ExpandClassTest : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand(), other = x;
    if (predicate != arith::CmpFPredicate::UNO) {
      auto element = cast<FloatType>(getElementTypeOrSelf(x.getType()));
      const llvm::fltSemantics &format = element.getFloatSemantics();
      if (!APFloat::semanticsHasInf(format))
        return failure();
      TypedAttr value = FloatAttr::get(element, APFloat::getInf(format));
      if (auto shaped = dyn_cast<ShapedType>(x.getType()))
        value = DenseElementsAttr::get(shaped, Attribute(value));
      other = arith::ConstantOp::create(rewriter, op.getLoc(), value);
      x = math::AbsFOp::create(rewriter, op.getLoc(), x);
    }
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, predicate, x, other);
    return success();
  }
};
} // namespace

void mlir::tile::populateExpandClassTestPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandClassTest<math::IsNaNOp, arith::CmpFPredicate::UNO>,
               ExpandClassTest<math::IsInfOp, arith::CmpFPredicate::OEQ>,
               ExpandClassTest<math::IsFiniteOp, arith::CmpFPredicate::OLT>>(
      patterns.getContext());
}
