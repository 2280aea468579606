//===- LowerSmallFloats.cpp - floats of 8 bits by instructions ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToNVVM/Passes.h"

#include "FourBits.h"

#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <cmath>

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERNVVMSMALLFLOATSPASS
#include "Tile/Conversion/GPUToNVVM/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

/// Applies `convert` to the elements of a scalar or vector, two at a time; of a
/// pair, the second may be missing.
static Value
convertPairs(OpBuilder &b, Location loc, Value value, Type result,
             function_ref<std::pair<Value, Value>(Value, Value)> convert) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return convert(value, Value()).first;
  SmallVector<Value> elements;
  vector::ToElementsOp parts = vector::ToElementsOp::create(b, loc, value);
  for (size_t i = 0; i < parts.getNumResults(); i += 2) {
    Value second =
        i + 1 < parts.getNumResults() ? parts.getResult(i + 1) : Value();
    auto [low, high] = convert(parts.getResult(i), second);
    elements.push_back(low);
    if (second)
      elements.push_back(high);
  }
  return vector::FromElementsOp::create(b, loc, cast<VectorType>(result),
                                        elements);
}

namespace {
struct TruncateToFloat8 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    std::optional<arith::RoundingMode> mode = op.getRoundingmode();
    if (!isFloat8(type) ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32() ||
        (mode && *mode != arith::RoundingMode::to_nearest_even))
      return failure();
    Location loc = op.getLoc();
    Value zero = constant(b, loc, 0.0f);
    std::pair<Value, bool> clamp = readClamps(b, loc, op.getIn(), type);
    b.replaceOp(op, convertPairs(b, loc, clamp.first, op.getType(),
                                 [&](Value low, Value high) {
                                   return convert(b, loc, low, high, zero, type,
                                                  clamp.second);
                                 }));
    return success();
  }

private:
  /// The other operand of a minimum or maximum with `bound` or, `isWithin`, a
  /// number nearer to zero.
  template <typename NaNOp, typename NumberOp>
  static Value matchBound(Value value, double bound, bool &isExact,
                          bool &isWithin) {
    Operation *op = value.getDefiningOp();
    APFloat number(0.0f);
    if (!isa_and_nonnull<NaNOp, NumberOp>(op) ||
        !matchPattern(op->getOperand(1), m_ConstantFloat(&number)) ||
        !number.isFinite())
      return {};
    double given = number.convertToDouble();
    isExact &= isa<NaNOp>(op) && given == bound;
    isWithin = std::abs(given) <= std::abs(bound) &&
               std::signbit(given) == std::signbit(bound);
    return op->getOperand(0);
  }

  /// A value that is clamped to finite numbers of the type needs no look at its
  /// magnitude, and no clamp to the largest of them: the instruction saturates.
  static std::pair<Value, bool> readClamp(Value value, FloatType type) {
    double most =
        APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
    bool isExact = true, isWithin[2] = {false, false};
    auto matchUpper = [&](Value of) {
      return matchBound<arith::MinimumFOp, arith::MinNumFOp>(of, most, isExact,
                                                             isWithin[0]);
    };
    auto matchLower = [&](Value of) {
      return matchBound<arith::MaximumFOp, arith::MaxNumFOp>(of, -most, isExact,
                                                             isWithin[1]);
    };
    Value inner = matchUpper(value);
    Value source = inner ? matchLower(inner) : Value();
    if (!inner) {
      inner = matchLower(value);
      source = inner ? matchUpper(inner) : Value();
    }
    if (!source || !isWithin[0] || !isWithin[1])
      return {value, false};
    return {isExact ? source : value, true};
  }

  /// Likewise of the elements that make a vector.
  static std::pair<Value, bool> readClamps(OpBuilder &b, Location loc,
                                           Value value, FloatType type) {
    auto vector = value.getDefiningOp<vector::FromElementsOp>();
    if (!vector)
      return readClamp(value, type);
    SmallVector<Value> sources;
    for (Value element : vector.getElements()) {
      auto [source, isFinite] = readClamp(element, type);
      if (!isFinite)
        return {value, false};
      sources.push_back(source);
    }
    return {vector::FromElementsOp::create(b, loc, vector.getType(), sources),
            true};
  }

  static Value constant(OpBuilder &b, Location loc, float v) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(v));
  }

  /// From this magnitude on a value rounds to more than the largest finite one:
  /// halfway to the next one, where the tie goes to the even mantissa.
  static std::pair<float, arith::CmpFPredicate> getOverflow(FloatType type) {
    if (isa<Float8E4M3FNType>(type))
      return {464.0f, arith::CmpFPredicate::OGT};
    return {61440.0f, arith::CmpFPredicate::OGE};
  }

  static std::pair<Value, Value> convert(OpBuilder &b, Location loc, Value low,
                                         Value high, Value zero, FloatType type,
                                         bool isFinite) {
    Value packed = NVVM::ConvertF32x2ToF8x2Op::create(
        b, loc, b.getI16Type(), high ? high : zero, low,
        NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
        /*relu=*/false, type);
    auto finish = [&](Value source, int shift) -> Value {
      Value bits = packed;
      if (shift)
        bits = arith::ShRUIOp::create(
            b, loc, bits,
            arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(shift)));
      bits = arith::TruncIOp::create(b, loc, b.getI8Type(), bits);
      if (isFinite)
        return arith::BitcastOp::create(b, loc, type, bits);
      // The largest finite code is one below that of NaN, or infinity.
      auto [limit, predicate] = getOverflow(type);
      Value above = arith::CmpFOp::create(b, loc, predicate,
                                          math::AbsFOp::create(b, loc, source),
                                          constant(b, loc, limit));
      Value next = arith::AddIOp::create(
          b, loc, bits,
          arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(1)));
      bits = arith::SelectOp::create(b, loc, above, next, bits);
      return arith::BitcastOp::create(b, loc, type, bits);
    };
    return {finish(low, 0), high ? finish(high, 8) : Value()};
  }
};

