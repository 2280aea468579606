//===- CrossCoreVerifier.cpp - the cores of a block, run together ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrossCoreVerifier.h"

#include "Tile/Analysis/AccessSystem.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

#include <set>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

// A loop whose length is not known runs up to so many times minus one, a long
// one is cut. More than the stages of what the cores exchange.
static constexpr int64_t kTrips = 5, kMostTrips = 16;
static constexpr unsigned kMostRuns = 400;
static constexpr size_t kMostWork = 200000; // flags and instructions

static Core other(Core core) {
  return core == Core::Cube ? Core::Vector : Core::Cube;
}

CrossCoreVerifier::CrossCoreVerifier(tl::KernelOp kernel)
    : kernel(kernel), model(getSpec(kernel)), scalars(kernel.getContext()),
      state(AscendSyncModel::getStart()) {}

bool CrossCoreVerifier::applies(tl::KernelOp kernel) {
  bool has[2] = {false, false};
  for (SectionOp section : kernel.getBody().getOps<SectionOp>())
    has[unsigned(section.getCore())] = true;
  return has[0] && has[1];
}

/// Without a count of iterations; false if that does not decide it.
bool CrossCoreVerifier::runInStep() {
  SectionOp cube, vector;
  for (SectionOp section : kernel.getBody().getOps<SectionOp>()) {
    SectionOp &own = section.getCore() == Core::Cube ? cube : vector;
    if (std::exchange(own, section))
      return false;
  }
  return HappensBefore(cube, vector).run();
}

bool CrossCoreVerifier::run() {
  if (runInStep())
    return true;
  size_t work = 0;
  for (unsigned count = 0; count < kMostRuns && work < kMostWork; ++count) {
    do {
      scalars.restart();
      executions.clear();
      for (CoreRun &run : runs)
        run.events.clear();
      for (SectionOp section : kernel.getBody().getOps<SectionOp>())
        build(section.getCore(), section.getBody().front());
    } while (scalars.isVoid());
    for (Core first : {Core::Cube, Core::Vector}) {
      simulate(first);
      if (failed())
        return false;
    }
    if (!scalars.next()) {
      remark::missed(kernel.getLoc(), remark::RemarkOpts::name("SmallCounts")
                                          .category("ascend-verify-sync"))
          << remark::reason("the cores are not in step: their order is proven "
                            "for small numbers of iterations");
      return true;
    }
    work += runs[0].events.size() + runs[1].events.size();
  }
  problem = FlagProblem{
      kernel, "the order of the two cores is not decided: loops and branches "
              "with flags between the cores differ in the two sections, or "
              "one core may be many iterations ahead, and there are too many "
              "numbers of iterations to try each"};
  return false;
}

