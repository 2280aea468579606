//===- DeferSignals.cpp - signals behind the next main loop ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Dialect/World/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile::world {
#define GEN_PASS_DEF_WORLDDEFERSIGNALSPASS
#include "Tile/Dialect/World/Transforms/Passes.h.inc"
} // namespace mlir::tile::world

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::world;

/// The last pipelined loop in front of the op.
static Operation *findMainLoop(Operation *op) {
  while ((op = op->getPrevNode()))
    if (isa<PipelinedOp>(op))
      return op;
  return nullptr;
}

/// Why the signal is sent at once; empty if it is deferred.
static StringRef findObstacle(SignalOp signal) {
  if (signal.getSet())
    return "it sets its flag";
  if (signal.getWorld())
    return "it is for all ranks";
  if (!isa<PersistentOp>(signal->getParentOp()))
    return "it is in a branch or a loop of the tile";
  if (!findMainLoop(signal))
    return "no pipelined loop is in front of it";
  auto waits = signal->getParentOfType<KernelOp>().walk([](Operation *op) {
    return isa<WaitOp, world::BarrierOp>(op) ? WalkResult::interrupt()
                                             : WalkResult::advance();
  });
  if (waits.wasInterrupted())
    return "its kernel waits for other ranks, which may wait for this signal";
  return "";
}

static void defer(SignalOp signal) {
  Operation *tiles = signal->getParentOp();
  Location loc = signal.getLoc();
  OpBuilder b(tiles);
  Value room = CreateDeferredOp::create(
      b, loc,
      DeferredType::get(signal.getContext(), cast<IntegerType>(
          signal.getValue().getType())));
  signal.getDeferredMutable().assign(room);
  b.setInsertionPointAfter(tiles);
  FlushOp::create(b, loc, room);
  b.setInsertionPointAfter(findMainLoop(signal));
  FlushOp::create(b, loc, room);
}

namespace {
struct WorldDeferSignals
    : world::impl::WorldDeferSignalsPassBase<WorldDeferSignals> {
  using WorldDeferSignalsPassBase::WorldDeferSignalsPassBase;

  void runOnOperation() override {
    getOperation().walk([](SignalOp signal) {
      if (signal.getDeferred() || !signal->getParentOfType<PersistentOp>())
        return;
      StringRef obstacle = findObstacle(signal);
      auto about = remark::RemarkOpts::name("DeferSignals")
                       .category("world-defer-signals");
      if (!obstacle.empty()) {
        remark::missed(signal.getLoc(), about) << remark::reason("{0}", obstacle);
        return;
      }
      defer(signal);
      remark::passed(signal.getLoc(), about)
          << "sent behind the main loop of the next tile";
    });
  }
};
} // namespace
