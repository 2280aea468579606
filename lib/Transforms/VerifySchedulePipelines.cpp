//===- VerifySchedulePipelines.cpp - running the steps of pipelines -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each partition becomes a list of steps under a scenario, which says how often
// loops run and which way branches go. Then the two lists run side by side.
//
//===----------------------------------------------------------------------===//

#include "VerifySchedule.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Analysis/SymbolicExpr.h"
#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/Sync.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"

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

/// An op, or, with `isPassed`, the release of a stage by another team.
struct Step {
  Operation *op;
  bool isPassed = false;
};

/// One of `count` teams that take the points of a partition in turns.
struct Team {
  int64_t count = 1, number = 0;
};

/// The steps of one partition in the order in which they are taken.
class Steps {
public:
  Steps(Region &partition, Team team, const Scenario &scenario,
        SymbolicExprs &symbols, DecisionNumbers &numbers)
      : team(team), scenario(scenario), symbols(symbols), numbers(numbers) {
    auto partitions = dyn_cast<WarpSpecializeOp>(partition.getParentOp());
    hasTeams = partitions && getPrograms(partitions).empty() &&
               getConsumers(partitions) > 1;
    expand(partition.front());
  }
  ArrayRef<Step> get() const { return steps; }

private:
  void expand(Block &block);
  void expandOp(Operation &op);
  void expandBranch(scf::IfOp branch);
  void expandLoop(Operation *loop);
  bool expandPeeledLoop(scf::IfOp branch);
  Decision getWholeLoop(Operation *loop, Value lower, Value upper);
  void repeat(Operation *loop, int64_t first, int64_t trips);
  void passOver(size_t first);
  Decision getDecision(Operation *op);
  int64_t choose(Decision decision);

  Team team;
  /// Whether teams take points of the consumer in turns: the number of stages is
  /// the same for all points.
  bool hasTeams;
  const Scenario &scenario;
  SymbolicExprs &symbols;
  DecisionNumbers &numbers;
  SmallVector<Step> steps;
  SmallVector<uintptr_t> iterations;
};

/// What one warpgroup, or team, of the consumer does with a pipeline.
struct ReaderState {
  bool isReader = true;           // as all are that have one program
  int64_t released = 0;           // or passed over
  SmallVector<Operation *> waits; // whose stages are held, the oldest first
};

struct PipelineState {
  int64_t filled = 0;
  Operation *acquire = nullptr;    // whose stage is held
  int64_t expected = 0, bytes = 0; // of the copies to it
  SmallVector<ReaderState> readers;

  /// Stages that all have given back.
  int64_t countReleased() const {
    std::optional<int64_t> least;
    for (const ReaderState &reader : readers)
      if (reader.isReader && (!least || reader.released < *least))
        least = reader.released;
    return least.value_or(0);
  }
};

/// The progress of one warpgroup through ordered sections and barriers of the
/// whole partition.
struct GroupProgress {
  int64_t entered = 0, left = 0, arrived = 0;
  Operation *held = nullptr;
  bool atBarrier = false;
};

class PipelineSimulator {
public:
  /// The consumer has `numGroups` warpgroups, which may progress independently,
  /// or, with `areTeams`, as many teams.
  explicit PipelineSimulator(int64_t numGroups = 1, bool areTeams = false,
                             ArrayRef<TeamOp> programs = {})
      : groups(numGroups), areTeams(areTeams), programs(programs) {}
  /// Runs the partitions, the producer first, then each group of the consumer.
  LogicalResult run(SmallVector<ArrayRef<Step>> partitions);

private:
  enum class Outcome { Done, Blocked, Failed };
  bool advance(MutableArrayRef<ArrayRef<Step>> partitions, bool &isStuck);
  LogicalResult reportStuck(ArrayRef<ArrayRef<Step>> partitions);
  Outcome step(const Step &step);
  Outcome acquire(Operation *op, const SyncEffect &effect);
  Outcome commit(Operation *op, const SyncEffect &effect);
  Outcome wait(Operation *op, const SyncEffect &effect);
  Outcome release(Operation *op, const SyncEffect &effect);
  Outcome enterOrdered(Operation *op);
  Outcome leaveOrdered(Operation *op);
  Outcome meet();
  Outcome use(Operation *op);
  bool isHeld(Operation *op);
  LogicalResult verifyEnd();
  PipelineState &getPipeline(Value pipeline);

