//===- ScheduleGemms.cpp - products that start and are waited for ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a loop of several products, each is started and waited for only where
// another op needs its sums or overwrites an operand. Stages are given back
// when the products that read them have ended.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

static bool isFollowedBy(GemmOp gemm, GemmOp next) {
  Value sums = getBaseBuffer(gemm.getC());
  if (!isAsyncGemm(next) || getBaseBuffer(next.getA()) == sums ||
      getBaseBuffer(next.getB()) == sums)
    return false;
  // The same instruction adds to the same sums in order.
  return getBaseBuffer(next.getC()) == sums
             ? next.getC() == gemm.getC() &&
                   next.getInstructionAttr() == gemm.getInstructionAttr()
             : !conflictsWith(next, gemm);
}

static bool needsWait(Operation *op, GemmOp gemm) {
  if (isa<ViewLikeOpInterface, AllocOp, ConsumerWaitOp>(op) ||
      isMemoryEffectFree(op))
    return false;
  if (auto next = dyn_cast<GemmOp>(op))
    return !isFollowedBy(gemm, next);
  WalkResult nested = op->walk([](Operation *inner) {
    return isa<GemmOp, GemmWaitOp>(inner) ? WalkResult::interrupt()
                                          : WalkResult::advance();
  });
  return nested.wasInterrupted() || conflictsWith(op, gemm);
}

namespace {
class GemmStarter {
public:
  explicit GemmStarter(PipelinedOp loop) : loop(loop) {}
  void run();

private:
  void waitFor(Operation *op);
  void wait(OpBuilder &b, size_t completed);
  void giveBack(OpBuilder &b);

  PipelinedOp loop;
  SmallVector<GemmOp> inFlight; // in the order of their start
  SmallVector<ConsumerReleaseOp> releases;
};
} // namespace

/// Whether nothing but stages that are given back stands between a product and
/// the builder.
static bool isJustBefore(GemmOp gemm, OpBuilder &b) {
  Block::iterator next = std::next(Block::iterator(gemm));
  while (next != b.getInsertionPoint() && isa<ConsumerReleaseOp>(*next))
    ++next;
  return next == b.getInsertionPoint();
}

/// Waits for the oldest `completed` products, and gives their stages back. One
/// that nothing could run beside is not started.
void GemmStarter::wait(OpBuilder &b, size_t completed) {
  auto isSumOf = [](GemmOp gemm) {
    return [sums = getBaseBuffer(gemm.getC())](GemmOp other) {
      return getBaseBuffer(other.getC()) == sums;
    };
  };
  // Registers that a product still adds to are not complete.
  for (size_t i = 0; i < completed; ++i)
    for (size_t j = completed; j < inFlight.size(); ++j)
      if (isSumOf(inFlight[i])(inFlight[j]))
        completed = j + 1;
  GemmOp last = inFlight.back();
  if (inFlight.size() == 1 && isJustBefore(last, b)) {
    last.setAsync(false);
    inFlight.clear();
    return giveBack(b);
  }
  llvm::SetVector<Value> sums;
  for (GemmOp gemm : ArrayRef(inFlight).take_front(completed))
    sums.insert(gemm.getC());
  inFlight.erase(inFlight.begin(), inFlight.begin() + completed);
  GemmWaitOp::create(b, loop.getLoc(), sums.getArrayRef(), inFlight.size());
  giveBack(b);
}

/// Gives back the stages that no product reads any more.
void GemmStarter::giveBack(OpBuilder &b) {
  llvm::erase_if(releases, [&](ConsumerReleaseOp release) {
    if (llvm::any_of(inFlight,
                     [&](GemmOp gemm) { return conflictsWith(release, gemm); }))
      return false;
    release->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
    return true;
  });
}

void GemmStarter::waitFor(Operation *op) {
  size_t completed = 0;
  for (auto [i, gemm] : llvm::enumerate(inFlight))
    if (needsWait(op, gemm))
      completed = i + 1;
  OpBuilder b(op);
  if (completed > 0)
    wait(b, completed);
}

void GemmStarter::run() {
  Block &body = loop.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (auto release = dyn_cast<ConsumerReleaseOp>(op)) {
      if (llvm::any_of(inFlight, [&](GemmOp gemm) {
            return conflictsWith(release, gemm);
          }))
        releases.push_back(release);
      continue;
    }
    waitFor(&op);
    if (isAsyncGemm(&op)) {
      inFlight.push_back(cast<GemmOp>(op));
      inFlight.back().setAsync(true);
    }
  }
  // Stages go back as soon as their products have ended.
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  while (!inFlight.empty())
    wait(b, releases.empty() ? inFlight.size() : 1);
}

void mlir::tile::startGemms(PipelinedOp loop) {
  auto gemms = llvm::filter_to_vector(loop.getBody().getOps<GemmOp>(),
                                      [](GemmOp g) { return isAsyncGemm(g); });
  bool isByHand = llvm::any_of(gemms, [](GemmOp g) { return g.getAsync(); });
  if (gemms.size() < 2 || isByHand)
    return;
  GemmStarter(loop).run();
  llvm::erase_if(gemms, [](GemmOp gemm) { return !gemm.getAsync(); });
  if (gemms.empty())
    return;
  remark::passed(
      loop.getLoc(),
      remark::RemarkOpts::name("AsyncGemms").category(kScheduleCategory))
      << remark::metric("gemms", gemms.size());
}
