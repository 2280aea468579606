//===- VerifyScheduleGemms.cpp - asynchronous gemms -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks through a kernel with the list of gemms that are in flight, the oldest
// first. The body of a loop is walked until what is in flight repeats.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "VerifySchedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A gemm, and how many stages are given back before those of A and of B.
struct InFlight {
  GemmOp gemm;
  std::array<int64_t, 2> stagesBefore;

  bool operator==(const InFlight &other) const {
    return gemm == other.gemm && stagesBefore == other.stagesBefore;
  }
};
using State = SmallVector<InFlight>;

class GemmVerifier {
public:
  LogicalResult walk(Block &block, State &state);
  LogicalResult verifyEnd(Operation *op, const State &state);

private:
  LogicalResult visit(Operation *op, State &state);
  LogicalResult visitLoop(Operation *loop, State &state);
  LogicalResult visitBranches(Operation *op, State &state);
  LogicalResult start(GemmOp gemm, State &state);
  LogicalResult wait(GemmWaitOp wait, State &state);
  LogicalResult release(ConsumerReleaseOp release, State &state);
  LogicalResult report(Operation *op, GemmOp gemm);
};
} // namespace

LogicalResult GemmVerifier::report(Operation *op, GemmOp gemm) {
  InFlightDiagnostic diag =
      op->emitOpError("expected 'tile.gemm_wait' before: a gemm whose operands "
                      "or accumulator it accesses is in flight");
  diag.attachNote(gemm.getLoc()) << "the gemm is started here";
  return diag;
}

LogicalResult GemmVerifier::verifyEnd(Operation *op, const State &state) {
  if (state.empty())
    return success();
  InFlightDiagnostic diag = op->emitOpError(
      "expected 'tile.gemm_wait' before its end: a gemm is in flight");
  diag.attachNote(state.front().gemm->getLoc()) << "the gemm is started here";
  return diag;
}

/// Whether the stage is the one behind the oldest that is held.
static bool isSecondStage(Value operand) {
  while (auto view = operand.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto stage = dyn_cast<StageOp>(view.getOperation())) {
      Operation *index = stage.getIndex().getDefiningOp();
      auto ahead = index ? index->getAttrOfType<IntegerAttr>(kAheadAttrName)
                         : IntegerAttr();
      return ahead && ahead.getInt() == 1;
    }
    operand = view.getViewSource();
  }
  return false;
}

/// Gemms that add to the same sums do so one after the other.
LogicalResult GemmVerifier::start(GemmOp gemm, State &state) {
  for (auto [other, stages] : state) {
    Value accumulators = getBaseBuffer(other.getC());
    bool reads = getBaseBuffer(gemm.getA()) == accumulators ||
                 getBaseBuffer(gemm.getB()) == accumulators;
    bool writes = conflictsWith(gemm, other) &&
                  getBaseBuffer(gemm.getC()) != accumulators;
    if (reads || writes || !gemm.getAsync())
      return report(gemm, other);
  }
  if (gemm.getAsync())
    state.push_back(
        {gemm, {isSecondStage(gemm.getA()), isSecondStage(gemm.getB())}});
  return success();
}

/// Gives the oldest stage back, which no gemm may still read.
LogicalResult GemmVerifier::release(ConsumerReleaseOp release, State &state) {
  for (auto &[gemm, stages] : state)
    for (auto [operand, before] :
         llvm::zip(std::array{gemm.getA(), gemm.getB()}, stages))
      if (getStagePipeline(operand) == release.getPipeline() && before-- == 0)
        return report(release, gemm);
  return success();
}

LogicalResult GemmVerifier::wait(GemmWaitOp wait, State &state) {
  size_t pending = std::min<size_t>(wait.getPending(), state.size());
  DenseSet<Value> expected, got;
  for (const InFlight &ended : ArrayRef(state).drop_back(pending)) {
    GemmOp gemm = ended.gemm;
    expected.insert(getBaseBuffer(gemm.getC()));
  }
  // Another gemm may still add to the same sums.
  for (const InFlight &other : ArrayRef(state).take_back(pending)) {
    GemmOp gemm = other.gemm;
    expected.erase(getBaseBuffer(gemm.getC()));
  }
  for (Value sum : wait.getAccumulators())
    got.insert(getBaseBuffer(sum));
  state.erase(state.begin(), state.end() - pending);
  // tile.gemm_wait C3
  if (llvm::all_of(expected, [&](Value v) { return got.contains(v); }))
    return success();
  return wait.emitOpError() << "expected the accumulators of the "
                            << expected.size()
                            << " gemms that end here, got "
                            << wait.getAccumulators().size();
}

LogicalResult GemmVerifier::visitLoop(Operation *loop, State &state) {
  constexpr int kMaxRounds = 8;
  State entry = state;
  for (int round = 0; round < kMaxRounds; ++round) {
    State before = state;
    if (failed(walk(loop->getRegions().back().front(), state)))
      return failure();
    if (state == before)
      break;
  }
  // Without iterations, what is in flight is what was before.
  if (entry.size() > state.size())
    state = entry;
  return success();
}

LogicalResult GemmVerifier::visitBranches(Operation *op, State &state) {
  State longest = state;
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      State branch = state;
      if (failed(walk(block, branch)))
        return failure();
      if (branch.size() > longest.size())
        longest = branch;
    }
  state = longest;
  return success();
}

LogicalResult GemmVerifier::visit(Operation *op, State &state) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return start(gemm, state);
  if (auto waitOp = dyn_cast<GemmWaitOp>(op))
    return wait(waitOp, state);
  if (auto releaseOp = dyn_cast<ConsumerReleaseOp>(op))
    return release(releaseOp, state);
  if (auto partitions = dyn_cast<WarpSpecializeOp>(op)) {
    if (failed(walk(partitions.getConsumer().front(), state)))
      return failure();
    return verifyEnd(op, state);
  }
  if (op->getNumRegions() == 0 || isa<ParallelOp>(op)) {
    if (isa<ViewLikeOpInterface, AllocOp>(op))
      return success();
    for (auto [gemm, stages] : state)
      if (conflictsWith(op, gemm))
        return report(op, gemm);
    return success();
  }
  if (auto program = dyn_cast<TeamOp>(op)) {
    State own = state;
    if (failed(walk(program.getBody().front(), own)))
      return failure();
    return verifyEnd(op, own);
  }
  return isa<LoopLikeOpInterface, PersistentOp>(op) ? visitLoop(op, state)
                                                    : visitBranches(op, state);
}

LogicalResult GemmVerifier::walk(Block &block, State &state) {
  for (Operation &op : block)
    if (failed(visit(&op, state)))
      return failure();
  return success();
}

LogicalResult mlir::tile::verifyGemms(KernelOp kernel) {
  State state;
  GemmVerifier verifier;
  if (failed(verifier.walk(kernel.getBody().front(), state)))
    return failure();
  return verifier.verifyEnd(kernel, state);
}
