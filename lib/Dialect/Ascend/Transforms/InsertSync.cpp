//===- InsertSync.cpp - flags and barriers from dependences ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrossCoreVerifier.h"
#include "FlagAssignment.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Ascend/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace mlir::tile::ascend {
#define GEN_PASS_DEF_ASCENDINSERTSYNCPASS
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::tile::ascend

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;

namespace {
/// Adds what the code of one core lacks, one dependence after another.
class SyncInserter {
public:
  SyncInserter(tl::KernelOp kernel, Region &code, Core core, int64_t &group,
               bool isTrial = false)
      : kernel(kernel), code(code), core(core), isJoint(false),
        isTrial(isTrial), spec(getSpec(kernel)), model(spec), group(group),
        b(kernel.getContext()) {
    code.walk(
        [&](InstructionOpInterface op) { isJoint |= op.getCore() != core; });
  }
  LogicalResult run();

  unsigned flags = 0, barriers = 0, fallbacks = 0;
  std::optional<PipePair> shortage; // of ids

private:
  template <typename OpTy>
  void createFlag(const Hazard &hazard, Operation *op);
  template <typename OpTy>
  void createBefore(const Hazard &hazard, Operation *op);
  template <typename OpTy>
  void createBehind(const Hazard &hazard, Operation *op);
  bool hasFlag(Engine from, Engine to) const;
  void order(const Hazard &hazard);
  void orderByBarrier(const Hazard &hazard);
  bool orderByBarriersBetween(const Hazard &hazard, Pipe pipe);
  void orderByFlag(const Hazard &hazard, Operation *set, Operation *wait);
  bool orderInBranch(const Hazard &hazard, Operation *branch);
  void orderByFullBarrier(const Hazard &hazard);
  bool isIdle(Engine engine, Operation *from, Operation *to,
              bool withBranches = true);
  Operation *findBeforeWaits(scf::ForOp loop, const Hazard &hazard);
  scf::ForOp findOutermost(const Hazard &hazard);
  bool orderWhereTaken(const Hazard &hazard, Operation *set, Operation *wait);
  bool orderClash(const FlagClash &clash);
  bool orderWhereSkipped(const FlagClash &clash, WaitFlagOp wait);
  bool orderBySetBefore(const FlagClash &clash, WaitFlagOp wait);
  bool hoist(const FlagClash &clash);
  bool orderSets(ArrayRef<FlagClash> clashes);
  LogicalResult orderInstructions(HappensBefore &known);
  void barrierBefore(Operation *op, Pipe pipe);
  template <typename OpTy, typename... Args>
  void create(Args &&...args) {
    auto op = OpTy::create(b, std::forward<Args>(args)...);
    added.push_back(op);
    op->setAttr(AscendDialect::kGroupAttr, b.getI64IntegerAttr(group));
    if (isJoint)
      op->setAttr(AscendDialect::kCoreAttr,
                  CoreAttr::get(b.getContext(), core));
  }

  tl::KernelOp kernel;
  Region &code;
  Core core; // of the dependence at hand
  bool isJoint, isTrial;
  const target::AscendSpec &spec;
  AscendSyncModel model;
  int64_t &group;
  OpBuilder b;
  SmallVector<Operation *> added; // for the dependence at hand
};
} // namespace

void SyncInserter::barrierBefore(Operation *op, Pipe pipe) {
  b.setInsertionPoint(op);
  create<PipeBarrierOp>(op->getLoc(), pipe);
  ++group;
  ++barriers;
}

/// The innermost region around the two instructions, or the body of the loop of
/// which they are in different iterations, and the ops in it that stand for
/// them.
static std::tuple<Region *, Operation *, Operation *>
findCommon(const Hazard &hazard) {
  Region *region = hazard.loop ? &hazard.loop->getRegion(0) : nullptr;
  if (!region) {
    region = hazard.first->getParentRegion();
    while (!region->isAncestor(hazard.second->getParentRegion()))
      region = region->getParentRegion();
  }
  return {region, region->findAncestorOpInRegion(*hazard.first),
          region->findAncestorOpInRegion(*hazard.second)};
}

