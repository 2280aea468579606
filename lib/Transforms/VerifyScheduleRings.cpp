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
#include "Tile/Analysis/SymbolicExpr.h"
#include "Tile/Dialect/Tile/IR/Sync.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Loops of the same range in the same iterations, and branches of the same
/// condition, are one decision. Its number tells it from others.
using Decision = SmallVector<const void *>;
using DecisionNumbers = std::map<Decision, uint64_t>;

/// How often loops run: all `trips` times, or, with a seed, a number that
/// depends on the decision.
struct Scenario {
  ArrayRef<int64_t> counts;
  int64_t trips;
  uint64_t seed;

  int64_t choose(DecisionNumbers &numbers, const Decision &decision) const {
    if (seed == 0)
      return trips;
    uint64_t number =
        numbers.try_emplace(decision, numbers.size()).first->second;
    // The same on all machines, unlike llvm::hash_value.
    char bytes[16];
    llvm::support::endian::write64le(bytes, number);
    llvm::support::endian::write64le(bytes + 8, seed);
    return counts[llvm::xxh3_64bits(StringRef(bytes, sizeof(bytes))) %
                  counts.size()];
  }
};

/// The steps of one role in the order in which they are taken.
class Steps {
public:
  Steps(Region &role, const Scenario &scenario, SymbolicExprs &symbols,
        DecisionNumbers &numbers)
      : scenario(scenario), symbols(symbols), numbers(numbers) {
    expand(role.front());
  }
  ArrayRef<Operation *> get() const { return steps; }

private:
  void expand(Block &block);
  void expandOp(Operation &op);
  void expandBranch(scf::IfOp branch);
  void expandLoop(Operation *loop);
  bool expandPeeledLoop(scf::IfOp branch);
  Decision getWholeLoop(Operation *loop, Value lower, Value upper);
  void repeat(Operation *loop, int64_t first, int64_t trips);
  Decision getDecision(Operation *op);
  int64_t choose(Decision decision);

  const Scenario &scenario;
  SymbolicExprs &symbols;
  DecisionNumbers &numbers;
  SmallVector<Operation *> steps;
  SmallVector<uintptr_t> iterations;
};

/// What one warpgroup of the consumer does with a ring.
struct ReaderState {
  int64_t released = 0;
  Operation *wait = nullptr; // whose slot is held
};

struct RingState {
  int64_t filled = 0;
  Operation *acquire = nullptr;    // whose slot is held
  int64_t expected = 0, bytes = 0; // of the copies to it
  SmallVector<ReaderState> readers;

  /// Slots that all have given back.
  int64_t countReleased() const {
    return llvm::min_element(readers,
                             [](const ReaderState &a, const ReaderState &b) {
                               return a.released < b.released;
                             })
        ->released;
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
  Outcome acquire(Operation *op, const SyncEffect &effect);
  Outcome commit(Operation *op, const SyncEffect &effect);
  Outcome wait(Operation *op, const SyncEffect &effect);
  Outcome release(Operation *op, const SyncEffect &effect);
  Outcome enterOrdered(Operation *op);
  Outcome leaveOrdered(Operation *op);
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

/// Whether the op orders warps with others; the other ops of a schedule wait
/// for engines.
static bool ordersRoles(Operation &op) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return false;
  switch (sync.getSyncEffect().kind) {
  case SyncEffect::Kind::CommitCopies:
  case SyncEffect::Kind::WaitCopies:
  case SyncEffect::Kind::WaitStores:
  case SyncEffect::Kind::WaitGemms:
    return false;
  default:
    return true;
  }
}

static bool entersOrdered(Operation *op) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  return sync && sync.getSyncEffect().kind == SyncEffect::Kind::EnterOrdered;
}

/// Both roles compute the same values in the same way, whatever the ops are.
static SymbolicExprs::Identity identify(Operation *) {
  return SymbolicExprs::Identity::Computation;
}