InFlightDiagnostic CrossCoreVerifier::report() const {
  if (problem)
    return reportProblem(*problem);
  const Execution &earlier = hazard->earlier, &later = hazard->later;
  InFlightDiagnostic diag = later.op->emitError()
                            << "nothing orders this instruction of pipe '"
                            << target::stringify(later.engine)
                            << "' after one of pipe '"
                            << target::stringify(earlier.engine) << "'";
  if (earlier.core != later.core)
    diag << " of the other core";
  diag << ": " << hazard->kind;
  diag.attachNote(earlier.op->getLoc()) << "the other one is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// What each core executes
//===----------------------------------------------------------------------===//

void CrossCoreVerifier::build(Core core, Block &block) {
  for (Operation &op : block) {
    if (scalars.isVoid())
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      buildLoop(core, loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      buildBranch(core, branch);
    else if (model.getSync(&op))
      runs[unsigned(core)].events.push_back({Event::Op, &op});
    else if (std::optional<Engine> engine = model.getEngine(&op))
      buildExecution(core, &op, *engine);
  }
}

void CrossCoreVerifier::buildLoop(Core core, scf::ForOp loop) {
  AffineExpr lower = scalars.get(loop.getLowerBound());
  // Any two iterations stand for all: nothing is decided by their number.
  bool isKnown =
      isa<AffineConstantExpr>(scalars.get(loop.getUpperBound()) - lower);
  auto synchronises = [&](Operation *op) {
    return model.getSync(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  sampled.erase(loop);
  if (!isKnown && !loop->walk(synchronises).wasInterrupted()) {
    sampled.insert(loop);
    for (int64_t i = 0; i < 2 && !scalars.isVoid(); ++i) {
      scalars.bind(loop.getInductionVar());
      for (Value carried : loop.getRegionIterArgs())
        scalars.bind(carried);
      iterations.emplace_back(loop, i);
      build(core, *loop.getBody());
      iterations.pop_back();
    }
    return;
  }
  auto step = scalars.decide(scalars.get(loop.getStep()), kTrips);
  if (!step)
    return;
  auto length = scalars.decide(scalars.get(loop.getUpperBound()) - lower,
                               kTrips, std::max<int64_t>(*step, 1));
  if (!length)
    return;
  // A step of 0 is no loop.
  int64_t trips =
      std::max<int64_t>(0, llvm::divideCeil(std::max<int64_t>(*length, 0),
                                            std::max<int64_t>(*step, 1)));
  for (int64_t i = 0; i < std::min(trips, kMostTrips); ++i) {
    scalars.bind(loop.getInductionVar(), lower + i * *step);
    for (Value carried : loop.getRegionIterArgs())
      scalars.bind(carried);
    iterations.emplace_back(loop, i);
    build(core, *loop.getBody());
    iterations.pop_back();
    if (scalars.isVoid())
      return;
  }
}

/// Whether all flags of a block are raised and then taken in it.
bool CrossCoreVerifier::isBalanced(Block &block) const {
  std::set<OrderState::Flag> flags;
  for (Operation &op : block) {
    std::optional<SyncEvent> event = model.getSync(&op);
    if (!event || event->kind == SyncEvent::Kind::Barrier)
      continue;
    if (event->kind != SyncEvent::Kind::SetFlag &&
        event->kind != SyncEvent::Kind::WaitFlag)
      return false;
    OrderState::Flag flag(*event->from, *event->to, event->number);
    bool changes = event->kind == SyncEvent::Kind::SetFlag
                       ? flags.insert(flag).second
                       : flags.erase(flag);
    if (!changes)
      return false;
  }
  return flags.empty();
}

/// Whether a branch that is taken is seen from outside by flags.
bool CrossCoreVerifier::isSignal(scf::IfOp branch) const {
  auto result = branch->walk([&](Block *block) {
    return isBalanced(*block) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// A branch that signals nothing may be taken or not; the others are decided,
/// for both cores alike.
void CrossCoreVerifier::buildBranch(Core core, scf::IfOp branch) {
  std::vector<Event> &events = runs[unsigned(core)].events;
  auto condition =
      dyn_cast<AffineConstantExpr>(scalars.get(branch.getCondition()));
  if (condition || isSignal(branch)) {
    auto taken = scalars.decide(scalars.get(branch.getCondition()), 2);
    if (taken && *taken)
      build(core, *branch.thenBlock());
    else if (taken && branch.elseBlock())
      build(core, *branch.elseBlock());
    return;
  }
  events.push_back({Event::Begin, branch});
  build(core, *branch.thenBlock());
  events.push_back({Event::Else, branch});
  if (branch.elseBlock())
    build(core, *branch.elseBlock());
  events.push_back({Event::End, branch});
}

void CrossCoreVerifier::buildExecution(Core core, Operation *op,
                                       Engine engine) {
  Execution execution{op, core, engine, {}, iterations};
  SmallVector<tl::Access> accesses;
  if (mlir::failed(tl::collectAccesses(op, accesses)))
    return;
  for (const tl::Access &access : accesses) {
    Touch touch{getByteRange(access.region.buffer),
                {},
                access.kind != tl::AccessKind::Read,
                tl::getBaseBuffer(access.region.buffer),
                access.region.buffer};
    if (touch.range.space == MemorySpace::Global ||
        isMatrixPart(access.region.buffer) ||
        isRowMove(op, access.region.buffer))
      touch.part = getGlobalPart(op, access.region.buffer, scalars);
    execution.touches.push_back(std::move(touch));
  }
  runs[unsigned(core)].events.push_back(
      {Event::Op, op, unsigned(executions.size())});
  executions.push_back(std::move(execution));
}

//===----------------------------------------------------------------------===//
// The order of it
//===----------------------------------------------------------------------===//

void CrossCoreVerifier::simulate(Core first) {
  executed = Executions(executions.size());
  for (CoreRun &run : runs) {
    run.next = 0;
    run.branches.clear();
  }
  state = BlockOrder(AscendSyncModel::getStart());
  uses = FlagUses();
  // Each runs until it waits for the other one.
  bool moves = true;
  for (Core core = first; moves && !failed(); core = first) {
    moves = step(core);
    if (!moves && !failed())
      moves = step(other(core));
  }
  if (!failed())
    checkEnd();
}

/// Runs a core as far as it comes; false if that is nowhere.
bool CrossCoreVerifier::step(Core core) {
  CoreRun &run = runs[unsigned(core)];
  size_t before = run.next;
  for (; run.next < run.events.size() && !failed(); ++run.next) {
    const Event &event = run.events[run.next];
    if (event.kind != Event::Op) {
      runBranch(core, event.kind);
      continue;
    }
    std::optional<SyncEvent> sync = model.getSync(event.op);
    if (!sync)
      check(event.execution);
    else if (!synchronise(core, event.op, *sync))
      break;
  }
  return run.next != before;
}

void CrossCoreVerifier::checkEnd() {
  // The last op of the core that set the flag in question.
  auto findLast = [&](Core core, auto matches) {
    Operation *last = nullptr;
    for (const Event &event : runs[unsigned(core)].events)
      if (std::optional<SyncEvent> sync = model.getSync(event.op);
          sync && matches(*sync))
        last = event.op;
    return last;
  };
  for (CoreRun &run : runs)
    if (run.next != run.events.size()) {
      problem = FlagProblem{run.events[run.next].op,
                            "the other core does not set the flag as often"};
      return;
    }
  for (Core core : {Core::Cube, Core::Vector}) {
    for (auto &[flag, known] : state.get(unsigned(core)).getFlags())
      problem =
          FlagProblem{findLast(core,
                               [&, flag = flag](const SyncEvent &sync) {
                                 return sync.kind == SyncEvent::Kind::SetFlag &&
                                        OrderState::Flag(*sync.from, *sync.to,
                                                         sync.number) == flag;
                               }),
                      "the flag is still set at the end of the kernel"};
    for (auto &[id, sets] : state.getCrossFlags(unsigned(other(core))))
      if (!sets.empty())
        problem = FlagProblem{
            findLast(core,
                     [id = id](const SyncEvent &sync) {
                       return sync.kind == SyncEvent::Kind::SetCrossFlag &&
                              sync.number == id;
                     }),
            "the flag of the other core is still set at the end of the "
            "kernel"};
  }
}

void CrossCoreVerifier::runBranch(Core core, Event::Kind kind) {
  CoreRun &run = runs[unsigned(core)];
  OrderState &order = state.get(unsigned(core));
  if (kind == Event::Begin) {
    run.branches.push_back({order, executed, order});
    return;
  }
  Branch &branch = run.branches.back();
  // What one side executes is not in the way of the other side.
  Executions inside = executed;
  inside.reset(branch.executed);
  if (kind == Event::Else) {
    branch.first = std::exchange(order, branch.before);
    order.skip(inside);
    branch.executed = executed;
    return;
  }
  order.meet(branch.first, inside, /*otherOnly=*/{});
  run.branches.pop_back();
}

/// False where the core has to wait.
bool CrossCoreVerifier::synchronise(Core core, Operation *op,
                                    const SyncEvent &event) {
  BlockOrder::Outcome outcome = state.apply(unsigned(core), event, model);
  if (outcome == BlockOrder::Outcome::Waits)
    return false;
  problem = uses.note(op, unsigned(core), event, outcome);
  return true;
}

/// Whether guards and bounds let both be executed in the iterations in which
/// they are: numbers of iterations are tried without looking at the bounds.
bool CrossCoreVerifier::canBothExist(const Execution &earlier,
                                     const Execution &later) const {
  tl::AccessSystem system(later.op->getContext());
  for (const Execution *execution : {&earlier, &later}) {
    system.addDomain(execution->op, 0);
    for (auto [around, number] : execution->iterations) {
      auto loop = cast<scf::ForOp>(around);
      auto step = getConstantIntValue(loop.getStep());
      AffineExpr at = system.getExpr(loop.getInductionVar(), 0),
                 lower = system.getExpr(loop.getLowerBound(), 0);
      if (step && at && lower && !sampled.contains(loop))
        system.addZero(at - lower - number * *step);
    }
  }
  return !system.isEmpty();
}

bool CrossCoreVerifier::mayConflict(const Execution &earlier, const Touch &a,
                                    const Execution &later, const Touch &c) {
  if ((!a.writes && !c.writes) || !mayOverlap(a.range, c.range))
    return false;
  // Tiles whose bytes overlap may be two.
  if (a.tile != c.tile)
    return true;
  if (isDisjoint(a.part, c.part, scalars))
    return false;
  // By the guards around the two, which are not followed here.
  Operation *loop = getCarryingLoop(earlier.iterations, later.iterations);
  bool areParts = isMatrixPart(a.view) && isMatrixPart(c.view) && loop;
  bool isGlobal =
      a.range.space == MemorySpace::Global && earlier.op != later.op;
  // The loops of the two cores have variables of their own.
  if (earlier.core != later.core)
    return canBothExist(earlier, later);
  if (!areParts && !isGlobal)
    return true;
  auto [at, isNew] = apart.try_emplace(
      std::make_tuple(earlier.op, later.op, loop, a.view, c.view), false);
  if (isNew)
    at->second = areRegionsDisjoint(earlier.op, a.view, later.op, c.view, loop);
  return !at->second;
}

void CrossCoreVerifier::check(unsigned number) {
  const Execution &later = executions[number];
  OrderState &order = state.get(unsigned(later.core));
  Executions open = executed;
  open.reset(order.getComplete(later.engine));
  // The latest first: what orders it may order the earlier ones too.
  for (int i = open.find_last(); i >= 0; i = open.find_prev(i)) {
    const Execution &earlier = executions[i];
    if (earlier.core == later.core && earlier.engine == later.engine &&
        model.isOrdered(earlier.op, later.op, later.engine))
      continue;
    for (const Touch &a : earlier.touches)
      for (const Touch &c : later.touches)
        if (mayConflict(earlier, a, later, c)) {
          hazard =
              CoreHazard{earlier, later, getHazardKind(a.writes, c.writes)};
          return;
        }
  }
  executed.set(number);
  order.issue(later.engine, number);
}