/// The block of a branch that is not taken, which it may lack.
static Block *getOtherSide(scf::IfOp branch) {
  if (!branch.elseBlock()) {
    OpBuilder b(branch.getContext());
    b.setInsertionPointToEnd(&branch.getElseRegion().emplaceBlock());
    scf::YieldOp::create(b, branch.getLoc());
  }
  return branch.elseBlock();
}

/// How many loops are around an op.
static unsigned getLoopDepth(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOfType<scf::ForOp>()))
    ++depth;
  return depth;
}

/// A branch between the two that has barriers, as the guard of an iteration
/// does, has one on its other side, too: where it is taken, that costs nothing.
bool SyncInserter::orderByBarriersBetween(const Hazard &hazard, Pipe pipe) {
  auto [region, first, second] = findCommon(hazard);
  Block *block = &region->front();
  auto hasBarrier = [&](Block *side) {
    return side && llvm::any_of(side->getOps<PipeBarrierOp>(), [&](auto op) {
             return op.getPipe() == pipe &&
                    (!isJoint || getCoreOf(op).value_or(core) == core);
           });
  };
  bool wraps = hazard.loop && !first->isBeforeInBlock(second);
  if (!wraps && !first->isBeforeInBlock(second))
    return false;
  for (Operation *op = first->getNextNode(); op != second;
       op = op ? op->getNextNode() : nullptr) {
    if (!op) {
      if (!wraps)
        return false;
      wraps = false;
      op = &block->front();
      if (op == second)
        return false;
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || branch.getNumResults() != 0 ||
        !hasBarrier(branch.thenBlock()) || hasBarrier(branch.elseBlock()))
      continue;
    barrierBefore(getOtherSide(branch)->getTerminator(), pipe);
    return true;
  }
  return false;
}

/// Instructions of one pipe. Where the first one is on a path that need not be
/// taken, the barrier is there too, unless the second one runs less often.
void SyncInserter::orderByBarrier(const Hazard &hazard) {
  bool has = spec.hasBarrier(core == Core::Cube ? target::Core::AIC
                                                : target::Core::AIV,
                             hazard.firstEngine);
  Pipe pipe = has ? getPipe(hazard.firstEngine) : Pipe::All;
  if (getLoopDepth(hazard.second) < getLoopDepth(hazard.first))
    return barrierBefore(hazard.second, pipe);
  if (orderByBarriersBetween(hazard, pipe))
    return;
  for (Operation *op = hazard.first; op && op->getParentRegion() != &code;
       op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    if (branch && !branch->isAncestor(hazard.second))
      return barrierBefore(op->getBlock()->getTerminator(), pipe);
  }
  barrierBefore(hazard.second, pipe);
}

/// Each flag is one of its own, until assignFlags() gives it an id of the chip.
template <typename OpTy>
void SyncInserter::createFlag(const Hazard &hazard, Operation *op) {
  create<OpTy>(op->getLoc(), getPipe(hazard.firstEngine),
               getPipe(hazard.secondEngine),
               tl::OrderState::kChipFlags + group);
}

template <typename OpTy>
void SyncInserter::createBefore(const Hazard &hazard, Operation *op) {
  b.setInsertionPoint(op);
  createFlag<OpTy>(hazard, op);
}

template <typename OpTy>
void SyncInserter::createBehind(const Hazard &hazard, Operation *op) {
  b.setInsertionPointAfter(op);
  createFlag<OpTy>(hazard, op);
}

/// No instruction, nor what waits for another core.
static bool isAmongFlags(Operation *op) {
  return isa<SetFlagOp, WaitFlagOp, CrossCoreSetFlagOp>(op) ||
         isMemoryEffectFree(op);
}

