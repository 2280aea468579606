//===- ConvertAffineLoops.cpp - scf loops of affine ones ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDCONVERTAFFINELOOPSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

// Upstream's lowering takes bounds apart into arith ops, of which the proofs of
// accesses know less than of affine ones.
static void convert(affine::AffineForOp loop, IRRewriter &b) {
  Location loc = loop.getLoc();
  b.setInsertionPoint(loop);
  auto createBound = [&](AffineMap map, ValueRange values, auto combine) {
    SmallVector<OpFoldResult> operands = getAsOpFoldResult(values);
    OpFoldResult bound =
        map.getNumResults() == 1
            ? affine::makeComposedFoldedAffineApply(b, loc, map, operands)
            : combine(map, operands);
    return getValueOrCreateConstantIndexOp(b, loc, bound);
  };
  Value lower = createBound(
      loop.getLowerBoundMap(), loop.getLowerBoundOperands(),
      [&](AffineMap map, ArrayRef<OpFoldResult> operands) {
        return affine::makeComposedFoldedAffineMax(b, loc, map, operands);
      });
  Value upper = createBound(
      loop.getUpperBoundMap(), loop.getUpperBoundOperands(),
      [&](AffineMap map, ArrayRef<OpFoldResult> operands) {
        return affine::makeComposedFoldedAffineMin(b, loc, map, operands);
      });
  Value step = arith::ConstantIndexOp::create(b, loc, loop.getStepAsInt());
  auto result =
      scf::ForOp::create(b, loc, lower, upper, step, loop.getInits());
  result->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Operation *end = loop.getBody()->getTerminator();
  b.setInsertionPoint(end);
  b.replaceOpWithNewOp<scf::YieldOp>(end, end->getOperands());
  b.eraseBlock(result.getBody());
  b.inlineRegionBefore(loop.getRegion(), result.getRegion(),
                       result.getRegion().end());
  b.replaceOp(loop, result);
}

namespace {
struct ConvertAffineLoops
    : tile::impl::AscendConvertAffineLoopsPassBase<ConvertAffineLoops> {
  void runOnOperation() override {
    IRRewriter b(&getContext());
    getOperation()->walk([&](KernelOp kernel) {
      kernel.walk([&](affine::AffineForOp loop) { convert(loop, b); });
    });
  }
};
} // namespace
