//===- LowerMath.cpp - math functions on NVIDIA GPUs ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"

#include "WideMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERGPUMATHPASS
#include "Tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

/// f32, scalar or vector, with leave to approximate.
static bool isApproximate(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  return fast &&
         arith::bitEnumContainsAny(fast.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::afn) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

namespace {

/// Builds f32 arithmetic on scalars or vectors of one shape.
struct Approximation {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(float v) {
    TypedAttr attr = b.getF32FloatAttr(v);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }

  Value scaled(Value x, float factor) {
    return arith::MulFOp::create(b, loc, x, constant(factor));
  }

  /// Applies an intrinsic to each element.
  Value call(StringRef intrinsic, ValueRange operands) {
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

private:
  Value callScalar(StringRef intrinsic, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(),
                                         b.getStringAttr(intrinsic), operands)
        .getResult(0);
  }
};

constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2 = 0x1.62e430p-1f;
constexpr float kLog10Of2 = 0x1.344136p-2f;

/// An op with leave to approximate becomes what `lower` makes of it.
template <typename OpTy>
struct Approximate : OpRewritePattern<OpTy> {
  using Lower = Value (*)(Approximation &, OpTy);
  Approximate(MLIRContext *context, Lower lower)
      : OpRewritePattern<OpTy>(context, /*benefit=*/10), lower(lower) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isApproximate(op))
      return failure();
    Approximation a{rewriter, op.getLoc(), op.getType()};
    rewriter.replaceOp(op, lower(a, op));
    return success();
  }

  Lower lower;
};

} // namespace

static void populateApproximations(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  auto add = [&](auto lower) {
    using OpTy = typename llvm::function_traits<decltype(lower)>::template arg_t<1>;
    patterns.add<Approximate<OpTy>>(context, lower);
  };
  using A = Approximation;
  add([](A &a, math::Exp2Op op) {
    return a.call("llvm.nvvm.ex2.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::ExpOp op) {
    return a.call("llvm.nvvm.ex2.approx.ftz.f",
                  a.scaled(op.getOperand(), kLog2E));
  });
  add([](A &a, math::Log2Op op) {
    return a.call("llvm.nvvm.lg2.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::LogOp op) {
    return a.scaled(a.call("llvm.nvvm.lg2.approx.ftz.f", op.getOperand()),
                    kLn2);
  });
  add([](A &a, math::Log10Op op) {
    return a.scaled(a.call("llvm.nvvm.lg2.approx.ftz.f", op.getOperand()),
                    kLog10Of2);
  });
  add([](A &a, math::SinOp op) {
    return a.call("llvm.nvvm.sin.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::CosOp op) {
    return a.call("llvm.nvvm.cos.approx.ftz.f", op.getOperand());
  });
  // LLVM has an instruction for it under this flag only.
  add([](A &a, math::TanhOp op) -> Value {
    return LLVM::TanhOp::create(a.b, a.loc, a.type, op.getOperand(),
                                LLVM::FastmathFlags::afn);
  });
  add([](A &a, math::SqrtOp op) {
    return a.call("llvm.nvvm.sqrt.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::RsqrtOp op) {
    return a.call("llvm.nvvm.rsqrt.approx.ftz.f", op.getOperand());
  });
  add([](A &a, arith::DivFOp op) {
    return a.call("llvm.nvvm.div.approx.ftz.f", {op.getLhs(), op.getRhs()});
  });
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

namespace {

struct LowerGPUMath : tile::impl::LowerGPUMathPassBase<LowerGPUMath> {
  void runOnOperation() override {
    Operation *root = getOperation();
    RewritePatternSet patterns(&getContext());
    populateApproximations(patterns);
    tile::populateExpandExponentialPatterns(patterns, /*hasLdexp=*/false);
    tile::populateWideMathPatterns(patterns);
    // Of what arith-expand does only this: maxima are instructions.
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    static constexpr StringRef reduced[] = {"clampf", "fpowi", "ipowi",
                                            "rsqrt", "sincos"};
    math::populateExpansionPatterns(patterns, reduced);
    populateMathPolynomialApproximationPatterns(
        patterns,
        [](StringRef name) { return name == "math.erf" || name == "math.erfc"; });
    if (failed(applyPatternsGreedily(root, std::move(patterns))))
      return signalPassFailure();
    WalkResult result = root->walk([](Operation *op) {
      if ((!isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
           !isa<arith::RemFOp>(op)) ||
          isNative(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName() << "' on "
                      << op->getOperand(0).getType()
                      << " is not available on an NVIDIA GPU";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