/// Whether two instructions access the same bytes, one of them as a writer.
static bool mayConflict(Operation *a, Operation *c) {
  SmallVector<tl::Access> first, second;
  if (failed(tl::collectAccesses(a, first)) ||
      failed(tl::collectAccesses(c, second)))
    return true;
  return llvm::any_of(first, [&](const tl::Access &x) {
    return llvm::any_of(second, [&](const tl::Access &y) {
      return (x.kind != tl::AccessKind::Read ||
              y.kind != tl::AccessKind::Read) &&
             mayOverlap(getByteRange(x.region.buffer),
                        getByteRange(y.region.buffer));
    });
  });
}

/// Where a flag is raised before a loop: before what its pipe waits for there,
/// which would hold back the first iteration of the other pipe. In a loop
/// around it, that is also what instructions of its pipe wait for, such as one
/// that clears an accumulator that is being stored.
Operation *SyncInserter::findBeforeWaits(scf::ForOp loop,
                                         const Hazard &hazard) {
  bool isNested = isa<scf::ForOp>(loop->getParentOp());
  Pipe raising = getPipe(hazard.firstEngine);
  Operation *place = loop;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto wait = dyn_cast<WaitFlagOp>(op); wait && wait.getDst() == raising)
      place = op;
    if (isAmongFlags(op))
      continue;
    std::optional<Engine> engine = model.getEngine(op);
    if (!isNested || !engine || op->getNumRegions() != 0 ||
        !isa<InstructionOpInterface>(op))
      break;
    if (*engine != hazard.firstEngine)
      continue;
    if (mayConflict(op, hazard.second))
      break;
    place = op;
  }
  return place;
}