  llvm::MapVector<Value, PipelineState> pipelines;
  SmallVector<GroupProgress> groups;
  bool areTeams;
  /// Of the teams, where each has one.
  ArrayRef<TeamOp> programs;
  /// The warpgroup whose step it is.
  size_t group = 0;
};
} // namespace

/// A list longer than this tells nothing new.
static constexpr size_t kMaxSteps = 20000;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The stages that an op touches, itself or in its regions.
static bool touchesStage(Operation *op) {
  return llvm::any_of(op->getOperands(), [](Value operand) {
    auto view = operand.getDefiningOp<ViewLikeOpInterface>();
    return view && isa<MemRefType>(operand.getType());
  });
}

/// Whether the op orders warps with others; the other ops of a schedule wait
/// for engines.
static bool ordersPartitions(Operation &op) {
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

/// Both partitions compute the same values in the same way, whatever the ops
/// are.
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
  ArrayRef<uintptr_t> own = iterations;
  for (uintptr_t iteration : own.drop_front(hasTeams && !own.empty()))
    decision.push_back(reinterpret_cast<const void *>(iteration));
  return scenario.choose(numbers, decision);
}

void Steps::repeat(Operation *loop, int64_t first, int64_t trips) {
  // The variables of loops at the same depth are the same in both partitions.
  for (Region &region : loop->getRegions())
    for (BlockArgument arg : region.getArguments()) {
      auto number = [](uintptr_t n) { return reinterpret_cast<void *>(n); };
      symbols.bind(arg, symbols.getSymbol({nullptr, number(iterations.size()),
                                           number(arg.getArgNumber())}));
    }
  for (int64_t trip = first; trip < trips && steps.size() < kMaxSteps; ++trip) {
    iterations.push_back(trip);
    size_t begin = steps.size();
    for (Region &region : loop->getRegions())
      expand(region.front());
    iterations.pop_back();
    if (isa<PersistentOp>(loop) && trip % team.count != team.number)
      passOver(begin);
  }
}

/// The point that begins there is another team's: of its steps only the stages
/// that it releases count.
void Steps::passOver(size_t first) {
  SmallVector<Step> passed;
  for (Step &step : MutableArrayRef(steps).drop_front(first))
    if (isa<ConsumerReleaseOp>(step.op))
      passed.push_back({step.op, /*isPassed=*/true});
  steps.truncate(first);
  steps.append(passed);
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
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
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
  if (trips == 0) {
    if (!branch.getElseRegion().empty())
      expand(*branch.elseBlock());
    return true;
  }
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
  if (!isa<ParallelOp, KernelOp, WarpSpecializeOp>(op) &&
      (getLoopRanges(&op) || isa<scf::WhileOp>(op)))
    return expandLoop(&op);
  bool isStep = ordersPartitions(op);
  op.walk([&](Operation *nested) {
    isStep |= touchesStage(nested) && !isa<ViewLikeOpInterface>(nested);
  });
  if (isStep && !isa<WarpSpecializeOp>(op))
    steps.push_back({&op});
}

