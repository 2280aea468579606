//===- VerifyScheduleRings.cpp - running the steps of rings ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each role becomes a list of steps under a scenario, which says how often
// loops run and which way branches go. Then the two lists run side by side.
//
//===----------------------------------------------------------------------===//

#include "VerifySchedule.h"

#include "Tile/Analysis/AccessSystem.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// How often loops run: all `trips` times, or, with a seed, a number that
/// depends on their bounds and on the iterations around them.
struct Scenario {
  ArrayRef<int64_t> counts;
  int64_t trips;
  size_t seed;

  int64_t choose(StringRef key) const {
    if (seed == 0)
      return trips;
    // The same on all machines, unlike llvm::hash_value.
    uint64_t hash = llvm::xxh3_64bits((key + llvm::Twine(seed)).str());
    return counts[hash % counts.size()];
  }
};

/// Numbers of the values that the roles have in common.
using ValueNumbers = DenseMap<Value, unsigned>;

/// The steps of one role in the order in which they are taken.
class Steps {
public:
  Steps(Region &role, const Scenario &scenario, ValueNumbers &numbers)
      : role(role), scenario(scenario), numbers(numbers) {
    expand(role.front());
  }
  ArrayRef<Operation *> get() const { return steps; }

private:
  void expand(Block &block);
  void expandLoop(Operation *loop);
  void writeKey(llvm::raw_ostream &os, Value value);
  void writeIterations(llvm::raw_ostream &os) {
    llvm::interleaveComma(iterations, os);
  }

  Region &role;
  const Scenario &scenario;
  ValueNumbers &numbers;
  SmallVector<Operation *> steps;
  SmallVector<int64_t> iterations;
};

struct RingState {
  int64_t filled = 0, released = 0;
  /// The acquire or wait whose slot is held.
  Operation *acquire = nullptr, *wait = nullptr;
  int64_t bytes = 0;
};

class RingMachine {
public:
  /// Runs the roles; `second` may be null.
  LogicalResult run(ArrayRef<Operation *> first, ArrayRef<Operation *> second);

private:
  enum class Outcome { Done, Blocked, Failed };
  Outcome step(Operation *op);
  Outcome acquire(ProducerAcquireOp op);
  Outcome commit(ProducerCommitOp op);
  Outcome wait(ConsumerWaitOp op);
  Outcome release(ConsumerReleaseOp op);
  Outcome use(Operation *op);
  LogicalResult verifyEnd();

  llvm::MapVector<Value, RingState> rings;
};
} // namespace

/// A list longer than this tells nothing new.
static constexpr size_t kMaxSteps = 20000;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The slots that an op touches, itself or in its regions.
static bool touchesSlot(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    auto view = operand.getDefiningOp<ViewLikeOpInterface>();
    return view && isa<MemRefType>(operand.getType());
  });
}

/// The same text for values that both roles compute in the same way.
void Steps::writeKey(llvm::raw_ostream &os, Value value) {
  if (!role.isAncestor(value.getParentRegion())) {
    os << '%' << numbers.try_emplace(value, numbers.size()).first->second;
    return;
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    unsigned depth = 0;
    for (Operation *op = arg.getOwner()->getParentOp();
         op != role.getParentOp(); op = op->getParentOp())
      ++depth;
    os << "arg" << depth << '.' << arg.getArgNumber();
    return;
  }
  Operation *op = value.getDefiningOp();
  os << op->getName() << op->getAttrDictionary() << '#'
     << cast<OpResult>(value).getResultNumber() << '(';
  for (Value operand : op->getOperands()) {
    writeKey(os, operand);
    os << ',';
  }
  os << ')';
}

void Steps::expandLoop(Operation *loop) {
  std::string key;
  llvm::raw_string_ostream os(key);
  SmallVector<Value> bounds = llvm::to_vector(loop->getOperands());
  if (std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(loop)) {
    bounds.clear();
    for (const LoopRange &range : *ranges) {
      llvm::append_range(bounds, range.lowerOperands);
      llvm::append_range(bounds, range.upperOperands);
      if (auto step = dyn_cast<Value>(range.step))
        bounds.push_back(step);
      else
        os << cast<Attribute>(range.step);
      os << range.lower << range.upper;
    }
  }
  for (Value bound : bounds)
    writeKey(os, bound);
  writeIterations(os);
  int64_t trips = scenario.choose(key);
  for (int64_t trip = 0; trip < trips && steps.size() < kMaxSteps; ++trip) {
    iterations.push_back(trip);
    for (Region &region : loop->getRegions())
      expand(region.front());
    iterations.pop_back();
  }
}

