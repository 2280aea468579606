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

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

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

  /// Keeps NaN.
  Value clamp(Value x, float low, float high) {
    x = arith::MinimumFOp::create(b, loc, x, constant(high));
    return arith::MaximumFOp::create(b, loc, x, constant(low));
  }

  /// Coefficients from the constant term on.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = constant(coefficients.back());
    for (float c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(c));
    return sum;
  }

  /// 2^n for integers in f32, -127 < n < 128.
  Value powerOfTwo(Value n) {
    Value biased = arith::AddIOp::create(b, loc, n, integer(127));
    Value bits = arith::ShLIOp::create(b, loc, biased, integer(23));
    return arith::BitcastOp::create(b, loc, type, bits);
  }

  /// v * 2^n in two steps.
  Value scale(Value v, Value n) {
    // NaN has no integer; its product stays NaN whatever the power is.
    Value isNumber =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, n, n);
    n = arith::SelectOp::create(b, loc, isNumber, n, constant(0.0f));
    Value whole = arith::FPToSIOp::create(b, loc, intType(), n);
    Value half = arith::ShRSIOp::create(b, loc, whole, integer(1));
    Value rest = arith::SubIOp::create(b, loc, whole, half);
    return mul(mul(v, powerOfTwo(half)), powerOfTwo(rest));
  }
};

template <typename OpTy> struct ExpandExponential : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Arithmetic a{rewriter, op.getLoc(), op.getType()};
    rewriter.replaceOp(op, expand(a, op.getOperand()));
    return success();
  }

private:
  static Value expand(Arithmetic &a, Value x);
};

// Beyond the clamps the result is 0 or infinity, also with the clamped argument.
template <>
Value ExpandExponential<math::ExpOp>::expand(Arithmetic &a, Value x) {
  x = a.clamp(x, -104.0f, 89.0f);
  Value n = math::RoundEvenOp::create(a.b, a.loc,
                                      a.mul(x, a.constant(0x1.715476p+0f)));
  // ln 2 in two parts; n times the first one is exact.
  Value minusN = arith::NegFOp::create(a.b, a.loc, n);
  Value r = a.fma(minusN, a.constant(0x1.62e400p-1f), x);
  r = a.fma(minusN, a.constant(0x1.7f7d1cp-20f), r);
  Value q = a.polynomial(r, {5.000000000e-01f, 1.666657699e-01f,
                               4.166655462e-02f, 8.363179053e-03f,
                               1.392618359e-03f});
  Value p = a.fma(a.mul(r, r), q, r);
  p = arith::AddFOp::create(a.b, a.loc, p, a.constant(1.0f));
  return a.scale(p, n);
}

template <>
Value ExpandExponential<math::Exp2Op>::expand(Arithmetic &a, Value x) {
  x = a.clamp(x, -151.0f, 129.0f);
  Value n = math::RoundEvenOp::create(a.b, a.loc, x);
  Value r = arith::SubFOp::create(a.b, a.loc, x, n);
  Value q = a.polynomial(r, {6.931471880e-01f, 2.402265076e-01f,
                               5.550357071e-02f, 9.618082520e-03f,
                               1.339088633e-03f, 1.545318283e-04f});
  return a.scale(a.fma(r, q, a.constant(1.0f)), n);
}

struct ExpandMath : tile::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExponential<math::ExpOp>,
                 ExpandExponential<math::Exp2Op>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    callLibrary();
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
