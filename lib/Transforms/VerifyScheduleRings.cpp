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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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
  void expandOp(Operation &op);
  void expandBranch(scf::IfOp branch);
  void expandLoop(Operation *loop);
  std::string getKey(Operation *loop, std::optional<LoopRange> begun);
  bool expandBegunLoop(scf::IfOp branch);
  void repeat(Operation *loop, int64_t first, int64_t trips);
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

/// What one warpgroup of the consumer does with a ring.
struct ReaderState {
  int64_t released = 0;
  Operation *wait = nullptr; // whose slot is held
};

struct RingState {
  int64_t filled = 0;
  Operation *acquire = nullptr; // whose slot is held
  int64_t bytes = 0;
  SmallVector<ReaderState> readers;

  /// Slots that all have given back.
  int64_t countReleased() const {
    return llvm::min_element(readers, [](const ReaderState &a,
                                         const ReaderState &b) {
             return a.released < b.released;
           })->released;
  }
};

/// Where one warpgroup is with turns, and with barriers of all.
struct TurnState {
  int64_t taken = 0, passed = 0, arrived = 0;
  Operation *held = nullptr;
  bool atBarrier = false;
};

class RingMachine {
public:
  /// The consumer has `numGroups` warpgroups, which may run apart.
  explicit RingMachine(int64_t numGroups = 1) : turns(numGroups) {}
  /// Runs the roles; `second` may be null.
  LogicalResult run(ArrayRef<Operation *> first, ArrayRef<Operation *> second);

private:
  enum class Outcome { Done, Blocked, Failed };
  Outcome step(Operation *op);
  Outcome acquire(ProducerAcquireOp op);
  Outcome commit(ProducerCommitOp op);
  Outcome wait(ConsumerWaitOp op);
  Outcome release(ConsumerReleaseOp op);
  Outcome takeTurn(TakeTurnOp op);
  Outcome passTurn(PassTurnOp op);
  Outcome meet();
  Outcome use(Operation *op);
  LogicalResult verifyEnd();
  RingState &getRing(Value ring) {
    RingState &state = rings[ring];
    state.readers.resize(turns.size());
    return state;
  }

  llvm::MapVector<Value, RingState> rings;
  SmallVector<TurnState> turns;
  /// The warpgroup whose step it is.
  size_t group = 0;
};
} // namespace

/// Threads that take turns together.
static constexpr int64_t kGroupThreads = 128;

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

