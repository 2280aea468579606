//===- InsertSync.cpp - flags and barriers from dependences ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BothCores.h"
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
  SyncInserter(tl::KernelOp kernel, Region &code, Core core, int64_t &group)
      : code(code), core(core), isJoint(false), spec(getSpec(kernel)),
        model(spec), group(group), b(kernel.getContext()) {
    code.walk(
        [&](InstructionOpInterface op) { isJoint |= op.getCore() != core; });
    number();
  }
  LogicalResult run();

  unsigned flags = 0, barriers = 0, nearby = 0, fallbacks = 0;

private:
  using Flag = std::tuple<Core, Engine, Engine, int64_t>;
  struct Range {
    unsigned begin, end;
  };

  void number();
  void takeId(Flag flag, int64_t number, unsigned position);
  template <typename OpTy>
  void createFlag(const Hazard &hazard, Operation *op, unsigned position,
                  int64_t id);
  template <typename OpTy>
  void createBefore(const Hazard &hazard, Operation *op, int64_t id);
  template <typename OpTy>
  void createBehind(const Hazard &hazard, Operation *op, int64_t id);
  void order(const Hazard &hazard);
  void orderByBarrier(const Hazard &hazard);
  void orderByFlag(const Hazard &hazard, Operation *set, Operation *wait,
                   int64_t id);
  void orderByFlagAround(const Hazard &hazard, Operation *set, Operation *wait,
                         int64_t id);
  bool orderInBranch(const Hazard &hazard, Operation *branch);
  bool orderNearby(const Hazard &hazard);
  void orderByFullBarrier(const Hazard &hazard, bool hasFlags);
  bool isIdle(const Hazard &hazard, Operation *from, Operation *to);
  std::optional<int64_t> findId(const Hazard &hazard, Operation *from,
                                Operation *to);
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

  Region &code;
  Core core; // of the dependence at hand
  bool isJoint;
  const target::AscendSpec &spec;
  AscendSyncModel model;
  int64_t &group;
  OpBuilder b;
  SmallVector<Operation *> added; // for the dependence at hand
  // Of each op, and of the last one inside of it.
  DenseMap<Operation *, std::pair<unsigned, unsigned>> positions;
  // Where ids are taken, by group.
  std::map<Flag, std::map<int64_t, Range>> taken;
};
} // namespace

void SyncInserter::barrierBefore(Operation *op, Pipe pipe) {
  b.setInsertionPoint(op);
  create<PipeBarrierOp>(op->getLoc(), pipe);
  ++group;
  ++barriers;
}

/// Instructions of one pipe. Where the first one is on a path that need not be
/// taken, the barrier is there too.
void SyncInserter::orderByBarrier(const Hazard &hazard) {
  bool has = spec.hasBarrier(core == Core::Cube ? target::Core::AIC
                                                : target::Core::AIV,
                             hazard.firstEngine);
  Pipe pipe = has ? getPipe(hazard.firstEngine) : Pipe::All;
  for (Operation *op = hazard.first; op && op->getParentRegion() != &code;
       op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    if (branch && !branch->isAncestor(hazard.second))
      return barrierBefore(op->getBlock()->getTerminator(), pipe);
  }
  barrierBefore(hazard.second, pipe);
}

template <typename OpTy>
void SyncInserter::createFlag(const Hazard &hazard, Operation *op,
                              unsigned position, int64_t id) {
  create<OpTy>(op->getLoc(), getPipe(hazard.firstEngine),
               getPipe(hazard.secondEngine), id);
  takeId({core, hazard.firstEngine, hazard.secondEngine, id}, group, position);
}

template <typename OpTy>
void SyncInserter::createBefore(const Hazard &hazard, Operation *op,
                                int64_t id) {
  b.setInsertionPoint(op);
  createFlag<OpTy>(hazard, op, positions[op].first - 1, id);
}

template <typename OpTy>
void SyncInserter::createBehind(const Hazard &hazard, Operation *op,
                                int64_t id) {
  b.setInsertionPointAfter(op);
  createFlag<OpTy>(hazard, op, positions[op].second + 1, id);
}

