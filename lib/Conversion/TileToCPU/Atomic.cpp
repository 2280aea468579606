//===- Atomic.cpp - atomic updates ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

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
        memref::AtomicRMWOp::create(rewriter, op.getLoc(), getKind(op),
                                    op.getValue(), op.getTarget(), indices);
    if (op.getOld())
      rewriter.replaceOp(op, old);
    else
      rewriter.eraseOp(op);
  }

  static void lowerTile(AtomicOp op, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    LoopRegion from =
        makeLoopRegion(rewriter, loc, getWholeRegion(op.getValue()));
    LoopRegion to = makeLoopRegion(rewriter, loc, op.getTargetRegion());
    inIf(rewriter, loc, to.inside, [&](OpBuilder &b) {
      buildLoops(b, loc, to.lower, to.upper,
                 [&](OpBuilder &b, Location loc, ValueRange ivs) {
                   Value value = memref::LoadOp::create(
                       b, loc, from.buffer, from.getIndices(b, loc, ivs));
                   memref::AtomicRMWOp::create(b, loc, getKind(op), value,
                                               to.buffer,
                                               to.getIndices(b, loc, ivs));
                 });
    });
    rewriter.eraseOp(op);
  }
};
} // namespace

void cpu::populateAtomicPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerAtomic>(patterns.getContext());
}