struct ExtendFloat8 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &b) const override {
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    Type wide = getElementTypeOrSelf(op.getType());
    if (!isFloat8(type) || !(wide.isF16() || wide.isBF16() || wide.isF32()))
      return failure();
    Location loc = op.getLoc();
    Type byte = b.getI8Type();
    auto bytes = VectorType::get(2, byte);
    auto halves = VectorType::get(2, b.getF16Type());
    auto finish = [&](Value half) -> Value {
      if (wide.isF16())
        return half;
      Value f32 = arith::ExtFOp::create(b, loc, b.getF32Type(), half);
      // Exact: 8 bits fit.
      return wide.isF32() ? f32
                          : Value(arith::TruncFOp::create(b, loc, wide, f32));
    };
    auto convert = [&](Value low, Value high) -> std::pair<Value, Value> {
      Value first = arith::BitcastOp::create(b, loc, byte, low);
      Value second =
          high ? Value(arith::BitcastOp::create(b, loc, byte, high)) : first;
      Value pair = vector::FromElementsOp::create(b, loc, bytes,
                                                  ValueRange{first, second});
      Value both = NVVM::ConvertF8x2ToF16x2Op::create(
          b, loc, halves, pair, b.getBoolAttr(false), TypeAttr::get(type));
      Value lowHalf = vector::ExtractOp::create(b, loc, both, 0);
      if (!high)
        return {finish(lowHalf), Value()};
      return {finish(lowHalf),
              finish(vector::ExtractOp::create(b, loc, both, 1))};
    };
    b.replaceOp(op, convertPairs(b, loc, op.getIn(), op.getType(), convert));
    return success();
  }
};

/// The bits of bf16 are the upper half of those of f32. ptxas takes two
/// instructions for the upper one of a pair, and a mask is one.
struct ExtendBFloat16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &b) const override {
    auto type = dyn_cast<VectorType>(op.getIn().getType());
    // Elements that are apart would have to be packed first.
    if (!type || type.getRank() != 1 || type.isScalable() ||
        type.getNumElements() % 2 || !type.getElementType().isBF16() ||
        !getElementTypeOrSelf(op.getType()).isF32() ||
        op.getIn().getDefiningOp<vector::FromElementsOp>())
      return failure();
    Location loc = op.getLoc();
    auto words = VectorType::get(type.getNumElements() / 2, b.getI32Type());
    auto constant = [&](int32_t value) {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    Value packed = vector::BitCastOp::create(b, loc, words, op.getIn());
    Value half = constant(16), mask = constant(0xffff0000);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < words.getNumElements(); ++i) {
      Value word = vector::ExtractOp::create(b, loc, packed, i);
      for (Value bits : {Value(arith::ShLIOp::create(b, loc, word, half)),
                         Value(arith::AndIOp::create(b, loc, word, mask))})
        elements.push_back(
            arith::BitcastOp::create(b, loc, b.getF32Type(), bits));
    }
    b.replaceOpWithNewOp<vector::FromElementsOp>(op, op.getType(), elements);
    return success();
  }
};

/// A pair of 0 and the element. Where the element is the upper half of a word
/// that was loaded, ptxas needs one mask for it; a conversion or a shift takes
/// two instructions.
struct ExtendOneBFloat16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &b) const override {
    Value element = op.getIn();
    if (!element.getType().isBF16() || !op.getType().isF32())
      return failure();
    Location loc = op.getLoc();
    auto pair = VectorType::get(2, element.getType());
    auto word = VectorType::get(1, op.getType());
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(element.getType(), 0));
    Value packed =
        vector::FromElementsOp::create(b, loc, pair, ValueRange{zero, element});
    packed = vector::BitCastOp::create(b, loc, word, packed);
    b.replaceOpWithNewOp<vector::ExtractOp>(op, packed, 0);
    return success();
  }
};

struct LowerNVVMSmallFloats
    : mlir::tile::impl::LowerNVVMSmallFloatsPassBase<LowerNVVMSmallFloats> {
  void runOnOperation() override {
    nvidia::foldFourBitScales(getOperation());
    RewritePatternSet patterns(&getContext());
    nvidia::populateFourBitPatterns(patterns);
    patterns.add<ExtendBFloat16, ExtendOneBFloat16>(&getContext());
    const ::tile::target::Target *chip = lookupTarget(getOperation());
    if (chip &&
        llvm::is_contained(chip->features,
                           ::tile::target::Feature::PackedFloat8Convert))
      patterns.add<TruncateToFloat8, ExtendFloat8>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
