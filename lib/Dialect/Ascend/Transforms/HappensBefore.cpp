//===- HappensBefore.cpp - order of instructions --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

#include "Tile/Analysis/AccessSystem.h"

#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using llvm::BitVector;
using tl::MemorySpace;

LogicalResult mlir::tile::ascend::forEachCore(
    tl::KernelOp kernel, function_ref<LogicalResult(Region &, Core)> body) {
  auto sections = llvm::to_vector(kernel.getBody().getOps<SectionOp>());
  for (SectionOp section : sections)
    if (mlir::failed(body(section.getBody(), section.getCore())))
      return failure();
  if (!sections.empty())
    return success();
  Core core = Core::Vector;
  kernel.walk([&](InstructionOpInterface op) { core = op.getCore(); });
  return body(kernel.getBody(), core);
}

LogicalResult mlir::tile::ascend::reportHazard(const Hazard &hazard) {
  InFlightDiagnostic diag =
      hazard.second->emitError()
      << "nothing orders this instruction of pipe '"
      << target::stringify(hazard.secondEngine) << "' after one of pipe '"
      << target::stringify(hazard.firstEngine) << "': " << hazard.kind;
  if (hazard.loop)
    diag << " from one iteration to a later one";
  diag.attachNote(hazard.first->getLoc()) << "the other one is here";
  return diag;
}

// What is set any number of times does not grow any more.
static constexpr unsigned kMostWidenings = 4;

HappensBefore::HappensBefore(Region &code, Core core)
    : code(code), core(core), model(getSpec(code.getParentOp())),
      state(AscendSyncModel::getStart()), scalars(code.getContext()) {
  bool has[2] = {false, false};
  code.walk(
      [&](InstructionOpInterface op) { has[unsigned(op.getCore())] = true; });
  isJoint = has[0] && has[1];
}

Core HappensBefore::getCore(Operation *op) const {
  return isJoint && !sections[0] ? getCoreOf(op).value_or(core) : core;
}

bool HappensBefore::run(Repair how) {
  repair = how;
  state = BlockOrder(AscendSyncModel::getStart());
  executed = 0;
  repetition = Repetition();
  uses = FlagUses();
  hazard.reset();
  problem.reset();
  isUndecided = false;
  if (sections[0])
    runInStep(Blocks{&sections[0]->front(), &sections[1]->front()});
  else
    runBlock(code.front());
  if (!failed())
    checkEnd();
  return !failed();
}

std::vector<FlagClash> HappensBefore::findClashes() {
  std::vector<FlagClash> found;
  clashes = &found;
  run();
  clashes = nullptr;
  return found;
}