/// The same text for loops of the same bounds in the same iterations. `begun`
/// is the range of a loop of which this is all but the first iteration.
std::string Steps::getKey(Operation *loop, std::optional<LoopRange> begun) {
  std::string key;
  llvm::raw_string_ostream os(key);
  SmallVector<Value> bounds = llvm::to_vector(loop->getOperands());
  std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(loop);
  if (begun)
    ranges = SmallVector<LoopRange>{*begun};
  if (ranges) {
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
  return key;
}

void Steps::repeat(Operation *loop, int64_t first, int64_t trips) {
  for (int64_t trip = first; trip < trips && steps.size() < kMaxSteps; ++trip) {
    iterations.push_back(trip);
    for (Region &region : loop->getRegions())
      expand(region.front());
    iterations.pop_back();
  }
}

void Steps::expandLoop(Operation *loop) {
  repeat(loop, 0, scenario.choose(getKey(loop, std::nullopt)));
}

/// The range from `lower` on of which `loop` does all but the first iteration,
/// if it does.
static std::optional<LoopRange> getBegunRange(PipelinedOp loop, Value lower,
                                              Value upper) {
  SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
  LoopRange range = getLoopRanges(loop)->front();
  if (!isEqualConstantIntOrValue(bounds[1], getAsOpFoldResult(upper)))
    return std::nullopt;
  std::optional<int64_t> from = getConstantIntValue(lower);
  std::optional<int64_t> next = getConstantIntValue(bounds[0]);
  std::optional<int64_t> step = getConstantIntValue(bounds[2]);
  if (from && next && step) {
    if (*next != *from + *step)
      return std::nullopt;
    range.lower = AffineMap::getConstantMap(*from, loop.getContext());
    return range;
  }
  auto value = dyn_cast<Value>(bounds[0]);
  auto sum = value ? value.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  if (!sum || sum.getLhs() != lower ||
      !isEqualConstantIntOrValue(getAsOpFoldResult(sum.getRhs()), bounds[2]))
    return std::nullopt;
  if (from) {
    range.lower = AffineMap::getConstantMap(*from, loop.getContext());
    range.lowerOperands.clear();
  } else {
    range.lowerOperands = {lower};
  }
  return range;
}

/// `if (lower < upper) { first iteration; loop from the second on }`, as
/// tile-schedule turns loops: it runs as often as the loop that it was.
bool Steps::expandBegunLoop(scf::IfOp branch) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  auto loops = branch.thenBlock()->getOps<PipelinedOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      !llvm::hasSingleElement(loops) || !branch.getElseRegion().empty())
    return false;
  PipelinedOp loop = *loops.begin();
  std::optional<LoopRange> range =
      getBegunRange(loop, compare.getLhs(), compare.getRhs());
  if (!range)
    return false;
  int64_t trips = scenario.choose(getKey(loop, range));
  if (trips == 0)
    return true;
  for (Operation &op : *branch.thenBlock())
    if (&op == loop)
      repeat(loop, 1, trips);
    else
      expandOp(op);
  return true;
}

void Steps::expandBranch(scf::IfOp branch) {
  if (expandBegunLoop(branch))
    return;
  std::string key;
  llvm::raw_string_ostream os(key);
  writeKey(os, branch.getCondition());
  writeIterations(os);
  Region &taken = scenario.choose(key) % 2 != 0 ? branch.getThenRegion()
                                                : branch.getElseRegion();
  if (!taken.empty())
    expand(taken.front());
}

void Steps::expandOp(Operation &op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return expandBranch(branch);
  if (!isa<ParallelOp, KernelOp, RolesOp>(op) &&
      (getLoopRanges(&op) || isa<scf::WhileOp>(op)))
    return expandLoop(&op);
  bool isStep = isa<ProducerAcquireOp, ProducerCommitOp, ConsumerWaitOp,
                    ConsumerReleaseOp, TakeTurnOp, PassTurnOp, BarrierOp>(op);
  op.walk([&](Operation *nested) {
    isStep |= touchesSlot(nested) && !isa<ViewLikeOpInterface>(nested);
  });
  if (isStep && !isa<RolesOp>(op))
    steps.push_back(&op);
}

