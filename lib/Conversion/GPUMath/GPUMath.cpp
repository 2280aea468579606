//===- GPUMath.cpp - math functions without a library ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUMath.h"

#include "Tile/Conversion/ApplyPatterns.h"
#include "Tile/Conversion/Passes.h"

#include "WideMath.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

bool tile::isApproximate(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  return fast &&
         arith::bitEnumContainsAny(fast.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::afn) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

Value Approximation::constant(float v) {
  TypedAttr attr = b.getF32FloatAttr(v);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value Approximation::call(StringRef intrinsic, ValueRange operands) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return callScalar(intrinsic, operands);
  Value result = constant(0.0f);
  for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(vector::ExtractOp::create(b, loc, operand, i));
    Value one = callScalar(intrinsic, elements);
    result = vector::InsertOp::create(b, loc, one, result, i);
  }
  return result;
}

Value Approximation::callScalar(StringRef intrinsic, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(),
                                       b.getStringAttr(intrinsic), operands)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

namespace {
/// erf(x) = x + x p(x^2) where |x| < border, else ±(1 - 2^q(|x|)), both minimax
/// polynomials.
struct ErfCoefficients {
  float border;
  ArrayRef<float> small, large;
};
} // namespace

/// Of relative error below 4e-8: within 1.6 ulp.
static ErfCoefficients getExactErf() {
  static constexpr float small[] = {0.128379121f,   -0.37612325f,
                                    0.112801798f,   -0.0267113112f,
                                    0.00491755083f, -0.00056314189f};
  static constexpr float large[] = {
      -0.000492698513f, -1.62604606f,    -0.920648277f, -0.148751706f,
      0.0315057151f,    -0.00425258419f, 0.00026888962f};
  return {1.0f, small, large};
}

/// Of relative error below 3.4e-7, by three operations less.
static ErfCoefficients getApproximateErf() {
  static constexpr float small[] = {0.128379017f, -0.376107335f, 0.112456314f,
                                    -0.0243893564f};
  static constexpr float large[] = {-0.000342250278f, -1.62579215f,
                                    -0.92332983f,     -0.143506646f,
                                    0.0270251036f,    -0.00246955547f};
  return {0.5f, small, large};
}

namespace {
/// Both sides are computed, which is less work than to select coefficients.
struct ExpandErf : OpRewritePattern<math::ErfOp> {
  ExpandErf(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    Approximation a{b, loc, op.getType()};
    auto polynomial = [&](Value x, ArrayRef<float> coefficients) {
      Value sum = a.constant(coefficients.back());
      for (float c : llvm::reverse(coefficients.drop_back()))
        sum = math::FmaOp::create(b, loc, sum, x, a.constant(c));
      return sum;
    };
    ErfCoefficients c = isApproximate(op) ? getApproximateErf() : getExactErf();
    Value x = op.getOperand();
    Value square = arith::MulFOp::create(b, loc, x, x);
    Value small = math::FmaOp::create(b, loc, x, polynomial(square, c.small), x);
    // From 4 on the result is ±1.
    Value size = math::AbsFOp::create(b, loc, x);
    Value clamped = arith::MinNumFOp::create(b, loc, size, a.constant(4.0f));
    Value rest = math::Exp2Op::create(b, loc, polynomial(clamped, c.large),
                                      op.getFastmath());
    Value large = arith::SubFOp::create(b, loc, a.constant(1.0f), rest);
    large = math::CopySignOp::create(b, loc, large, x);
    // A NaN is not large.
    Value isLarge = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                          size, a.constant(c.border));
    b.replaceOpWithNewOp<arith::SelectOp>(op, isLarge, large, small);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// What remains
//===----------------------------------------------------------------------===//

/// Whether LLVM has instructions for it, or a short expansion.
static bool isNative(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (element.isIndex())
    return isa<math::AbsIOp>(op);
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !element.isF64() && !isa<IntegerType>(element))
    return false;
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
             math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::RoundOp,
             math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

LogicalResult tile::lowerGPUMath(Operation *root, RewritePatternSet patterns,
                                 StringRef machine) {
  populateExpandExponentialPatterns(patterns, /*hasLdexp=*/false);
  populateExpandClassTestPatterns(patterns);
  populateExpandIntegerPowerPatterns(patterns, /*withConstants=*/false);
  populateWideMathPatterns(patterns);
  patterns.add<ExpandErf>(patterns.getContext());
  // Of what arith-expand does only this: maxima are instructions.
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  static constexpr StringRef reduced[] = {"clampf", "fpowi", "rsqrt", "sincos"};
  math::populateExpansionPatterns(patterns, reduced);
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return name == "math.erf" || name == "math.erfc";
  });
  if (failed(applyPatternsToNamed(root, std::move(patterns))))
    return failure();
  WalkResult result = root->walk([&](Operation *op) {
    if ((!isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         !isa<arith::RemFOp>(op)) ||
        isNative(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' on "
                    << op->getOperand(0).getType() << " is not available on "
                    << machine;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