/// No flag is left set.
void HappensBefore::checkEnd() {
  if (sections[0]) {
    isUndecided = !state.hasSameFlags(BlockOrder(AscendSyncModel::getStart()));
    return;
  }
  Operation *last = nullptr;
  auto findLast = [&](SyncEvent::Kind kind, auto matches) {
    code.walk([&](Operation *op) {
      std::optional<SyncEvent> event = model.getSync(op);
      if (event && event->kind == kind && matches(op, *event) &&
          !disabled.contains(op))
        last = op;
    });
  };
  for (unsigned of : {0, 1}) {
    const auto &flags = state.get(of).getFlags();
    if (!flags.empty() && !last)
      findLast(SyncEvent::Kind::SetFlag,
               [&](Operation *op, const SyncEvent &event) {
                 return unsigned(getCore(op)) == of &&
                        OrderState::Flag(*event.from, *event.to,
                                         event.number) == flags.begin()->first;
               });
  }
  for (unsigned of : {0, 1})
    for (auto &[number, sets] : state.getCrossFlags(of))
      if (!sets.empty())
        findLast(SyncEvent::Kind::SetCrossFlag,
                 [id = number](Operation *, const SyncEvent &event) {
                   return event.number == id;
                 });
  if (last)
    problem = FlagProblem{last, "the flag is still set at the end of "
                                "the kernel"};
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

void HappensBefore::runBlock(Block &block) {
  for (Operation &op : block) {
    if (failed())
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      runLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      runBranch(branch);
    else
      runOp(&op);
  }
}

static BitVector makeRange(unsigned begin, unsigned end) {
  BitVector range(end);
  return range.set(begin, end);
}

void HappensBefore::checkSameFlags(const BlockOrder &other, Operation *at) {
  if (!state.hasSameFlags(other))
    problem = FlagProblem{at, "a flag is set or waited for on one path only"};
}

void HappensBefore::meet(const BlockOrder &other, unsigned begin,
                         unsigned middle, unsigned end, Operation *at) {
  checkSameFlags(other, at);
  if (!failed())
    state.meet(other, makeRange(middle, end), makeRange(begin, middle));
}

HappensBefore::Trips HappensBefore::getTrips(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (lower && upper && *lower < *upper)
    return {true, !step || *lower + *step < *upper};
  // That of a loop with steps of several iterations also runs where none is.
  auto [runs, isNew] = neverEmpty.try_emplace(loop, false);
  if (isNew)
    runs->second = ValueBoundsConstraintSet::compare(
        loop.getUpperBound(), ValueBoundsConstraintSet::GT,
        loop.getLowerBound());
  return {runs->second, true};
}

/// The second iteration, and as many more as it takes until no flag between the
/// cores is set more often than in the one before.
void HappensBefore::repeat(BlockOrder &once, function_ref<void()> iterate) {
  BlockOrder earlier = state;
  for (unsigned i = 0; !failed(); ++i) {
    iterate();
    if (i == 0 && !failed())
      once.learn(state, findEarlyEnds());
    if (failed() || !countsSets || !state.hasSameFlags(earlier) ||
        !state.widenSets(earlier))
      break;
    isUndecided = i == kMostWidenings;
    earlier = state;
  }
  repetition = Repetition();
}

void HappensBefore::runLoop(scf::ForOp loop) {
  auto [runs, repeats] = getTrips(loop);
  BlockOrder before = state;
  unsigned begin = executed;
  if (!repetition.loop)
    begins[loop] = begin;
  runBlock(*loop.getBody());
  if (repeats && !repetition.loop && !failed()) {
    BlockOrder once = state;
    repetition = {loop, begin, executed};
    repeat(once, [&] { runBlock(*loop.getBody()); });
    if (!failed())
      checkSameFlags(once, loop);
    once.raiseSets(state);
    state = std::move(once);
  }
  if (!runs && !failed())
    meet(before, begin, begin, executed, loop);
}

void HappensBefore::runBranch(scf::IfOp branch) {
  if (isAssumed(branch))
    return runBlock(*branch.thenBlock());
  BlockOrder before = state;
  unsigned begin = executed;
  runBlock(*branch.thenBlock());
  if (failed())
    return;
  BlockOrder taken = std::move(state);
  unsigned middle = executed;
  state = std::move(before);
  // What the other path executes is not in the way of this one.
  state.skip(makeRange(begin, middle));
  if (branch.elseBlock())
    runBlock(*branch.elseBlock());
  if (!failed())
    meet(taken, begin, middle, executed, branch);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void HappensBefore::runOp(Operation *op) {
  if (disabled.contains(op))
    return;
  if (std::optional<SyncEvent> event = model.getSync(op))
    return synchronise(op, *event);
  std::optional<Engine> engine = model.getEngine(op);
  if (!engine)
    return;
  // Scalar code of both.
  if (isJoint && !sections[0] && !getCoreOf(op)) {
    execute(op, Core::Cube, *engine);
    if (!failed())
      execute(op, Core::Vector, *engine);
    return;
  }
  execute(op, getCore(op), *engine);
}

/// Flags of the other core count where both are here: between the sections of a
/// kernel that is divided, see CrossCoreVerifier.
void HappensBefore::synchronise(Operation *op, const SyncEvent &event) {
  bool isCross = event.kind == SyncEvent::Kind::SetCrossFlag ||
                 event.kind == SyncEvent::Kind::WaitCrossFlag;
  if (isCross && !isJoint)
    return;
  unsigned of = unsigned(getCore(op));
  if (clashes && event.kind == SyncEvent::Kind::SetFlag)
    addClashes(op, event);
  BlockOrder::Outcome outcome = state.apply(of, event, model);
  problem = uses.note(op, of, event, outcome);
  if (countsSets && event.kind == SyncEvent::Kind::SetCrossFlag && !problem &&
      state.getMostSets(of, event) > model.getMostCrossFlags())
    problem = FlagProblem{op, getFlagProblem(BlockOrder::Outcome::SetTooOften)};
  if ((repair || clashes) && outcome == BlockOrder::Outcome::MayBeSet)
    problem.reset();
}

void HappensBefore::addClashes(Operation *op, const SyncEvent &event) {
  unsigned of = unsigned(getCore(op));
  const OrderState &order = state.get(of);
  for (auto &[other, last] : uses.flags) {
    auto [core, flag] = other;
    if (core != of || std::get<0>(flag) != event.from ||
        std::get<1>(flag) != event.to)
      continue;
    bool isSet = order.getFlags().count(flag);
    if (!isSet && order.isTaken(*event.from, OrderState::getIndex(of, flag)))
      continue;
    Operation *use = isSet ? last.set : last.wait;
    Operation *loop = repetition.loop;
    clashes->push_back(
        {op, use, loop && loop->isAncestor(use) ? loop : nullptr});
  }
}

InFlightDiagnostic
mlir::tile::ascend::reportProblem(const FlagProblem &problem) {
  InFlightDiagnostic diag = problem.op->emitError(problem.problem);
  if (problem.other)
    diag.attachNote(problem.other->getLoc()) << "the other one is here";
  return diag;
}

std::optional<FlagProblem> FlagUses::note(Operation *op, unsigned core,
                                          const SyncEvent &event,
                                          BlockOrder::Outcome outcome) {
  FlagProblem problem{op, getFlagProblem(outcome)};
  if (event.kind == SyncEvent::Kind::SetFlag ||
      event.kind == SyncEvent::Kind::WaitFlag) {
    Use &last = flags[{core, {*event.from, *event.to, event.number}}];
    if (outcome == BlockOrder::Outcome::AlreadySet)
      problem.other = last.set;
    if (outcome == BlockOrder::Outcome::MayBeSet)
      problem.other = last.wait;
    (event.kind == SyncEvent::Kind::SetFlag ? last.set : last.wait) = op;
  }
  if (!problem.problem)
    return std::nullopt;
  return problem;
}

std::optional<unsigned> HappensBefore::getNumber(Operation *op, Core at,
                                                 Engine engine) {
  auto [number, isNew] = numbers.try_emplace({op, at}, executions.size());
  if (!isNew)
    return number->second;
  SmallVector<tl::Access> accesses;
  if (mlir::failed(tl::collectAccesses(op, accesses))) {
    numbers.erase(number);
    return std::nullopt;
  }
  Execution execution{op, at, engine, {}, findGuard(op)};
  for (const tl::Access &access : accesses)
    execution.touches.push_back({getByteRange(access.region.buffer),
                                 access.region.buffer,
                                 access.kind != tl::AccessKind::Read});
  executions.push_back(std::move(execution));
  return executions.size() - 1;
}

void HappensBefore::execute(Operation *op, Core at, Engine engine) {
  std::optional<unsigned> number = getNumber(op, at, engine);
  if (!number)
    return;
  if (assumption)
    checkAssumed(*number);
  else
    check(*number);
  // Nothing is held against a second iteration.
  if (repetition.loop)
    return;
  OrderState &order = state.get(unsigned(at));
  order.issue(engine, *number);
  executed = *number + 1;
  if (!repair)
    return;
  carried.resize(executions.size());
  carried[*number] = order.getHistory(engine);
}

const char *mlir::tile::ascend::getHazardKind(bool firstWrites,
                                              bool secondWrites) {
  if (!firstWrites)
    return "write after read";
  return secondWrites ? "write after write" : "read after write";
}

Operation *mlir::tile::ascend::getCarryingLoop(const Iterations &a,
                                               const Iterations &c) {
  for (auto [x, y] : llvm::zip(a, c)) {
    if (x.first != y.first)
      return nullptr;
    if (x.second != y.second)
      return x.first;
  }
  return nullptr;
}

bool HappensBefore::mayConflict(const Touch &a, const Touch &c) const {
  return (a.writes || c.writes) && mayOverlap(a.range, c.range);
}

BitVector &HappensBefore::getCandidates(unsigned number) {
  auto [at, isNew] = candidates.try_emplace({number, repetition.loop});
  if (!isNew)
    return at->second;
  const Execution &later = executions[number];
  bool isAlone = repetition.loop && !repetition.isOf(later.getLateLoop());
  unsigned begin = isAlone ? repetition.begin : 0,
           end = repetition.loop ? repetition.end : number;
  BitVector &found = at->second;
  found.resize(end);
  for (unsigned i = begin; i < end; ++i) {
    const Execution &earlier = executions[i];
    bool isOrdered = earlier.core == later.core &&
                     earlier.engine == later.engine &&
                     model.isOrdered(earlier.op, later.op, later.engine);
    found[i] = !isOrdered && llvm::any_of(earlier.touches, [&](auto &a) {
      return llvm::any_of(later.touches,
                          [&](auto &c) { return mayConflict(a, c); });
    });
  }
  return found;
}

/// Those of the candidates that are not ordered before. What flags are inserted
/// for is held against what comes before a loop in its first iteration.
BitVector HappensBefore::getOpen(unsigned number) {
  const Execution &later = executions[number];
  BitVector open = getCandidates(number);
  unsigned first = 0;
  if (repetition.loop)
    first = repair ? repetition.begin : 0;
  else if (Operation *loop = later.getLateLoop(); loop && !repair)
    first = begins.lookup(loop);
  open.reset(0, std::min(first, open.size()));
  open.reset(state.get(unsigned(later.core)).getComplete(later.engine));
  return open;
}

std::optional<Hazard> HappensBefore::findHazard(unsigned first,
                                                unsigned second) {
  const Execution &earlier = executions[first], &later = executions[second];
  bool isRepeated = repetition.loop && first >= repetition.begin;
  Operation *loop = isRepeated ? repetition.getLoop(earlier.core) : nullptr;
  for (const Touch &a : earlier.touches)
    for (const Touch &c : later.touches) {
      if (!mayConflict(a, c) || isDisjoint(earlier, a, later, c, loop))
        continue;
      // Of other buffers in GM, ascend-split-mix-kernels says what is wrong.
      if (!sections[0] && earlier.core != later.core &&
          c.range.space == MemorySpace::Global &&
          !c.range.base.getDefiningOp<memref::AllocOp>())
        continue;
      return Hazard{earlier.op,
                    later.op,
                    earlier.engine,
                    later.engine,
                    earlier.core,
                    later.core,
                    isRepeated ? repetition.loop : nullptr,
                    getHazardKind(a.writes, c.writes),
                    c.buffer};
    }
  return std::nullopt;
}

/// The latest one that is not ordered before: what orders it may order the
/// earlier ones too.
std::optional<unsigned> HappensBefore::findFirst(unsigned number) {
  BitVector open = getOpen(number);
  for (int i = open.find_last(); i >= 0; i = open.find_prev(i)) {
    hazard = findHazard(i, number);
    if (!hazard)
      getCandidates(number).reset(i);
    else if (isOrderedWhereBothAre(i, number))
      hazard.reset();
    else
      return i;
  }
  return std::nullopt;
}

void HappensBefore::check(unsigned number) {
  while (std::optional<unsigned> first = findFirst(number)) {
    if (!repair || !goOn(*first))
      return;
    hazard.reset();
  }
}

/// Adds what orders the hazard, and has its effect here if it is all directly
/// before the second instruction, or a flag raised directly behind the first.
bool HappensBefore::goOn(unsigned first) {
  SmallVector<Operation *> added = repair(*hazard);
  Block *block = hazard->second->getBlock();
  auto isBehindFirst = [&](Operation *op) {
    return isa<SetFlagOp>(op) && op->getPrevNode() == hazard->first;
  };
  auto isHere = [&](Operation *op) {
    Operation *next = op->getNextNode();
    return op->getBlock() == block &&
           (next == hazard->second || llvm::is_contained(added, next) ||
            isBehindFirst(op));
  };
  if (added.empty() || repetition.loop || !llvm::all_of(added, isHere))
    return false;
  for (Operation *op : added) {
    std::optional<SyncEvent> event = model.getSync(op);
    if (isBehindFirst(op))
      state.get(unsigned(hazard->firstCore))
          .setFlag({*event->from, *event->to, event->number}, carried[first]);
    else
      runOp(op);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Regions of GM
//===----------------------------------------------------------------------===//

/// The region of a buffer in GM that an instruction may touch: as much as the
/// local side holds.
static std::optional<tl::BufferRegion> getGlobalRegion(Operation *op,
                                                       Value view) {
  while (auto cast = view.getDefiningOp<memref::CastOp>())
    view = cast.getSource();
  auto part = view.getDefiningOp<memref::SubViewOp>();
  if (!part || isa<memref::LoadOp, memref::StoreOp>(op))
    return std::nullopt;
  // A view in a memory of the core says itself how large it is.
  MemRefType local;
  if (tl::getMemorySpace(view) != MemorySpace::Global)
    local = part.getType();
  else
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        if (tl::getMemorySpace(type) != MemorySpace::Global)
          local = type;
  if (!local || !local.hasStaticShape() ||
      local.getRank() != cast<MemRefType>(view.getType()).getRank())
    return std::nullopt;
  MLIRContext *context = op->getContext();
  tl::BufferRegion region;
  region.buffer = part.getSource();
  SmallVector<AffineExpr> offsets;
  llvm::SmallBitVector dropped = part.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, offset] : llvm::enumerate(part.getMixedOffsets())) {
    if (auto constant = getConstantIntValue(offset)) {
      offsets.push_back(getAffineConstantExpr(*constant, context));
    } else {
      offsets.push_back(getAffineDimExpr(region.operands.size(), context));
      region.operands.push_back(cast<Value>(offset));
    }
    region.sizes.push_back(dropped.test(dim) ? 1 : local.getDimSize(next++));
  }
  region.map = AffineMap::get(region.operands.size(), 0, offsets, context);
  return region;
}

bool mlir::tile::ascend::isRowMove(Operation *op, Value buffer) {
  auto isTile = [](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           tl::getMemorySpace(operand) == MemorySpace::UB;
  };
  return isTile(buffer) && llvm::count_if(op->getOperands(), isTile) == 1;
}

bool mlir::tile::ascend::isMatrixPart(Value buffer) {
  MemorySpace space = tl::getMemorySpace(buffer);
  return (space == MemorySpace::UB || space == MemorySpace::L1) &&
         buffer.getDefiningOp<memref::SubViewOp>();
}

bool mlir::tile::ascend::areRegionsDisjoint(Operation *a, Value x, Operation *c,
                                            Value y, Operation *loop) {
  auto first = getGlobalRegion(a, x), second = getGlobalRegion(c, y);
  if (!first || !second)
    return false;
  // In one iteration, what is computed outside of both is the same for both.
  tl::AccessSystem system(a->getContext(),
                          loop ? &loop->getRegion(0) : nullptr);
  system.addDomain(a, 0);
  system.addDomain(c, 1);
  if (auto scf = dyn_cast_or_null<scf::ForOp>(loop)) {
    AffineExpr i = system.getExpr(scf.getInductionVar(), 0),
               j = system.getExpr(scf.getInductionVar(), 1);
    if (!i || !j)
      return false;
    system.addNonNegative(j - i - 1);
  }
  SmallVector<AffineExpr> at = system.addElement(*first, 0),
                          to = system.addElement(*second, 1);
  tl::ElementAddress p = system.getAddress(first->buffer, at, 0),
                     q = system.getAddress(second->buffer, to, 1);
  if (p.base != q.base)
    return false;
  system.addSameElement(p, q);
  return system.isEmpty();
}

/// Whether two executions touch different elements of a buffer in GM, or parts
/// of a tile.
bool HappensBefore::isDisjoint(const Execution &a, const Touch &ta,
                               const Execution &c, const Touch &tc,
                               Operation *loop) {
  if (ta.range.space != MemorySpace::Global) {
    bool areParts =
        isMatrixPart(ta.buffer) && isMatrixPart(tc.buffer) &&
        tl::getBaseBuffer(ta.buffer) == tl::getBaseBuffer(tc.buffer);
    bool areRows =
        loop && isRowMove(a.op, ta.buffer) && isRowMove(c.op, tc.buffer);
    if (!areParts && !areRows)
      return false;
  }
  if (!loop && a.op == c.op)
    return false;
  auto key = std::make_tuple(a.op, c.op, loop, ta.buffer, tc.buffer);
  auto [at, isNew] = apart.try_emplace(key, false);
  if (!isNew)
    return at->second;
  // Of different iterations, those of the two cores have different variables.
  if ((!loop || a.core != c.core) &&
      mlir::tile::ascend::isDisjoint(getGlobalPart(a.op, ta.buffer, scalars),
                                     getGlobalPart(c.op, tc.buffer, scalars),
                                     scalars))
    return apart[key] = true;
  if (sections[0] && a.core != c.core)
    return false;
  return apart[key] =
             areRegionsDisjoint(a.op, ta.buffer, c.op, tc.buffer, loop);
}
