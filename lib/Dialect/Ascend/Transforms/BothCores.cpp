//===- BothCores.cpp - the cores of a block, run together -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BothCores.h"

#include "Tile/Analysis/AccessSystem.h"

#include <set>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using llvm::BitVector;
using tl::MemorySpace;

// A loop whose length is not known runs up to so many times minus one, a long
// one is cut. More than the slots of what the cores exchange.
static constexpr int64_t kTrips = 5, kMostTrips = 16;
static constexpr unsigned kMostRuns = 400;

static Core other(Core core) {
  return core == Core::Cube ? Core::Vector : Core::Cube;
}

BothCores::BothCores(tl::KernelOp kernel)
    : kernel(kernel), spec(getSpec(kernel)), scalars(kernel.getContext()) {}

bool BothCores::applies(tl::KernelOp kernel) {
  bool has[2] = {false, false};
  for (SectionOp section : kernel.getBody().getOps<SectionOp>())
    has[unsigned(section.getCore())] = true;
  return has[0] && has[1];
}

bool BothCores::run() {
  for (unsigned count = 0; count < kMostRuns; ++count) {
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
    if (!scalars.next())
      break;
  }
  return true;
}

InFlightDiagnostic BothCores::report() const {
  if (problem)
    return problem->op->emitError(problem->problem);
  const Execution &earlier = hazard->earlier, &later = hazard->later;
  InFlightDiagnostic diag = later.op->emitError()
                            << "nothing orders this instruction of pipe '"
                            << stringifyPipe(later.pipe)
                            << "' after one of pipe '"
                            << stringifyPipe(earlier.pipe) << "'";
  if (earlier.core != later.core)
    diag << " of the other core";
  diag << ": " << hazard->kind;
  diag.attachNote(earlier.op->getLoc()) << "the other one is here";
  return diag;
}

//===----------------------------------------------------------------------===//
// What each core executes
//===----------------------------------------------------------------------===//

