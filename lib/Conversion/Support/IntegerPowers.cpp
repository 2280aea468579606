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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

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
} // namespace

void mlir::tile::populateExpandIntegerPowerPatterns(RewritePatternSet &patterns,
                                                    bool withConstants) {
  patterns.add<ExpandIntegerPower>(patterns.getContext(), withConstants);
}