void SyncInserter::orderByFlag(const Hazard &hazard, Operation *set,
                               Operation *wait, int64_t id) {
  createBehind<SetFlagOp>(hazard, set, id);
  createBefore<WaitFlagOp>(hazard, wait, id);
  ++group;
  ++flags;
}

/// The flag is raised before the loop and taken down behind it, so that any
/// number of iterations finds it in turns.
void SyncInserter::orderByFlagAround(const Hazard &hazard, Operation *set,
                                     Operation *wait, int64_t id) {
  createBefore<SetFlagOp>(hazard, hazard.loop, id);
  createBehind<WaitFlagOp>(hazard, hazard.loop, id);
  orderByFlag(hazard, set, wait, id);
}

/// Whether the second pipe has nothing to do between two ops of a block.
bool SyncInserter::isIdle(const Hazard &hazard, Operation *from,
                          Operation *to) {
  for (Operation *op = from->getNextNode(); op && op != to;
       op = op->getNextNode()) {
    auto result = op->walk([&](Operation *inner) {
      bool isThere = model.getEngine(inner) == hazard.secondEngine &&
                     (!isJoint || getCoreOf(inner).value_or(core) == core);
      return isThere ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
  }
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
  if (last != hazard.first || !isIdle(hazard, branch, hazard.second))
    return false;
  Operation *end = branch.thenBlock()->getTerminator();
  std::optional<int64_t> id = findId(hazard, hazard.first, end);
  if (id)
    orderByFlag(hazard, hazard.first, end, *id);
  return id.has_value();
}

/// Raises a flag where it is taken, which needs an id there alone: all that the
/// first pipe has been given is waited for.
bool SyncInserter::orderNearby(const Hazard &hazard) {
  std::optional<int64_t> id = findId(hazard, hazard.second, hazard.second);
  if (!id)
    return false;
  ++nearby;
  remark::missed(
      hazard.second->getLoc(),
      remark::RemarkOpts::name("NearFlag").category("ascend-insert-sync"))
      << remark::reason("all event ids from {0} to {1} are taken on the way; "
                        "the flag is raised where it is taken",
                        target::stringify(hazard.firstEngine),
                        target::stringify(hazard.secondEngine));
  createBefore<SetFlagOp>(hazard, hazard.second, *id);
  createBefore<WaitFlagOp>(hazard, hazard.second, *id);
  ++group;
  ++flags;
  return true;
}

void SyncInserter::orderByFullBarrier(const Hazard &hazard, bool hasFlags) {
  ++fallbacks;
  remark::missed(
      hazard.second->getLoc(),
      remark::RemarkOpts::name("FullBarrier").category("ascend-insert-sync"))
      << remark::reason(hasFlags ? "all event ids from {0} to {1} are taken"
                                 : "the chip has no flags from {0} to {1}",
                        target::stringify(hazard.firstEngine),
                        target::stringify(hazard.secondEngine));
  barrierBefore(hazard.second, Pipe::All);
}

/// Ops that are there already have even positions, in the order of the text;
/// what is added takes the odd ones between.
void SyncInserter::number() {
  unsigned next = 2;
  std::function<void(Operation *)> visit = [&](Operation *op) {
    unsigned begin = next;
    next += 2;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        visit(&inner);
    positions[op] = {begin, next - 2};
  };
  for (Operation &op : code.getOps())
    visit(&op);
  code.walk([&](Operation *op) {
    std::optional<tl::SyncEvent> event = model.getSync(op);
    if (!event || (event->kind != tl::SyncEvent::Kind::SetFlag &&
                   event->kind != tl::SyncEvent::Kind::WaitFlag))
      return;
    auto attr = op->getAttrOfType<IntegerAttr>(AscendDialect::kGroupAttr);
    takeId({isJoint ? getCoreOf(op).value_or(core) : core, *event->from,
            *event->to, event->number},
           attr ? attr.getInt() : -1, positions[op].first);
  });
}

/// A group of flags takes all from its first to its last.
void SyncInserter::takeId(Flag flag, int64_t number, unsigned position) {
  auto [range, isNew] =
      taken[flag].try_emplace(number, Range{position, position});
  range->second.begin = std::min(range->second.begin, position);
  range->second.end = std::max(range->second.end, position);
}

/// An id that no flag of the pair has anywhere from `from` to `to`.
std::optional<int64_t> SyncInserter::findId(const Hazard &hazard,
                                            Operation *from, Operation *to) {
  unsigned begin = positions[from].first, end = positions[to].second;
  for (int64_t id = 0; id < spec.userEventIds; ++id) {
    auto &ranges = taken[{core, hazard.firstEngine, hazard.secondEngine, id}];
    if (llvm::none_of(ranges, [&](auto &entry) {
          return entry.second.begin <= end && entry.second.end >= begin;
        }))
      return id;
  }
  return std::nullopt;
}

void SyncInserter::order(const Hazard &hazard) {
  if (hazard.firstEngine == hazard.secondEngine)
    return orderByBarrier(hazard);
  // The ops that stand for both in the innermost block around both; of
  // different iterations, in the body of the loop.
  Region *region = hazard.loop ? &hazard.loop->getRegion(0) : nullptr;
  if (!region) {
    region = hazard.first->getParentRegion();
    while (!region->isAncestor(hazard.second->getParentRegion()))
      region = region->getParentRegion();
  }
  Operation *set = region->findAncestorOpInRegion(*hazard.first);
  Operation *wait = region->findAncestorOpInRegion(*hazard.second);
  bool legal =
      spec.hasFlag(core == Core::Cube ? target::Core::AIC : target::Core::AIV,
                   hazard.firstEngine, hazard.secondEngine);
  if (!legal)
    return orderByFullBarrier(hazard, /*hasFlags=*/false);
  if (!hazard.loop && orderInBranch(hazard, set))
    return;
  Operation *from = hazard.loop ? hazard.loop : set;
  Operation *to = hazard.loop ? hazard.loop : wait;
  std::optional<int64_t> id = findId(hazard, from, to);
  if (!id) {
    if (!orderNearby(hazard))
      orderByFullBarrier(hazard, /*hasFlags=*/true);
    return;
  }
  if (!hazard.loop)
    return orderByFlag(hazard, set, wait, *id);
  // In turns: the wait of an iteration comes before its set.
  if (set == wait || set->isBeforeInBlock(wait))
    wait = set;
  orderByFlagAround(hazard, set, wait, *id);
}

LogicalResult SyncInserter::run() {
  auto repair = [&](const Hazard &hazard) {
    added.clear();
    if (hazard.firstCore == hazard.secondCore) {
      core = hazard.firstCore;
      order(hazard);
    }
    return added;
  };
  HappensBefore known(code, core);
  while (!known.run(repair)) {
    if (known.getProblem())
      return known.getProblem()->op->emitError(known.getProblem()->problem);
    const Hazard &hazard = *known.getHazard();
    if (hazard.firstCore != hazard.secondCore)
      return reportHazard(hazard);
  }
  return success();
}

namespace {
struct AscendInsertSync
    : mlir::tile::ascend::impl::AscendInsertSyncPassBase<AscendInsertSync> {
  void runOnOperation() override {
    auto result = getOperation()->walk([&](tl::KernelOp kernel) {
      // Flags between the cores that are written by hand order more than one
      // core shows.
      if (BothCores::applies(kernel) && BothCores(kernel).run())
        return WalkResult::skip();
      int64_t group = 0;
      auto insert = [&](Region &code, Core core) {
        SyncInserter inserter(kernel, code, core, group);
        if (failed(inserter.run()))
          return failure();
        remark::passed(kernel.getLoc(), remark::RemarkOpts::name("InsertedSync")
                                            .category("ascend-insert-sync"))
            << remark::metric("flags", inserter.flags)
            << remark::metric("barriers", inserter.barriers)
            << remark::metric("nearby", inserter.nearby)
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