void BothCores::build(Core core, Block &block) {
  for (Operation &op : block) {
    if (scalars.isVoid())
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      buildLoop(core, loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      buildBranch(core, branch);
    else if (isa<SetFlagOp, WaitFlagOp, PipeBarrierOp, CrossSetOp, CrossWaitOp>(
                 op))
      runs[unsigned(core)].events.push_back({Event::Op, &op});
    else if (std::optional<Pipe> pipe = getPipeOf(&op))
      buildExecution(core, &op, *pipe);
  }
}

/// Whether nothing in the loop orders instructions.
static bool isUnsynchronised(scf::ForOp loop) {
  return !loop
              ->walk([](Operation *op) {
                bool orders = isa<SetFlagOp, WaitFlagOp, PipeBarrierOp,
                                  CrossSetOp, CrossWaitOp>(op);
                return orders ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

void BothCores::buildLoop(Core core, scf::ForOp loop) {
  AffineExpr lower = scalars.get(loop.getLowerBound());
  // Any two iterations stand for all: nothing is decided by their number.
  bool isKnown =
      isa<AffineConstantExpr>(scalars.get(loop.getUpperBound()) - lower);
  if (!isKnown && isUnsynchronised(loop)) {
    for (int64_t i = 0; i < 2; ++i) {
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
static bool isBalanced(Block &block) {
  std::set<std::tuple<Pipe, Pipe, int64_t>> raised;
  for (Operation &op : block) {
    if (isa<CrossSetOp, CrossWaitOp>(op))
      return false;
    if (auto set = dyn_cast<SetFlagOp>(op)) {
      if (!raised.emplace(set.getSrc(), set.getDst(), set.getId()).second)
        return false;
    } else if (auto wait = dyn_cast<WaitFlagOp>(op)) {
      if (!raised.erase({wait.getSrc(), wait.getDst(), wait.getId()}))
        return false;
    }
  }
  return raised.empty();
}

/// Whether a branch that is taken is seen from outside by flags.
static bool isSignal(scf::IfOp branch) {
  auto result = branch->walk([](Block *block) {
    return isBalanced(*block) ? WalkResult::advance()
                              : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// A branch that signals nothing may be taken or not; the others are decided,
/// for both cores alike.
void BothCores::buildBranch(Core core, scf::IfOp branch) {
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

void BothCores::buildExecution(Core core, Operation *op, Pipe pipe) {
  Execution execution{op, core, pipe, {}, iterations};
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

void BothCores::simulate(Core first) {
  executed = BitVector(executions.size());
  for (CoreRun &run : runs) {
    run.next = 0;
    run.branches.clear();
    run.heard.clear();
    run.state = State();
    run.state.done.fill(executed);
    run.state.issued.fill(executed);
  }
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
bool BothCores::step(Core core) {
  CoreRun &run = runs[unsigned(core)];
  size_t before = run.next;
  for (; run.next < run.events.size() && !failed(); ++run.next) {
    const Event &event = run.events[run.next];
    if (event.kind != Event::Op)
      runBranch(run, event.kind);
    else if (!getPipeOf(event.op) && !runOp(core, event.op))
      break;
    else if (getPipeOf(event.op))
      check(run, event.execution);
  }
  return run.next != before;
}

void BothCores::checkEnd() {
  // The last op that raised the flag in question.
  auto findLast = [&](Core core, function_ref<bool(Operation *)> matches) {
    Operation *last = nullptr;
    for (const Event &event : runs[unsigned(core)].events)
      if (matches(event.op))
        last = event.op;
    return last;
  };
  for (CoreRun &run : runs)
    if (run.next != run.events.size()) {
      problem = FlagProblem{run.events[run.next].op,
                            "the other core does not raise the flag so often"};
      return;
    }
  for (Core core : {Core::Cube, Core::Vector}) {
    for (auto &[flag, known] : runs[unsigned(core)].state.raised)
      problem =
          FlagProblem{findLast(core,
                               [&, flag = flag](Operation *op) {
                                 auto set = dyn_cast<SetFlagOp>(op);
                                 return set && Flag(set.getSrc(), set.getDst(),
                                                    set.getId()) == flag;
                               }),
                      "the flag is still raised at the end of the kernel"};
    for (auto &[id, tokens] : runs[unsigned(other(core))].heard)
      if (!tokens.empty())
        problem = FlagProblem{
            findLast(core,
                     [id = id](Operation *op) {
                       auto set = dyn_cast<CrossSetOp>(op);
                       return set && int64_t(set.getId()) == id;
                     }),
            "the flag of the other core is still raised at the end of the "
            "kernel"};
  }
}

void BothCores::runBranch(CoreRun &run, Event::Kind kind) {
  if (kind == Event::Begin) {
    run.branches.push_back({run.state, executed, State()});
    return;
  }
  Branch &branch = run.branches.back();
  // What one side executes is not in the way of the other side.
  BitVector inside = executed;
  inside.reset(branch.executed);
  if (kind == Event::Else) {
    branch.first = std::exchange(run.state, branch.before);
    for (BitVector &done : run.state.done)
      done |= inside;
    branch.executed = executed;
    return;
  }
  for (unsigned pipe = 0; pipe < kPipes; ++pipe) {
    branch.first.done[pipe] |= inside;
    run.state.done[pipe] &= branch.first.done[pipe];
    run.state.issued[pipe] |= branch.first.issued[pipe];
  }
  run.branches.pop_back();
}

/// False where the core has to wait.
bool BothCores::runOp(Core core, Operation *op) {
  CoreRun &run = runs[unsigned(core)];
  State &state = run.state;
  auto getKnown = [&](Pipe pipe) {
    BitVector known = state.done[unsigned(pipe)];
    return known |= state.issued[unsigned(pipe)];
  };
  if (auto set = dyn_cast<SetFlagOp>(op)) {
    if (!state.raised
             .try_emplace(Flag(set.getSrc(), set.getDst(), set.getId()),
                          getKnown(set.getSrc()))
             .second)
      problem = FlagProblem{op, "the flag is raised already"};
  } else if (auto wait = dyn_cast<WaitFlagOp>(op)) {
    auto at =
        state.raised.find(Flag(wait.getSrc(), wait.getDst(), wait.getId()));
    if (at == state.raised.end()) {
      problem = FlagProblem{op, "the flag is not raised before"};
      return true;
    }
    // The scalar unit issues everything.
    for (unsigned pipe = 0; pipe < kPipes; ++pipe)
      if (Pipe(pipe) == wait.getDst() || wait.getDst() == Pipe::S)
        state.done[pipe] |= at->second;
    state.raised.erase(at);
  } else if (auto barrier = dyn_cast<PipeBarrierOp>(op)) {
    BitVector all(executions.size());
    for (unsigned pipe = 0; pipe < kPipes; ++pipe)
      if (barrier.getPipe() == Pipe::All || barrier.getPipe() == Pipe(pipe))
        all |= state.issued[pipe];
    for (unsigned pipe = 0; pipe < kPipes; ++pipe)
      if (barrier.getPipe() == Pipe::All || barrier.getPipe() == Pipe(pipe))
        state.done[pipe] |= all;
  } else if (auto raise = dyn_cast<CrossSetOp>(op)) {
    auto &tokens = runs[unsigned(other(core))].heard[raise.getId()];
    tokens.push_back(getKnown(raise.getPipe()));
    if (int64_t(tokens.size()) > spec.crossCounterMax)
      problem = FlagProblem{op, "the flag of the other core may be raised more "
                                "often than it can count"};
  } else if (auto take = dyn_cast<CrossWaitOp>(op)) {
    auto &tokens = run.heard[take.getId()];
    if (tokens.empty())
      return false;
    for (unsigned pipe = 0; pipe < kPipes; ++pipe)
      if (Pipe(pipe) == take.getPipe().value_or(Pipe(pipe)))
        state.done[pipe] |= tokens.front();
    tokens.pop_front();
  }
  return true;
}

bool BothCores::mayMeet(const Execution &earlier, const Touch &a,
                        const Execution &later, const Touch &c) {
  if ((!a.writes && !c.writes) || !mayOverlap(a.range, c.range))
    return false;
  // Tiles whose bytes overlap may be two.
  if (a.tile != c.tile)
    return true;
  if (isApart(a.part, c.part, scalars))
    return false;
  // By the guards around the two, which are not followed here.
  Operation *loop = getLoopApart(earlier.iterations, later.iterations);
  bool areParts = isMatrixPart(a.view) && isMatrixPart(c.view) && loop;
  bool isGlobal =
      a.range.space == MemorySpace::Global && earlier.op != later.op;
  if (earlier.core != later.core || (!areParts && !isGlobal))
    return true;
  auto [at, isNew] = apart.try_emplace(
      std::make_tuple(earlier.op, later.op, loop, a.view, c.view), false);
  if (isNew)
    at->second = areRegionsApart(earlier.op, a.view, later.op, c.view, loop);
  return !at->second;
}

void BothCores::check(CoreRun &run, unsigned number) {
  const Execution &later = executions[number];
  BitVector open = executed;
  open.reset(run.state.done[unsigned(later.pipe)]);
  // The latest first: what orders it may order the earlier ones too.
  for (int i = open.find_last(); i >= 0; i = open.find_prev(i)) {
    const Execution &earlier = executions[i];
    if (earlier.core == later.core && earlier.pipe == later.pipe &&
        isOrderedByPipe(earlier.op, later.op, later.pipe, spec))
      continue;
    for (const Touch &a : earlier.touches)
      for (const Touch &c : later.touches)
        if (mayMeet(earlier, a, later, c)) {
          hazard =
              CoreHazard{earlier, later, getHazardKind(a.writes, c.writes)};
          return;
        }
  }
  executed.set(number);
  run.state.issued[unsigned(later.pipe)].set(number);
}
