//===- GPUMath.cpp - math functions without a library ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUMath.h"

#include "Tile/Conversion/Passes.h"

#include "WideMath.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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
// What remains
//===----------------------------------------------------------------------===//

/// Whether LLVM has instructions for it, or a short expansion.
static bool isNative(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
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
  populateWideMathPatterns(patterns);
  // Of what arith-expand does only this: maxima are instructions.
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  static constexpr StringRef reduced[] = {"clampf", "fpowi", "ipowi", "rsqrt",
                                          "sincos"};
  math::populateExpansionPatterns(patterns, reduced);
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return name == "math.erf" || name == "math.erfc";
  });
  if (failed(applyPatternsGreedily(root, std::move(patterns))))
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
