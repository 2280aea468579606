//===- FourBits.cpp - elements of 4 bits on AMD GPUs ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FourBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// The elements as integers of 32 bits: of each word, the first is in the
/// lowest bits.
static Value extend(OpBuilder &b, Location loc, Value small, bool isSigned) {
  int64_t count = cast<VectorType>(small.getType()).getNumElements();
  auto words = VectorType::get(count / 8, b.getI32Type());
  Value all = LLVM::BitcastOp::create(b, loc, words, small);
  auto shift = [&](int64_t bits) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(bits)));
  };
  SmallVector<vector::ToElementsOp> parts;
  for (int64_t i = 0; i < 8; ++i) {
    Value raised = arith::ShLIOp::create(b, loc, all, shift(28 - 4 * i));
    Value part =
        isSigned
            ? arith::ShRSIOp::create(b, loc, raised, shift(28)).getResult()
            : arith::ShRUIOp::create(b, loc, raised, shift(28)).getResult();
    parts.push_back(vector::ToElementsOp::create(b, loc, part));
  }
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(parts[i % 8].getResult(i / 8));
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(count, b.getI32Type()), elements);
}

namespace {
/// Of a conversion from integers, which is done from those of 32 bits.
template <typename OpTy> struct ConvertFourBits : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &b) const override {
    auto from = dyn_cast<VectorType>(op.getIn().getType());
    if (!from || from.getRank() != 1 || from.getNumElements() % 8 != 0 ||
        !from.getElementType().isInteger(4))
      return failure();
    constexpr bool isSigned = std::is_same_v<OpTy, arith::SIToFPOp> ||
                              std::is_same_v<OpTy, arith::ExtSIOp>;
    Value wide = extend(b, op.getLoc(), op.getIn(), isSigned);
    Type type = getElementTypeOrSelf(op.getType());
    if (type.isInteger(32))
      b.replaceOp(op, wide);
    else if (type.isInteger() && type.getIntOrFloatBitWidth() < 32)
      b.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), wide);
    else
      b.replaceOpWithNewOp<OpTy>(op, op.getType(), wide);
    return success();
  }
};
} // namespace

void tile::populateFourBits(RewritePatternSet &patterns) {
  patterns.add<ConvertFourBits<arith::SIToFPOp>,
               ConvertFourBits<arith::UIToFPOp>,
               ConvertFourBits<arith::ExtSIOp>,
               ConvertFourBits<arith::ExtUIOp>>(patterns.getContext());
}