void Steps::expand(Block &block) {
  for (Operation &op : block)
    expandOp(op);
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

PipelineState &PipelineSimulator::getPipeline(Value pipeline) {
  auto [it, isNew] = pipelines.try_emplace(pipeline);
  PipelineState &state = it->second;
  if (!isNew)
    return state;
  state.readers.resize(groups.size());
  auto readers = getReaders(pipeline);
  for (auto [reader, program] : llvm::zip(state.readers, programs))
    reader.isReader = readers.contains(program);
  return state;
}

PipelineSimulator::Outcome
PipelineSimulator::acquire(Operation *op, const SyncEffect &effect) {
  PipelineState &pipeline = getPipeline(effect.pipeline);
  if (pipeline.acquire) {
    InFlightDiagnostic diag =
        op->emitOpError("expected 'tile.producer_commit' before the next "
                        "'tile.producer_acquire'");
    diag.attachNote(pipeline.acquire->getLoc())
        << "the stage was acquired here";
    return Outcome::Failed;
  }
  int64_t stages = cast<PipelineType>(effect.pipeline.getType()).getStages();
  if (pipeline.filled - pipeline.countReleased() >= stages)
    return Outcome::Blocked;
  pipeline.acquire = op;
  pipeline.expected = effect.count;
  pipeline.bytes = 0;
  return Outcome::Done;
}

PipelineSimulator::Outcome PipelineSimulator::commit(Operation *op,
                                                     const SyncEffect &effect) {
  PipelineState &pipeline = getPipeline(effect.pipeline);
  if (!pipeline.acquire) {
    op->emitOpError("expected 'tile.producer_acquire' before");
    return Outcome::Failed;
  }
  if (pipeline.bytes != pipeline.expected) {
    InFlightDiagnostic diag =
        op->emitOpError() << "expected copies of " << pipeline.expected
                          << " bytes before the commit, got " << pipeline.bytes;
    diag.attachNote(pipeline.acquire->getLoc())
        << "the stage was acquired here";
    return Outcome::Failed;
  }
  pipeline.acquire = nullptr;
  ++pipeline.filled;
  return Outcome::Done;
}

PipelineSimulator::Outcome PipelineSimulator::wait(Operation *op,
                                                   const SyncEffect &effect) {
  PipelineState &pipeline = getPipeline(effect.pipeline);
  ReaderState &reader = pipeline.readers[group];
  auto ahead = op->getAttrOfType<IntegerAttr>(kAheadAttrName);
  if (ahead && reader.waits.empty()) {
    op->emitOpError("expected a stage of the pipeline to be held");
    return Outcome::Failed;
  }
  if (ahead && ahead.getInt() == 0) {
    reader.waits.front() = op;
    return Outcome::Done;
  }
  if (reader.waits.size() > (ahead ? 1 : 0)) {
    InFlightDiagnostic diag =
        op->emitOpError("expected 'tile.consumer_release' before the next "
                        "'tile.consumer_wait'");
    diag.attachNote(reader.waits.back()->getLoc())
        << "the stage was waited for here";
    return Outcome::Failed;
  }
  int64_t stage = reader.released + int64_t(reader.waits.size());
  int64_t stages = cast<PipelineType>(effect.pipeline.getType()).getStages();
  // A phase is told from its neighbours alone.
  if (stage >= pipeline.filled + stages) {
    op->emitOpError(
        "expected 'tile.order_wait' before: the stage may be filled "
        "for another consumer, which has not waited for it");
    return Outcome::Failed;
  }
  if (pipeline.filled <= stage)
    return Outcome::Blocked;
  reader.waits.push_back(op);
  return Outcome::Done;
}

PipelineSimulator::Outcome
PipelineSimulator::release(Operation *op, const SyncEffect &effect) {
  ReaderState &reader = getPipeline(effect.pipeline).readers[group];
  if (reader.waits.empty()) {
    op->emitOpError("expected 'tile.consumer_wait' before");
    return Outcome::Failed;
  }
  reader.waits.erase(reader.waits.begin());
  ++reader.released;
  return Outcome::Done;
}

/// The first warpgroup begins; each follows the one before it.
PipelineSimulator::Outcome PipelineSimulator::enterOrdered(Operation *op) {
  GroupProgress &own = groups[group];
  if (own.held) {
    InFlightDiagnostic diag = op->emitOpError(
        "expected 'tile.order_arrive' before the next 'tile.order_wait'");
    diag.attachNote(own.held->getLoc())
        << "the ordered section was entered here";
    return Outcome::Failed;
  }
  size_t before = (group == 0 ? groups.size() : group) - 1;
  if (own.entered >= groups[before].left + (group == 0))
    return Outcome::Blocked;
  own.held = op;
  ++own.entered;
  return Outcome::Done;
}

PipelineSimulator::Outcome PipelineSimulator::leaveOrdered(Operation *op) {
  GroupProgress &own = groups[group];
  if (!own.held) {
    op->emitOpError("expected 'tile.order_wait' before");
    return Outcome::Failed;
  }
  own.held = nullptr;
  ++own.left;
  return Outcome::Done;
}

PipelineSimulator::Outcome PipelineSimulator::meet() {
  GroupProgress &own = groups[group];
  if (!own.atBarrier)
    ++own.arrived;
  own.atBarrier = llvm::any_of(groups, [&](const GroupProgress &other) {
    return other.arrived < own.arrived;
  });
  return own.atBarrier ? Outcome::Blocked : Outcome::Done;
}

/// The stage op that a chain of views begins with.
static StageOp findStage(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto stage = dyn_cast<StageOp>(view.getOperation()))
      return stage;
    value = view.getViewSource();
  }
  return {};
}