/// Whether a pipe has nothing to do between two ops of a block, or from its
/// begin, or to its end; in branches it may have.
bool SyncInserter::isIdle(Engine engine, Operation *from, Operation *to,
                          bool withBranches) {
  Block *block = from ? from->getBlock() : to->getBlock();
  for (Operation *op = from ? from->getNextNode() : &block->front();
       op && op != to; op = op->getNextNode()) {
    if (!withBranches && isa<scf::IfOp>(op))
      continue;
    auto result = op->walk([&](Operation *inner) {
      bool isThere = model.getEngine(inner) == engine &&
                     (!isJoint || getCoreOf(inner).value_or(core) == core);
      return isThere ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

/// The loop that a flag in turns goes around. Where the taking pipe does
/// nothing else in a loop around this one but for what some iterations have, as
/// a remainder, it does not wait there for the last iteration of this one.
scf::ForOp SyncInserter::findOutermost(const Hazard &hazard) {
  auto loop = cast<scf::ForOp>(hazard.loop);
  while (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp())) {
    if (!isIdle(hazard.secondEngine, nullptr, loop) ||
        !isIdle(hazard.secondEngine, loop, nullptr, /*withBranches=*/false))
      break;
    loop = outer;
  }
  return loop;
}

/// Between iterations, the flag is raised before the loop and taken down behind
/// it, so that any number of iterations finds it in turns.
void SyncInserter::orderByFlag(const Hazard &hazard, Operation *set,
                               Operation *wait) {
  if (hazard.loop) {
    scf::ForOp loop = findOutermost(hazard);
    createBefore<SetFlagOp>(hazard, findBeforeWaits(loop, hazard));
    createBehind<WaitFlagOp>(hazard, loop);
  }
  createBehind<SetFlagOp>(hazard, set);
  createBefore<WaitFlagOp>(hazard, wait);
  ++group;
  ++flags;
}

/// The side of a branch that has an op, if `other` is not in the branch.
static Block *findSide(Operation *branch, Operation *op, Operation *other) {
  if (!isa<scf::IfOp>(branch) || branch->isAncestor(other))
    return nullptr;
  return branch->getRegion(0).isAncestor(op->getParentRegion())
             ? &branch->getRegion(0).front()
             : &branch->getRegion(1).front();
}

/// Where one of the two is in a branch, which takes some iterations of a loop,
/// and the pipe of the other one is idle from there to the branch, the flag is
/// in the branch: iterations that do not take it do not wait.
bool SyncInserter::orderWhereTaken(const Hazard &hazard, Operation *set,
                                   Operation *wait) {
  if (!isa<scf::ForOp>(set->getParentOp()))
    return false;
  if (!hazard.loop) {
    Block *side = findSide(wait, hazard.second, hazard.first);
    if (!side || !isa<scf::ForOp>(set) ||
        !isIdle(hazard.firstEngine, set, wait) ||
        !isIdle(hazard.secondEngine, wait, nullptr))
      return false;
    Operation *first = &side->front();
    createBefore<SetFlagOp>(hazard, first);
    createBefore<WaitFlagOp>(hazard, first);
  } else {
    Block *side = findSide(set, hazard.first, hazard.second);
    if (!side || !isa<scf::ForOp>(wait) ||
        !isIdle(hazard.secondEngine, set, nullptr) ||
        !isIdle(hazard.secondEngine, nullptr, wait))
      return false;
    Operation *last = side->getTerminator();
    createBefore<SetFlagOp>(hazard, last);
    createBefore<WaitFlagOp>(hazard, last);
  }
  ++group;
  ++flags;
  return true;
}

/// Where a condition is that of the first instruction, the last one of those of
/// its pipe, as in the filling of a tail, and the second one is the next of its
/// pipe behind it, the flag has the same condition: else, nothing waits.
bool SyncInserter::orderInBranch(const Hazard &hazard, Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch.elseBlock() ||
      hazard.first->getBlock() != branch.thenBlock() ||
      branch->getBlock() != hazard.second->getBlock())
    return false;
  Operation *last = nullptr;
  for (Operation &inner : *branch.thenBlock()) {
    std::optional<Engine> engine = model.getEngine(&inner);
    if (inner.getNumRegions() != 0 || (engine && engine != hazard.firstEngine))
      return false;
    last = engine ? &inner : last;
  }
  if (last != hazard.first ||
      !isIdle(hazard.secondEngine, branch, hazard.second))
    return false;
  orderByFlag(hazard, hazard.first, branch.thenBlock()->getTerminator());
  return true;
}

void SyncInserter::orderByFullBarrier(const Hazard &hazard) {
  ++fallbacks;
  if (!isTrial)
    remark::missed(
        hazard.second->getLoc(),
        remark::RemarkOpts::name("FullBarrier").category("ascend-insert-sync"))
        << remark::reason("the chip has no flags from {0} to {1}",
                          target::stringify(hazard.firstEngine),
                          target::stringify(hazard.secondEngine));
  barrierBefore(hazard.second, Pipe::All);
}

bool SyncInserter::hasFlag(Engine from, Engine to) const {
  return spec.hasFlag(
      core == Core::Cube ? target::Core::AIC : target::Core::AIV, from, to);
}

void SyncInserter::order(const Hazard &hazard) {
  if (hazard.firstEngine == hazard.secondEngine)
    return orderByBarrier(hazard);
  auto [region, set, wait] = findCommon(hazard);
  if (!hasFlag(hazard.firstEngine, hazard.secondEngine))
    return orderByFullBarrier(hazard);
  if ((!hazard.loop && orderInBranch(hazard, set)) ||
      orderWhereTaken(hazard, set, wait))
    return;
  // In turns: the wait of an iteration comes before its set.
  if (hazard.loop && (set == wait || set->isBeforeInBlock(wait)))
    wait = set;
  orderByFlag(hazard, set, wait);
}

static bool hasFlagInside(Block *block, Pipe from, Pipe to) {
  return block && llvm::any_of(block->getOps<SetFlagOp>(), [&](SetFlagOp set) {
           return set.getSrc() == from && set.getDst() == to;
         });
}

/// In a block of flags in turns, before those that the taking pipe raises,
/// which then say more.
static Operation *findInChain(Block *block, Pipe to) {
  for (SetFlagOp set : block->getOps<SetFlagOp>())
    if (set.getSrc() == to)
      return set;
  return block->getTerminator();
}

/// A branch between the two that orders them where it is taken, as the guard of
/// an iteration does, has on its other side what orders them there.
bool SyncInserter::orderWhereSkipped(const FlagClash &clash, WaitFlagOp wait) {
  if (clash.loop || wait->getBlock() != clash.set->getBlock() ||
      !wait->isBeforeInBlock(clash.set))
    return false;
  Pipe from = wait.getDst(), to = wait.getSrc();
  for (Operation *op = wait->getNextNode(); op != clash.set;
       op = op->getNextNode()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || branch.getNumResults() != 0 ||
        !hasFlagInside(branch.thenBlock(), from, to) ||
        hasFlagInside(branch.elseBlock(), from, to))
      continue;
    b.setInsertionPoint(findInChain(getOtherSide(branch), to));
    int64_t number = tl::OrderState::kChipFlags + group;
    create<SetFlagOp>(branch.getLoc(), from, to, number);
    create<WaitFlagOp>(branch.getLoc(), from, to, number);
    ++group;
    ++flags;
    return true;
  }
  return false;
}

/// Where a wait before a loop has to come before a set in it, a flag in the
/// other direction that is raised in front of the wait is raised behind it, of
/// several the one that the loop takes last.
bool SyncInserter::orderBySetBefore(const FlagClash &clash, WaitFlagOp wait) {
  auto loop = dyn_cast_or_null<scf::ForOp>(
      wait->getBlock()->findAncestorOpInBlock(*clash.set));
  if (!loop || !wait->isBeforeInBlock(loop))
    return false;
  Operation *set = loop.getBody()->findAncestorOpInBlock(*clash.set);
  SetFlagOp latest;
  Operation *taken = nullptr;
  for (Operation *op = wait->getPrevNode(); op && isAmongFlags(op);
       op = op->getPrevNode()) {
    auto raised = dyn_cast<SetFlagOp>(op);
    if (!raised || raised.getSrc() != wait.getDst() ||
        raised.getDst() != wait.getSrc())
      continue;
    for (auto other : loop.getBody()->getOps<WaitFlagOp>())
      if (other.getId() == raised.getId() &&
          other.getSrc() == raised.getSrc() &&
          other.getDst() == raised.getDst() && other->isBeforeInBlock(set) &&
          (!taken || taken->isBeforeInBlock(other))) {
        latest = raised;
        taken = other;
      }
  }
  if (latest)
    latest->moveAfter(wait);
  return bool(latest);
}

/// Has the wait come before the set: by a flag in the other direction, or a
/// barrier of all pipes. False if there is nothing to do.
bool SyncInserter::orderClash(const FlagClash &clash) {
  auto wait = dyn_cast<WaitFlagOp>(clash.other);
  if (!wait)
    return false;
  core = isJoint ? getCoreOf(wait).value_or(core) : core;
  added.clear();
  if (orderBySetBefore(clash, wait) || orderWhereSkipped(clash, wait))
    return true;
  order({wait,
         clash.set,
         *getEngine(wait.getDst()),
         *getEngine(wait.getSrc()),
         core,
         core,
         clash.loop,
         "set after wait",
         {}});
  return true;
}

/// A flag around a loop is set again in each iteration of the loop around that
/// one: it goes around both.
bool SyncInserter::hoist(const FlagClash &clash) {
  if (!clash.loop || clash.set->getParentOp() != clash.loop)
    return false;
  Attribute number = clash.set->getAttr(AscendDialect::kGroupAttr);
  SmallVector<Operation *> ops;
  clash.loop->walk([&](Operation *op) {
    if (op->getAttr(AscendDialect::kGroupAttr) == number)
      ops.push_back(op);
  });
  if (ops.size() != 4 || ops.front() != clash.set ||
      ops.back()->getParentOp() != clash.loop)
    return false;
  ops.front()->moveBefore(clash.loop);
  ops.back()->moveAfter(clash.loop);
  return true;
}

/// Of a flag that is set in each iteration, the wait comes before. Whether
/// something has changed.
bool SyncInserter::orderSets(ArrayRef<FlagClash> clashes) {
  auto isOfOneFlag = [](const FlagClash &clash) {
    Attribute group = clash.set->getAttr(AscendDialect::kGroupAttr);
    return group && group == clash.other->getAttr(AscendDialect::kGroupAttr);
  };
  auto clash = llvm::find_if(clashes, isOfOneFlag);
  return clash != clashes.end() && (hoist(*clash) || orderClash(*clash));
}

LogicalResult SyncInserter::orderInstructions(HappensBefore &known) {
  auto repair = [&](const Hazard &hazard) {
    added.clear();
    if (hazard.firstCore == hazard.secondCore) {
      core = hazard.firstCore;
      order(hazard);
    }
    return added;
  };
  while (!known.run(repair)) {
    if (known.getProblem())
      return reportProblem(*known.getProblem());
    const Hazard &hazard = *known.getHazard();
    if (hazard.firstCore != hazard.secondCore)
      return reportHazard(hazard);
  }
  return success();
}

LogicalResult SyncInserter::run() {
  HappensBefore known(code, core);
  std::vector<FlagClash> clashes;
  do {
    if (failed(orderInstructions(known)))
      return failure();
    clashes = known.findClashes();
    if (auto problem = known.getProblem())
      return reportProblem(*problem);
  } while (orderSets(clashes));
  pruneSync(kernel, code, known, isTrial);
  if (isJoint && failed(assignCrossFlags(code, spec.crossUserFlagIds, isTrial)))
    return failure();
  int64_t before = group;
  shortage = assignFlags(
      code, known, spec.userEventIds,
      [&](const FlagClash &clash) { return orderClash(clash); }, isTrial);
  // What one clash needed may order others, too.
  if (group != before && !isTrial)
    pruneSync(kernel, code, known);
  return success();
}

/// A number that no group of flags of the kernel has, or a later one.
static int64_t getNextGroup(tl::KernelOp kernel) {
  int64_t group = 0;
  kernel.walk([&](Operation *op) {
    if (auto attr = op->getAttrOfType<IntegerAttr>(AscendDialect::kGroupAttr))
      group = std::max(group, attr.getInt() + 1);
  });
  return group;
}

std::optional<PipePair>
mlir::tile::ascend::findFlagShortage(tl::KernelOp kernel) {
  OpBuilder b(kernel);
  auto trial = cast<tl::KernelOp>(b.clone(*kernel));
  // What is wrong with it, the pass says.
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  int64_t group = getNextGroup(trial);
  std::optional<PipePair> shortage;
  (void)forEachCore(trial, [&](Region &code, Core core) {
    SyncInserter inserter(trial, code, core, group, /*isTrial=*/true);
    (void)inserter.run();
    if (!shortage)
      shortage = inserter.shortage;
    return success();
  });
  trial.erase();
  return shortage;
}

namespace {
struct AscendInsertSync
    : mlir::tile::ascend::impl::AscendInsertSyncPassBase<AscendInsertSync> {
  void runOnOperation() override {
    if (failed(tl::verifyDimensionNumbers(getOperation())))
      return signalPassFailure();
    auto result = getOperation()->walk([&](tl::KernelOp kernel) {
      // Flags between the cores that are written by hand order more than one
      // core shows.
      if (CrossCoreVerifier::applies(kernel) && CrossCoreVerifier(kernel).run())
        return WalkResult::skip();
      int64_t group = getNextGroup(kernel);
      auto insert = [&](Region &code, Core core) {
        SyncInserter inserter(kernel, code, core, group);
        if (failed(inserter.run()))
          return failure();
        remark::passed(kernel.getLoc(), remark::RemarkOpts::name("InsertedSync")
                                            .category("ascend-insert-sync"))
            << remark::metric("flags", inserter.flags)
            << remark::metric("barriers", inserter.barriers)
            << remark::metric("full_barriers", inserter.fallbacks);
        return success();
      };
      return failed(forEachCore(kernel, insert)) ? WalkResult::interrupt()
                                                 : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
