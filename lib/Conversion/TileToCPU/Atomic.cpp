//===- Atomic.cpp - atomic updates ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

static arith::AtomicRMWKind getKind(AtomicOp op) {
  using K = arith::AtomicRMWKind;
  Type element = cast<MemRefType>(op.getTarget().getType()).getElementType();
  bool isFloat = isa<FloatType>(element), isUnsigned = op.getIsUnsigned();
  switch (op.getKind()) {
  case AtomicKind::Add:
    return isFloat ? K::addf : K::addi;
  case AtomicKind::Max:
    return isFloat ? K::maxnumf : isUnsigned ? K::maxu : K::maxs;
  case AtomicKind::Min:
    return isFloat ? K::minnumf : isUnsigned ? K::minu : K::mins;
  case AtomicKind::Or:
    return K::ori;
  }
  llvm_unreachable("all kinds are handled");
}

/// The same buffer with elements of i16.
static Value viewAsI16(OpBuilder &b, Location loc, Value buffer) {
  auto cast = [&](Value value, Type type) {
    return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
  };
  auto type = llvm::cast<MemRefType>(buffer.getType());
  auto plain = MemRefType::get(type.getShape(), type.getElementType(),
                               type.getLayout());
  auto bits =
      MemRefType::get(type.getShape(), b.getI16Type(), type.getLayout());
  Type descriptor = LLVMTypeConverter(b.getContext()).convertType(plain);
  return cast(cast(cast(buffer, plain), descriptor), bits);
}

/// bf16: LLVM would use the machine's conversion, which on some takes subnormals for zero. What is written out here is
/// computed as all other bf16 is.
static Value updateBF16(OpBuilder &b, Location loc, AtomicKind kind,
                        Value value, Value buffer, ValueRange indices) {
  auto generic = memref::GenericAtomicRMWOp::create(
      b, loc, viewAsI16(b, loc, buffer), indices);
  OpBuilder body = OpBuilder::atBlockEnd(generic.getBody());
  Value old = arith::BitcastOp::create(body, loc, value.getType(),
                                       generic.getCurrentValue());
  Value next;
  if (kind == AtomicKind::Add)
    next = arith::AddFOp::create(body, loc, old, value);
  else if (kind == AtomicKind::Max)
    next = arith::MaxNumFOp::create(body, loc, old, value);
  else
    next = arith::MinNumFOp::create(body, loc, old, value);
  next = arith::BitcastOp::create(body, loc, b.getI16Type(), next);
  memref::AtomicYieldOp::create(body, loc, next);
  return arith::BitcastOp::create(b, loc, value.getType(), generic.getResult());
}

/// Updates one element and returns what it was.
static Value update(OpBuilder &b, AtomicOp op, Value value, Value buffer,
                    ValueRange indices) {
  if (value.getType().isBF16())
    return updateBF16(b, op.getLoc(), op.getKind(), value, buffer, indices);
  return memref::AtomicRMWOp::create(b, op.getLoc(), getKind(op), value, buffer,
                                     indices);
}

namespace {
struct LowerAtomic : OpRewritePattern<AtomicOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AtomicOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isTileForm())
      lowerTile(op, rewriter);
    else
      lowerScalar(op, rewriter);
    return success();
  }

private:
  static void lowerScalar(AtomicOp op, PatternRewriter &rewriter) {
    SmallVector<Value> indices;
    if (std::optional<AffineMap> map = op.getTargetMap())
      for (unsigned i = 0; i < map->getNumResults(); ++i)
        indices.push_back(affine::AffineApplyOp::create(
            rewriter, op.getLoc(), map->getSubMap({i}), op.getTargetIndices()));
    Value old =
        update(rewriter, op, op.getValue(), op.getTarget(), indices);
    if (op.getOld())
      rewriter.replaceOp(op, old);
    else
      rewriter.eraseOp(op);
  }

  static void lowerTile(AtomicOp op, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    LoopRegion from =
        makeLoopRegion(rewriter, op, getWholeRegion(op.getValue()));
    LoopRegion to = makeLoopRegion(rewriter, op, op.getTargetRegion());
    inIf(rewriter, loc, to.inside, [&](OpBuilder &b) {
      buildLoops(b, loc, to.lower, to.upper,
                 [&](OpBuilder &b, Location loc, ValueRange ivs) {
                   Value value = memref::LoadOp::create(
                       b, loc, from.buffer, from.getIndices(b, loc, ivs));
                   update(b, op, value, to.buffer,
                          to.getIndices(b, loc, ivs));
                 });
    });
    rewriter.eraseOp(op);
  }
};
} // namespace

void cpu::populateAtomicPatterns(RewritePatternSet &patterns,
                                 const LoweringOptions &) {
  patterns.add<LowerAtomic>(patterns.getContext());
}