/// Those that the stage counts: threads arrive for what they copy themselves.
static int64_t countBytes(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  if (!copy)
    return 0;
  BufferRegion region = copy.getTargetRegion();
  int64_t bits = region.getType().getElementTypeBitWidth();
  for (int64_t size : region.sizes)
    bits *= size;
  return bits / 8;
}

/// Whether the partition may access the stage whose index `op` yields.
bool PipelineSimulator::isHeld(Operation *op) {
  if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
    return getPipeline(acquire.getPipeline()).acquire == op;
  auto wait = dyn_cast<ConsumerWaitOp>(op);
  return !wait ||
         llvm::is_contained(
             getPipeline(wait.getPipeline()).readers[group].waits, wait);
}

PipelineSimulator::Outcome PipelineSimulator::use(Operation *op) {
  if (Value signal = getSignal(op)) {
    PipelineState &pipeline = getPipeline(signal);
    StageOp stage = findStage(getFilledTile(op).get());
    if (!pipeline.acquire || !stage ||
        stage.getIndex().getDefiningOp() != pipeline.acquire) {
      op->emitOpError("accesses a stage that is not acquired");
      return Outcome::Failed;
    }
    pipeline.bytes += countBytes(op);
    return Outcome::Done;
  }
  WalkResult result = op->walk([&](Operation *nested) {
    if (isa<ViewLikeOpInterface>(nested))
      return WalkResult::advance();
    for (Value operand : nested->getOperands()) {
      StageOp stage = findStage(operand);
      Operation *index = stage ? stage.getIndex().getDefiningOp() : nullptr;
      if (!index || isHeld(index))
        continue;
      InFlightDiagnostic diag =
          nested->emitOpError("accesses a stage that is not acquired");
      diag.attachNote(index->getLoc()) << "the stage is of this op";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? Outcome::Failed : Outcome::Done;
}

PipelineSimulator::Outcome PipelineSimulator::step(const Step &step) {
  Operation *op = step.op;
  if (step.isPassed) {
    ++getPipeline(cast<ConsumerReleaseOp>(op).getPipeline())
          .readers[group]
          .released;
    return Outcome::Done;
  }
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
    return areTeams || op->hasAttr(kWarpgroupsAttrName) ? Outcome::Done
                                                        : meet();
  default:
    return use(op);
  }
}

LogicalResult PipelineSimulator::verifyEnd() {
  for (const GroupProgress &own : groups)
    if (own.held)
      return own.held->emitOpError("expected 'tile.order_arrive' after it");
  for (auto &[pipeline, state] : pipelines) {
    if (state.acquire)
      return state.acquire->emitOpError(
          "expected 'tile.producer_commit' after it");
    for (const ReaderState &reader : state.readers)
      if (!reader.waits.empty())
        return reader.waits.front()->emitOpError(
            "expected 'tile.consumer_release' after it");
    if (state.filled != state.countReleased())
      return pipeline.getDefiningOp()->emitOpError()
             << "expected as many stages to be released as are committed, got "
             << state.countReleased() << " and " << state.filled;
  }
  return success();
}

/// Lets each partition go as far as it can, the last team first: those before
/// it may be slow. False after an error.
bool PipelineSimulator::advance(MutableArrayRef<ArrayRef<Step>> partitions,
                                bool &isStuck) {
  for (size_t i = 0, e = partitions.size(); i < e; ++i) {
    size_t number = areTeams ? e - 1 - i : i;
    ArrayRef<Step> &partition = partitions[number];
    group = number == 0 ? 0 : number - 1;
    while (!partition.empty()) {
      Outcome outcome = step(partition.front());
      if (outcome == Outcome::Failed)
        return false;
      if (outcome == Outcome::Blocked)
        break;
      partition = partition.drop_front();
      isStuck = false;
    }
  }
  return true;
}

static bool isLeft(ArrayRef<Step> partition) { return !partition.empty(); }

LogicalResult
PipelineSimulator::reportStuck(ArrayRef<ArrayRef<Step>> partitions) {
  const ArrayRef<Step> *stuck = llvm::find_if(partitions, isLeft);
  InFlightDiagnostic diag = stuck->front().op->emitOpError("waits forever");
  for (ArrayRef<Step> other : partitions.drop_front())
    if (stuck == partitions.begin() && isLeft(other)) {
      diag.attachNote(other.front().op->getLoc())
          << "the other partition waits here";
      break;
    }
  return diag;
}

LogicalResult PipelineSimulator::run(SmallVector<ArrayRef<Step>> partitions) {
  while (llvm::any_of(partitions, isLeft)) {
    bool isStuck = true;
    if (!advance(partitions, isStuck))
      return failure();
    if (isStuck)
      return reportStuck(partitions);
  }
  return verifyEnd();
}

//===----------------------------------------------------------------------===//
// Scenarios
//===----------------------------------------------------------------------===//

/// The warpgroups of the kernel, each of which enters an ordered section as
/// one. Without a target there are two, the fewest that wait for each other.
static int64_t countWarpgroups(KernelOp kernel) {
  const ::tile::target::Target *target = lookupTarget(kernel);
  const ::tile::target::GPUSpec *gpu = target ? target->getGPU() : nullptr;
  return gpu ? llvm::divideCeil(kernel.getThreads(), gpu->groupThreads()) : 2;
}

static LogicalResult runScenario(KernelOp kernel, const Scenario &scenario,
                                 SymbolicExprs &symbols,
                                 DecisionNumbers &numbers) {
  // Steps outside of partitions are one sequence.
  Steps alone(kernel.getBody(), Team(), scenario, symbols, numbers);
  if (failed(PipelineSimulator().run({alone.get()})))
    return failure();
  for (auto partitions : kernel.getBody().getOps<WarpSpecializeOp>()) {
    Steps producer(partitions.getProducer(), Team(), scenario, symbols,
                   numbers);
    int64_t teams = getConsumers(partitions);
    SmallVector<TeamOp> programs = getPrograms(partitions);
    std::vector<Steps> consumers;
    for (int64_t number = 0; number < teams; ++number)
      if (programs.empty())
        consumers.emplace_back(partitions.getConsumer(), Team{teams, number},
                               scenario, symbols, numbers);
      else
        consumers.emplace_back(programs[number].getBody(), Team(), scenario,
                               symbols, numbers);
    bool isOrdered = llvm::any_of(consumers.front().get(), [](Step step) {
      return entersOrdered(step.op);
    });
    int64_t groups = teams > 1   ? teams
                     : isOrdered ? countWarpgroups(kernel)
                                 : 1;
    SmallVector<ArrayRef<Step>> sequences{producer.get()};
    for (int64_t number = 0; number < groups; ++number)
      sequences.push_back(consumers[teams > 1 ? number : 0].get());
    if (failed(PipelineSimulator(groups, teams > 1, programs).run(sequences)))
      return failure();
  }
  return success();
}

LogicalResult mlir::tile::verifyPipelines(KernelOp kernel) {
  llvm::SetVector<int64_t> counts;
  kernel.walk([&](CreatePipelineOp pipeline) {
    int64_t stages = pipeline.getPipeline().getType().getStages();
    for (int64_t count :
         {int64_t(0), int64_t(1), stages - 1, stages, stages + 1})
      counts.insert(count);
  });
  kernel.walk([&](Operation *op) {
    if (entersOrdered(op))
      for (int64_t count : {0, 1, 2})
        counts.insert(count);
  });
  // With teams, both the points and the iterations of their loops matter.
  bool hasTeams = false;
  kernel.walk([&](WarpSpecializeOp op) { hasTeams |= getConsumers(op) > 1; });
  size_t mixed = hasTeams ? 64 : 16;
  // Many trips first: who waits forever tells more than a wrong count.
  SmallVector<int64_t> sorted = llvm::to_vector(counts);
  llvm::sort(sorted, std::greater<int64_t>());
  SymbolicExprs symbols(kernel.getContext(), identify);
  DecisionNumbers numbers;
  for (int64_t trips : sorted)
    if (failed(runScenario(kernel, {sorted, trips, 0}, symbols, numbers)))
      return failure();
  for (size_t seed = 1; seed <= mixed && !counts.empty(); ++seed)
    if (failed(runScenario(kernel, {sorted, 0, seed}, symbols, numbers)))
      return failure();
  return success();
}