/// What `op` decides by: the range of a loop, or the operands.
Decision Steps::getDecision(Operation *op) {
  Decision decision;
  auto addMap = [&](AffineMap map, ValueRange operands) {
    auto get = [&](Value operand) { return symbols.get(operand); };
    for (AffineExpr expr : composeExprs(map, operands, get))
      decision.push_back(symbols.simplify(expr).getAsOpaquePointer());
    decision.push_back(nullptr);
  };
  if (std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(op)) {
    for (const LoopRange &range : *ranges) {
      addMap(range.lower, range.lowerOperands);
      addMap(range.upper, range.upperOperands);
      decision.push_back(symbols.get(range.step).getAsOpaquePointer());
    }
    return decision;
  }
  for (Value operand : op->getOperands())
    decision.push_back(symbols.get(operand).getAsOpaquePointer());
  return decision;
}

int64_t Steps::choose(Decision decision) {
  for (uintptr_t iteration : iterations)
    decision.push_back(reinterpret_cast<const void *>(iteration));
  return scenario.choose(numbers, decision);
}

void Steps::repeat(Operation *loop, int64_t first, int64_t trips) {
  // The variables of loops at the same depth are the same in both roles.
  for (Region &region : loop->getRegions())
    for (BlockArgument arg : region.getArguments()) {
      auto number = [](uintptr_t n) { return reinterpret_cast<void *>(n); };
      symbols.bind(arg, symbols.getSymbol({nullptr, number(iterations.size()),
                                           number(arg.getArgNumber())}));
    }
  for (int64_t trip = first; trip < trips && steps.size() < kMaxSteps; ++trip) {
    iterations.push_back(trip);
    for (Region &region : loop->getRegions())
      expand(region.front());
    iterations.pop_back();
  }
}

void Steps::expandLoop(Operation *loop) {
  repeat(loop, 0, choose(getDecision(loop)));
}

/// The decision of the loop over `lower` to `upper` of which `loop` does all
/// but the first iteration; empty if it does not.
Decision Steps::getWholeLoop(Operation *loop, Value lower, Value upper) {
  std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(loop);
  if (!ranges || ranges->size() != 1 ||
      ranges->front().lower.getNumResults() != 1 ||
      ranges->front().upper.getNumResults() != 1)
    return {};
  const LoopRange &range = ranges->front();
  AffineExpr first = symbols.get(lower);
  auto get = [&](Value operand) { return symbols.get(operand); };
  AffineExpr from = composeExprs(range.lower, range.lowerOperands, get).front();
  AffineExpr to = composeExprs(range.upper, range.upperOperands, get).front();
  if (symbols.getDifference(from - first, symbols.get(range.step)) != 0 ||
      symbols.getDifference(to, symbols.get(upper)) != 0)
    return {};
  Decision decision = getDecision(loop);
  decision.front() = first.getAsOpaquePointer();
  return decision;
}

/// `if (lower < upper) { iteration lower; loop over lower + step to upper }`,
/// a loop whose first iteration is peeled: it runs as often as the whole one.
bool Steps::expandPeeledLoop(scf::IfOp branch) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      !branch.getElseRegion().empty())
    return false;
  Operation *loop = nullptr;
  Decision whole;
  for (Operation &op : *branch.thenBlock())
    if (whole.empty() && !isa<ParallelOp>(op)) {
      whole = getWholeLoop(&op, compare.getLhs(), compare.getRhs());
      loop = &op;
    }
  if (whole.empty())
    return false;
  int64_t trips = choose(std::move(whole));
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
  if (expandPeeledLoop(branch))
    return;
  Region &taken = choose(getDecision(branch)) % 2 != 0 ? branch.getThenRegion()
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
  bool isStep = ordersRoles(op);
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