void Steps::expand(Block &block) {
  for (Operation &op : block)
    expandOp(op);
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

RingMachine::Outcome RingMachine::acquire(ProducerAcquireOp op) {
  RingState &ring = getRing(op.getRing());
  if (ring.acquire) {
    InFlightDiagnostic diag =
        op.emitOpError("expected 'tile.producer_commit' before the next "
                       "'tile.producer_acquire'");
    diag.attachNote(ring.acquire->getLoc()) << "the slot was acquired here";
    return Outcome::Failed;
  }
  if (ring.filled - ring.countReleased() >= op.getRing().getType().getStages())
    return Outcome::Blocked;
  ring.acquire = op;
  ring.bytes = 0;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::commit(ProducerCommitOp op) {
  RingState &ring = getRing(op.getRing());
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
  RingState &ring = getRing(op.getRing());
  ReaderState &reader = ring.readers[group];
  if (reader.wait) {
    InFlightDiagnostic diag =
        op.emitOpError("expected 'tile.consumer_release' before the next "
                       "'tile.consumer_wait'");
    diag.attachNote(reader.wait->getLoc()) << "the slot was waited for here";
    return Outcome::Failed;
  }
  if (ring.filled <= reader.released)
    return Outcome::Blocked;
  reader.wait = op;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::release(ConsumerReleaseOp op) {
  ReaderState &reader = getRing(op.getRing()).readers[group];
  if (!reader.wait) {
    op.emitOpError("expected 'tile.consumer_wait' before");
    return Outcome::Failed;
  }
  reader.wait = nullptr;
  ++reader.released;
  return Outcome::Done;
}

/// The first warpgroup begins; each follows the one before it.
RingMachine::Outcome RingMachine::takeTurn(TakeTurnOp op) {
  TurnState &turn = turns[group];
  if (turn.held) {
    InFlightDiagnostic diag = op.emitOpError(
        "expected 'tile.pass_turn' before the next 'tile.take_turn'");
    diag.attachNote(turn.held->getLoc()) << "the turn was taken here";
    return Outcome::Failed;
  }
  size_t before = (group == 0 ? turns.size() : group) - 1;
  if (turn.taken >= turns[before].passed + (group == 0))
    return Outcome::Blocked;
  turn.held = op;
  ++turn.taken;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::passTurn(PassTurnOp op) {
  TurnState &turn = turns[group];
  if (!turn.held) {
    op.emitOpError("expected 'tile.take_turn' before");
    return Outcome::Failed;
  }
  turn.held = nullptr;
  ++turn.passed;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::meet() {
  TurnState &own = turns[group];
  if (!own.atBarrier)
    ++own.arrived;
  own.atBarrier = llvm::any_of(turns, [&](const TurnState &other) {
    return other.arrived < own.arrived;
  });
  return own.atBarrier ? Outcome::Blocked : Outcome::Done;
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
    RingState &ring = getRing(copy.getSignal());
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
      if (!wait || getRing(wait.getRing()).readers[group].wait == wait)
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
  if (auto takeOp = dyn_cast<TakeTurnOp>(op))
    return takeTurn(takeOp);
  if (auto passOp = dyn_cast<PassTurnOp>(op))
    return passTurn(passOp);
  if (isa<BarrierOp>(op))
    return meet();
  return use(op);
}

LogicalResult RingMachine::verifyEnd() {
  for (auto &[ring, state] : rings) {
    if (state.acquire)
      return state.acquire->emitOpError(
          "expected 'tile.producer_commit' behind");
    for (const ReaderState &reader : state.readers)
      if (reader.wait)
        return reader.wait->emitOpError(
            "expected 'tile.consumer_release' behind");
    if (state.filled != state.countReleased())
      return ring.getDefiningOp()->emitOpError()
             << "expected as many slots to be given back as are filled, got "
             << state.countReleased() << " and " << state.filled;
  }
  return success();
}

LogicalResult RingMachine::run(ArrayRef<Operation *> first,
                               ArrayRef<Operation *> second) {
  SmallVector<ArrayRef<Operation *>> roles(1 + turns.size(), second);
  roles.front() = first;
  auto isLeft = [](ArrayRef<Operation *> role) { return !role.empty(); };
  while (llvm::any_of(roles, isLeft)) {
    bool isStuck = true;
    for (auto [number, role] : llvm::enumerate(roles)) {
      group = number == 0 ? 0 : number - 1;
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
    auto *stuck = llvm::find_if(roles, isLeft);
    InFlightDiagnostic diag = stuck->front()->emitOpError("waits for ever");
    for (ArrayRef<Operation *> other : ArrayRef(roles).drop_front())
      if (stuck == roles.begin() && isLeft(other)) {
        diag.attachNote(other.front()->getLoc()) << "the other role waits here";
        break;
      }
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
    int64_t groups = llvm::any_of(consumer.get(), llvm::IsaPred<TakeTurnOp>)
                         ? kernel.getThreads() / kGroupThreads
                         : 1;
    if (failed(RingMachine(groups).run(producer.get(), consumer.get())))
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
  kernel.walk([&](TakeTurnOp) {
    for (int64_t count : {0, 1, 2})
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
