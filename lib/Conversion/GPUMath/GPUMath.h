//===- GPUMath.h - math functions without a library -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes that lower math functions share. Each vendor adds what its
// machine computes approximately; the rest is the same arithmetic everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_GPUMATH_GPUMATH_H
#define TILE_LIB_CONVERSION_GPUMATH_GPUMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::tile {

/// f32, scalar or vector, with leave to approximate.
bool isApproximate(Operation *op);

/// Builds f32 arithmetic on scalars or vectors of one shape.
struct Approximation {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(float v);
  Value scaled(Value x, float factor) {
    return arith::MulFOp::create(b, loc, x, constant(factor));
  }
  /// Applies an intrinsic to each element.
  Value call(StringRef intrinsic, ValueRange operands);

private:
  Value callScalar(StringRef intrinsic, ValueRange operands);
};

inline constexpr float kLog2EF32 = 0x1.715476p+0f;
inline constexpr float kLn2F32 = 0x1.62e430p-1f;
inline constexpr float kLog10Of2F32 = 0x1.344136p-2f;

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

/// Adds `Value lower(Approximation &, OpTy)` for its op.
template <typename Fn>
void addApproximation(RewritePatternSet &patterns, Fn lower) {
  using OpTy = typename llvm::function_traits<Fn>::template arg_t<1>;
  patterns.add<Approximate<OpTy>>(patterns.getContext(), lower);
}

/// Lowers all functions below `root`, those with leave to approximate by the
/// patterns given. What remains is an error that names the vendor ("an NVIDIA
/// GPU").
LogicalResult lowerGPUMath(Operation *root, RewritePatternSet approximations,
                           StringRef machine);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_GPUMATH_GPUMATH_H