void Steps::expand(Block &block) {
  for (Operation &op : block) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::string key;
      llvm::raw_string_ostream os(key);
      writeKey(os, branch.getCondition());
      writeIterations(os);
      Region &taken = scenario.choose(key) % 2 != 0 ? branch.getThenRegion()
                                                    : branch.getElseRegion();
      if (!taken.empty())
        expand(taken.front());
      continue;
    }
    if (!isa<ParallelOp, KernelOp, RolesOp>(op) &&
        (getLoopRanges(&op) || isa<scf::WhileOp>(op))) {
      expandLoop(&op);
      continue;
    }
    bool isStep = isa<ProducerAcquireOp, ProducerCommitOp, ConsumerWaitOp,
                      ConsumerReleaseOp>(op);
    op.walk([&](Operation *nested) {
      isStep |= touchesSlot(nested) && !isa<ViewLikeOpInterface>(nested);
    });
    if (isStep && !isa<RolesOp>(op))
      steps.push_back(&op);
  }
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

RingMachine::Outcome RingMachine::acquire(ProducerAcquireOp op) {
  RingState &ring = rings[op.getRing()];
  if (ring.acquire) {
    InFlightDiagnostic diag =
        op.emitOpError("expected 'tile.producer_commit' before the next "
                       "'tile.producer_acquire'");
    diag.attachNote(ring.acquire->getLoc()) << "the slot was acquired here";
    return Outcome::Failed;
  }
  if (ring.filled - ring.released >= op.getRing().getType().getStages())
    return Outcome::Blocked;
  ring.acquire = op;
  ring.bytes = 0;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::commit(ProducerCommitOp op) {
  RingState &ring = rings[op.getRing()];
  if (!ring.acquire) {
    op.emitOpError("expected 'tile.producer_acquire' before");
    return Outcome::Failed;
  }
  auto acquire = cast<ProducerAcquireOp>(ring.acquire);
  if (ring.bytes != int64_t(acquire.getBytes())) {
    InFlightDiagnostic diag =
        op.emitOpError() << "expected copies of " << int64_t(acquire.getBytes())
                         << " bytes before the commit, got " << ring.bytes;
    diag.attachNote(acquire.getLoc()) << "the slot was acquired here";
    return Outcome::Failed;
  }
  ring.acquire = nullptr;
  ++ring.filled;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::wait(ConsumerWaitOp op) {
  RingState &ring = rings[op.getRing()];
  if (ring.wait) {
    InFlightDiagnostic diag =
        op.emitOpError("expected 'tile.consumer_release' before the next "
                       "'tile.consumer_wait'");
    diag.attachNote(ring.wait->getLoc()) << "the slot was waited for here";
    return Outcome::Failed;
  }
  if (ring.filled <= ring.released)
    return Outcome::Blocked;
  ring.wait = op;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::release(ConsumerReleaseOp op) {
  RingState &ring = rings[op.getRing()];
  if (!ring.wait) {
    op.emitOpError("expected 'tile.consumer_wait' before");
    return Outcome::Failed;
  }
  ring.wait = nullptr;
  ++ring.released;
  return Outcome::Done;
}

/// The slot op that a chain of views begins with.
static SlotOp findSlot(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto slot = dyn_cast<SlotOp>(view.getOperation()))
      return slot;
    value = view.getViewSource();
  }
  return {};
}

static int64_t countBytes(CopyOp copy) {
  BufferRegion region = copy.getTargetRegion();
  int64_t bits = region.getType().getElementTypeBitWidth();
  for (int64_t size : region.sizes)
    bits *= size;
  return bits / 8;
}

RingMachine::Outcome RingMachine::use(Operation *op) {
  if (auto copy = dyn_cast<CopyOp>(op); copy && copy.getSignal()) {
    RingState &ring = rings[copy.getSignal()];
    SlotOp slot = findSlot(copy.getTarget());
    if (!ring.acquire || !slot ||
        slot.getIndex().getDefiningOp() != ring.acquire) {
      copy.emitOpError("uses a slot that is not held");
      return Outcome::Failed;
    }
    ring.bytes += countBytes(copy);
    return Outcome::Done;
  }
  WalkResult result = op->walk([&](Operation *nested) {
    if (isa<ViewLikeOpInterface>(nested))
      return WalkResult::advance();
    for (Value operand : nested->getOperands()) {
      SlotOp slot = findSlot(operand);
      auto wait = slot ? slot.getIndex().getDefiningOp<ConsumerWaitOp>()
                       : ConsumerWaitOp();
      if (!wait || rings[wait.getRing()].wait == wait)
        continue;
      InFlightDiagnostic diag =
          nested->emitOpError("uses a slot that is not held");
      diag.attachNote(wait.getLoc()) << "the slot is of this op";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? Outcome::Failed : Outcome::Done;
}

RingMachine::Outcome RingMachine::step(Operation *op) {
  if (auto acquireOp = dyn_cast<ProducerAcquireOp>(op))
    return acquire(acquireOp);
  if (auto commitOp = dyn_cast<ProducerCommitOp>(op))
    return commit(commitOp);
  if (auto waitOp = dyn_cast<ConsumerWaitOp>(op))
    return wait(waitOp);
  if (auto releaseOp = dyn_cast<ConsumerReleaseOp>(op))
    return release(releaseOp);
  return use(op);
}

LogicalResult RingMachine::verifyEnd() {
  for (auto &[ring, state] : rings) {
    if (state.acquire)
      return state.acquire->emitOpError(
          "expected 'tile.producer_commit' behind");
    if (state.wait)
      return state.wait->emitOpError("expected 'tile.consumer_release' behind");
    if (state.filled != state.released)
      return ring.getDefiningOp()->emitOpError()
             << "expected as many slots to be given back as are filled, got "
             << state.released << " and " << state.filled;
  }
  return success();
}

LogicalResult RingMachine::run(ArrayRef<Operation *> first,
                               ArrayRef<Operation *> second) {
  ArrayRef<Operation *> roles[] = {first, second};
  while (!roles[0].empty() || !roles[1].empty()) {
    bool isStuck = true;
    for (ArrayRef<Operation *> &role : roles) {
      while (!role.empty()) {
        Outcome outcome = step(role.front());
        if (outcome == Outcome::Failed)
          return failure();
        if (outcome == Outcome::Blocked)
          break;
        role = role.drop_front();
        isStuck = false;
      }
    }
    if (!isStuck)
      continue;
    unsigned stuck = roles[0].empty() ? 1 : 0;
    InFlightDiagnostic diag =
        roles[stuck].front()->emitOpError("waits for ever");
    if (stuck == 0 && !roles[1].empty())
      diag.attachNote(roles[1].front()->getLoc())
          << "the other role waits here";
    return diag;
  }
  return verifyEnd();
}

//===----------------------------------------------------------------------===//
// Scenarios
//===----------------------------------------------------------------------===//

static LogicalResult runScenario(KernelOp kernel, const Scenario &scenario) {
  ValueNumbers numbers;
  // Steps outside of roles are one sequence.
  Steps alone(kernel.getBody(), scenario, numbers);
  if (failed(RingMachine().run(alone.get(), {})))
    return failure();
  for (auto roles : kernel.getBody().getOps<RolesOp>()) {
    Steps producer(roles.getProducer(), scenario, numbers);
    Steps consumer(roles.getConsumer(), scenario, numbers);
    if (failed(RingMachine().run(producer.get(), consumer.get())))
      return failure();
  }
  return success();
}

LogicalResult mlir::tile::verifyRings(KernelOp kernel) {
  llvm::SetVector<int64_t> counts;
  kernel.walk([&](RingOp ring) {
    int64_t stages = ring.getRing().getType().getStages();
    for (int64_t count :
         {int64_t(0), int64_t(1), stages - 1, stages, stages + 1})
      counts.insert(count);
  });
  constexpr size_t kMixed = 16;
  // Many trips first: who waits for ever tells more than a wrong count.
  SmallVector<int64_t> sorted = llvm::to_vector(counts);
  llvm::sort(sorted, std::greater<int64_t>());
  for (int64_t trips : sorted)
    if (failed(runScenario(kernel, {sorted, trips, 0})))
      return failure();
  for (size_t seed = 1; seed <= kMixed && !counts.empty(); ++seed)
    if (failed(runScenario(kernel, {sorted, 0, seed})))
      return failure();
  return success();
}