RingMachine::Outcome RingMachine::acquire(Operation *op,
                                          const SyncEffect &effect) {
  RingState &ring = getRing(effect.pipeline);
  if (ring.acquire) {
    InFlightDiagnostic diag =
        op->emitOpError("expected 'tile.producer_commit' before the next "
                        "'tile.producer_acquire'");
    diag.attachNote(ring.acquire->getLoc()) << "the slot was acquired here";
    return Outcome::Failed;
  }
  int64_t stages = cast<RingType>(effect.pipeline.getType()).getStages();
  if (ring.filled - ring.countReleased() >= stages)
    return Outcome::Blocked;
  ring.acquire = op;
  ring.expected = effect.count;
  ring.bytes = 0;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::commit(Operation *op,
                                         const SyncEffect &effect) {
  RingState &ring = getRing(effect.pipeline);
  if (!ring.acquire) {
    op->emitOpError("expected 'tile.producer_acquire' before");
    return Outcome::Failed;
  }
  if (ring.bytes != ring.expected) {
    InFlightDiagnostic diag = op->emitOpError()
                              << "expected copies of " << ring.expected
                              << " bytes before the commit, got " << ring.bytes;
    diag.attachNote(ring.acquire->getLoc()) << "the slot was acquired here";
    return Outcome::Failed;
  }
  ring.acquire = nullptr;
  ++ring.filled;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::wait(Operation *op,
                                       const SyncEffect &effect) {
  RingState &ring = getRing(effect.pipeline);
  ReaderState &reader = ring.readers[group];
  if (reader.wait) {
    InFlightDiagnostic diag =
        op->emitOpError("expected 'tile.consumer_release' before the next "
                        "'tile.consumer_wait'");
    diag.attachNote(reader.wait->getLoc()) << "the slot was waited for here";
    return Outcome::Failed;
  }
  if (ring.filled <= reader.released)
    return Outcome::Blocked;
  reader.wait = op;
  return Outcome::Done;
}

RingMachine::Outcome RingMachine::release(Operation *op,
                                          const SyncEffect &effect) {
  ReaderState &reader = getRing(effect.pipeline).readers[group];
  if (!reader.wait) {
    op->emitOpError("expected 'tile.consumer_wait' before");
    return Outcome::Failed;
  }
  reader.wait = nullptr;
  ++reader.released;
  return Outcome::Done;
}

/// The first warpgroup begins; each follows the one before it.
RingMachine::Outcome RingMachine::enterOrdered(Operation *op) {
  TurnState &turn = turns[group];
  if (turn.held) {
    InFlightDiagnostic diag = op->emitOpError(
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

RingMachine::Outcome RingMachine::leaveOrdered(Operation *op) {
  TurnState &turn = turns[group];
  if (!turn.held) {
    op->emitOpError("expected 'tile.take_turn' before");
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
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return use(op);
  SyncEffect effect = sync.getSyncEffect();
  switch (effect.kind) {
  case SyncEffect::Kind::AcquireStage:
    return acquire(op, effect);
  case SyncEffect::Kind::CommitStage:
    return commit(op, effect);
  case SyncEffect::Kind::WaitStage:
    return wait(op, effect);
  case SyncEffect::Kind::ReleaseStage:
    return release(op, effect);
  case SyncEffect::Kind::EnterOrdered:
    return enterOrdered(op);
  case SyncEffect::Kind::LeaveOrdered:
    return leaveOrdered(op);
  case SyncEffect::Kind::Barrier:
    return meet();
  default:
    return use(op);
  }
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

static LogicalResult runScenario(KernelOp kernel, const Scenario &scenario,
                                 SymbolicExprs &symbols,
                                 DecisionNumbers &numbers) {
  // Steps outside of roles are one sequence.
  Steps alone(kernel.getBody(), scenario, symbols, numbers);
  if (failed(RingMachine().run(alone.get(), {})))
    return failure();
  for (auto roles : kernel.getBody().getOps<RolesOp>()) {
    Steps producer(roles.getProducer(), scenario, symbols, numbers);
    Steps consumer(roles.getConsumer(), scenario, symbols, numbers);
    int64_t groups = llvm::any_of(consumer.get(), entersOrdered)
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
  kernel.walk([&](Operation *op) {
    if (entersOrdered(op))
      for (int64_t count : {0, 1, 2})
        counts.insert(count);
  });
  constexpr size_t kMixed = 16;
  // Many trips first: who waits for ever tells more than a wrong count.
  SmallVector<int64_t> sorted = llvm::to_vector(counts);
  llvm::sort(sorted, std::greater<int64_t>());
  SymbolicExprs symbols(kernel.getContext(), identify);
  DecisionNumbers numbers;
  for (int64_t trips : sorted)
    if (failed(runScenario(kernel, {sorted, trips, 0}, symbols, numbers)))
      return failure();
  for (size_t seed = 1; seed <= kMixed && !counts.empty(); ++seed)
    if (failed(runScenario(kernel, {sorted, 0, seed}, symbols, numbers)))
      return failure();
  return success();
}
