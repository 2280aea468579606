//===- UnrollLaunches.cpp - loops of host code around kernels -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tile {
#define GEN_PASS_DEF_UNROLLLAUNCHESPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Each is compiled: more than that is a mistake, or belongs on the device.
static constexpr int64_t kMaxLaunches = 64;

static int64_t countKernels(Operation *root) {
  int64_t count = 0;
  root->walk([&](KernelOp) { ++count; });
  return count;
}

/// The body once for each iteration, in the place of the loop.
static void unroll(scf::ForOp loop, int64_t lower, int64_t step,
                   int64_t trips) {
  OpBuilder b(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t trip = 0; trip < trips; ++trip) {
    IRMapping mapping;
    Value variable = arith::ConstantOp::create(
        b, loop.getLoc(),
        b.getIntegerAttr(loop.getInductionVar().getType(),
                         lower + trip * step));
    mapping.map(loop.getInductionVar(), variable);
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, mapping);
    for (auto [value, yielded] :
         llvm::zip(carried, loop.getBody()->getTerminator()->getOperands()))
      value = mapping.lookupOrDefault(yielded);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

static LogicalResult unroll(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step)
    return loop.emitOpError(
        "launches kernels a number of times that is not a constant; call a "
        "function with the body of the loop from a loop of the caller");
  // In a loop with bounds of 64 bits the difference may not fit.
  __int128 span = __int128(*upper) - *lower;
  int64_t kernels = countKernels(loop);
  __int128 trips =
      *step < 1 || span <= 0 ? 0 : (span + *step - 1) / *step;
  if (trips * kernels > kMaxLaunches)
    return loop.emitOpError()
           << "launches more than " << kMaxLaunches
           << " kernels; call a function with the body of the loop from a "
              "loop of the caller";
  unroll(loop, *lower, *step, int64_t(trips));
  return success();
}

namespace {
struct UnrollLaunchesPass
    : tile::impl::UnrollLaunchesPassBase<UnrollLaunchesPass> {
  using UnrollLaunchesPassBase::UnrollLaunchesPassBase;

  void runOnOperation() override {
    // Outer loops first: the bounds of inner ones may be computed from their
    // variables.
    while (scf::ForOp loop = findLoop())
      if (failed(unroll(loop)))
        return signalPassFailure();
  }

  /// An outermost loop of host code with kernels.
  scf::ForOp findLoop() {
    scf::ForOp found;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      found = dyn_cast<scf::ForOp>(op);
      if (found && countKernels(found) != 0)
        return WalkResult::interrupt();
      found = {};
      return WalkResult::advance();
    });
    return found;
  }
};
} // namespace
