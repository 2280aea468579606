//===- HoistScalars.cpp - scalars that do not change in a loop ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Ascend/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace mlir::tile::ascend {
#define GEN_PASS_DEF_ASCENDHOISTSCALARSPASS
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::tile::ascend

using namespace mlir;

/// The bodies of the loop and of its branches, outer ones first, without those
/// of loops in it, from which ops have come already.
static SmallVector<Region *> getRegions(LoopLikeOpInterface loop) {
  SmallVector<Region *> regions(loop.getLoopRegions());
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == loop)
      return WalkResult::advance();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region &region : branch->getRegions())
        regions.push_back(&region);
    return isa<LoopLikeOpInterface>(op) ? WalkResult::skip()
                                        : WalkResult::advance();
  });
  return regions;
}

namespace {
struct AscendHoistScalars
    : tile::ascend::impl::AscendHoistScalarsPassBase<AscendHoistScalars> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(
          getRegions(loop),
          [&](Value value, Region *) {
            return loop.isDefinedOutsideOfLoop(value);
          },
          [](Operation *op, Region *) {
            return op->getNumRegions() == 0 && isPure(op);
          },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};
} // namespace
