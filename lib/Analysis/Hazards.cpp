//===- Hazards.cpp - hazards in memory ------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk through a kernel. When two accesses conflict is in
// HazardConflicts.cpp.
//
//===----------------------------------------------------------------------===//

#include "HazardConflicts.h"

#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Engine;

namespace {
using State = SmallVector<Pending>;

/// What stands, or will stand, before an op.
struct Planned {
  bool isAsync = false, isGlobal = false, waits = false, commits = false,
       waitsForStores = false, completesStores = false, meets = false;
};

class Walker {
public:
  explicit Walker(KernelOp kernel);
  std::vector<MissingBarrier> run();

private:
  void walk(Block &block, State &state);
  void visit(Operation *op, State &state);
  void synchronise(const SyncEvent &event, State &state);
  void visitAccesses(Operation *op, State &state);
  void measureNests();
  void visitLoop(Operation *loop, State &state);
  void visitBranches(Operation *op, State &state);
  void visitConsumer(WarpSpecializeOp partitions, State &state);
  void summarise(Operation *loop, State &state);
  void simulate(Operation *loop, State &state);
  bool isInDeepNest() const;
  int64_t getMemory(const Pending &pending) const;
  Operation *findEarlier(const MemoryAccess &store, Operation *place);
  void plan(const Conflict &conflict, const Pending &first,
            const MemoryAccess &second, Operation *op, State &state);

  KernelOp kernel;
  GPUSyncModel model;
  ConflictAnalysis conflicts;
  /// The loops around the current op and the iterations they are in.
  SmallVector<Trip> trips;
  DenseMap<Operation *, Planned> planned;
  std::vector<MissingBarrier> missing;
  /// Loops whose barriers between iterations are known.
  DenseSet<Operation *> settled;
  /// How many loops are inside each other in a nest, by its outermost loop, and
  /// the loops whose iterations are not told apart.
  DenseMap<Operation *, unsigned> depths;
  DenseSet<Operation *> approximate;
  /// What came into a loop of a deep nest, and what of it and of the loop was
  /// pending behind.
  DenseMap<Operation *, std::pair<State, State>> summaries;
  /// The most groups of copies, and of tensor copies out of shared memory, that
  /// a wait leaves in flight.
  int64_t maxPending = 0, maxStores = 0;
  /// A barrier was planned before an op that has been passed.
  bool restart = false;
};
} // namespace

/// To tell iterations apart takes a few walks through a body for each loop
/// around it. In deeper nests only the innermost loops are worth that.
static constexpr unsigned kMaxExactDepth = 4, kExactInDeepNest = 2;

void Walker::measureNests() {
  kernel.walk([&](Operation *loop) {
    if (!isScheduledLoop(loop))
      return;
    unsigned depth = depths.try_emplace(loop, 1).first->second;
    for (Operation *op = loop->getParentOp(); op != kernel;
         op = op->getParentOp()) {
      if (!isScheduledLoop(op))
        continue;
      unsigned &outer = depths[op];
      outer = std::max(outer, depth + 1);
      break;
    }
  });
  for (auto [loop, depth] : depths) {
    Operation *outermost = loop;
    for (Operation *op = loop->getParentOp(); op != kernel;
         op = op->getParentOp())
      if (isScheduledLoop(op))
        outermost = op;
    if (depth > kExactInDeepNest && depths.lookup(outermost) > kMaxExactDepth)
      approximate.insert(loop);
  }
}

bool Walker::isInDeepNest() const {
  return !trips.empty() && approximate.contains(trips.front().loop);
}

Walker::Walker(KernelOp kernel) : kernel(kernel), conflicts(kernel) {
  measureNests();
  kernel.walk([&](Operation *op) {
    std::optional<SyncEvent> event = model.getSync(op);
    if (!event || event->kind != SyncEvent::Kind::WaitGroups)
      return;
    int64_t &most = event->from == Engine::TMA ? maxStores : maxPending;
    most = std::max(most, event->number);
  });
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static void applyBarrier(State &state, bool isAsync, bool isGlobal) {
  llvm::erase_if(state, [&](Pending &pending) {
    if (pending.group != Pending::kArrived)
      return false;
    // Without the fence, the other proxy may still miss a write by threads.
    pending.isOrdered = true;
    bool isFenced = pending.access->isGlobal() ? isGlobal : isAsync;
    return isFenced || !pending.access->writes() ||
           GPUSyncModel::isProxy(pending.access->engine);
  });
}

/// Where each warpgroup meets alone.
static void applyGroupBarrier(State &state, bool isAsync) {
  for (Pending &pending : state)
    if (pending.group == Pending::kArrived) {
      pending.isOrderedInGroup = true;
      pending.isFencedInGroup |= isAsync;
    }
}

/// Groups that every wait waits for count as one.
static void applyCommit(State &state, int64_t maxPending,
                        bool ofStores = false) {
  for (Pending &pending : state) {
    if (pending.access->isTensorStore() != ofStores)
      continue;
    if (pending.group == Pending::kOpen)
      pending.group = 0;
    else if (pending.isUnderWay())
      pending.group = std::min(pending.group + 1, maxPending);
  }
}

/// Tensor stores have written global memory only after a complete wait. Those of
/// a warpgroup are waited for by a thread of it, which knows no number of others.
static void applyWait(State &state, int64_t numPending, bool ofStores = false,
                      bool isComplete = false) {
  for (Pending &pending : state)
    if (pending.access->isTensorStore() == ofStores &&
        pending.group >= numPending &&
        (numPending == 0 || !pending.access->op->hasAttr(kWarpgroupsAttrName)) &&
        (!ofStores || isComplete || !pending.access->isGlobal()))
      pending.group = Pending::kArrived;
}

static void apply(State &state, const Planned &planned, int64_t maxPending) {
  if (planned.commits)
    applyCommit(state, maxPending);
  if (planned.waits)
    applyWait(state, 0);
  if (planned.waitsForStores)
    applyWait(state, 0, /*ofStores=*/true, planned.completesStores);
  if (planned.meets)
    applyBarrier(state, planned.isAsync, planned.isGlobal);
}

static void merge(State &state, const State &other) {
  for (const Pending &pending : other)
    if (!llvm::is_contained(state, pending))
      state.push_back(pending);
}

/// The state as the next iteration sees it: iterations counted backwards.
static State getShape(const State &state, Operation *loop, int64_t trip) {
  State shape;
  for (Pending pending : state) {
    for (Trip &passed : pending.trips)
      if (passed.loop == loop && passed.number != Trip::kUnknown)
        passed.number = trip - passed.number;
    if (!llvm::is_contained(shape, pending))
      shape.push_back(pending);
  }
  return shape;
}

static State getNew(const State &state, const State &known) {
  State fresh;
  for (const Pending &pending : state)
    if (!llvm::is_contained(known, pending))
      fresh.push_back(pending);
  return fresh;
}

static bool isSameSet(const State &a, const State &b) {
  return a.size() == b.size() && llvm::all_of(a, [&](const Pending &pending) {
           return llvm::is_contained(b, pending);
         });
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// How many iterations back it is known which one an access was in. Copies
/// under way are told apart until some wait must have settled them; of others
/// without a barrier, two are enough to see the conflict.
int64_t Walker::getMemory(const Pending &pending) const {
  return pending.isUnderWay() ? std::max(maxPending, maxStores) + 2 : 2;
}

/// Runs through the iterations one by one until nothing new is pending, and
/// once more for all that follow. Where they are not told apart, each stands
/// for all, and what an earlier one left is as new as what comes from outside.
void Walker::simulate(Operation *loop, State &state) {
  std::optional<int64_t> count = getConstantTrips(loop);
  bool isExact = !approximate.contains(loop);
  State exit, previous;
  if ((!count && !isa<scf::WhileOp>(loop)) || count == 0)
    exit = state;
  bool isStable = false;
  for (int64_t trip = 0; !isStable || trip == 0; ++trip) {
    if (count && trip >= *count)
      break;
    if (isExact) {
      State shape = getShape(state, loop, trip);
      isStable = (trip > 0 && isSameSet(shape, previous)) ||
                 trip > 2 * (std::max(maxPending, maxStores) + 2);
      previous = std::move(shape);
      trips.push_back({loop, trip, isStable});
    } else {
      state = getNew(state, previous);
      isStable = trip > 0 && state.empty();
      if (isStable)
        break;
      merge(previous, state);
      trips.push_back({loop, 0, /*isLater=*/true});
    }
    // A while loop ends after its first region.
    auto whileLoop = dyn_cast<scf::WhileOp>(loop);
    if (whileLoop) {
      walk(whileLoop.getBefore().front(), state);
      merge(exit, state);
    }
    if (!restart)
      walk(loop->getRegion(loop->getNumRegions() - 1).front(), state);
    trips.pop_back();
    if (restart)
      return;
    if (!whileLoop)
      merge(exit, state);
    State forgetful;
    for (Pending pending : state) {
      auto *passed = llvm::find_if(
          pending.trips, [&](Trip &trip) { return trip.loop == loop; });
      // In another iteration of this loop, those inside of it are others, too.
      if (passed != pending.trips.end()) {
        if (!isExact || trip - passed->number >= getMemory(pending))
          passed->number = Trip::kUnknown;
        pending.trips.erase(passed + 1, pending.trips.end());
      }
      if (!llvm::is_contained(forgetful, pending))
        forgetful.push_back(pending);
    }
    state = std::move(forgetful);
  }
  // Behind the loop it does not matter which iteration it was.
  state.clear();
  for (Pending &pending : exit) {
    auto *it = llvm::find_if(pending.trips,
                             [&](Trip trip) { return trip.loop == loop; });
    if (it != pending.trips.end())
      pending.trips.erase(it, pending.trips.end());
    if (!llvm::is_contained(state, pending))
      state.push_back(pending);
  }
}

/// What becomes of one access does not depend on the others that are pending.
/// So the loop is walked for itself, and then for those it has not seen yet.
void Walker::summarise(Operation *loop, State &state) {
  if (!summaries.contains(loop)) {
    State own;
    simulate(loop, own);
    if (restart)
      return;
    summaries[loop].second = std::move(own);
  }
  State fresh = getNew(state, summaries[loop].first);
  if (!fresh.empty()) {
    State left = fresh;
    simulate(loop, left);
    if (restart)
      return;
    auto &[seen, behind] = summaries[loop];
    merge(seen, fresh);
    merge(behind, left);
  }
  state = summaries[loop].second;
}

void Walker::visitLoop(Operation *loop, State &state) {
  bool isContextFixed = llvm::all_of(
      trips, [&](const Trip &trip) { return approximate.contains(trip.loop); });
  if (isContextFixed && (isInDeepNest() || approximate.contains(loop)))
    return summarise(loop, state);
  // First what the loop needs for itself: a barrier in there may serve what
  // comes from outside, too.
  if (!settled.contains(loop)) {
    State own;
    simulate(loop, own);
    if (restart)
      return;
    settled.insert(loop);
  }
  simulate(loop, state);
}

void Walker::visitBranches(Operation *op, State &state) {
  State exit;
  bool mayBeSkipped = true;
  if (auto guard = dyn_cast<scf::IfOp>(op))
    mayBeSkipped = guard.getElseRegion().empty();
  if (mayBeSkipped)
    exit = state;
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      State branch = state;
      walk(block, branch);
      if (restart)
        return;
      merge(exit, branch);
    }
  }
  state = std::move(exit);
}

/// What teams with programs of their own share, pipelines order.
void Walker::visitConsumer(WarpSpecializeOp partitions, State &state) {
  SmallVector<TeamOp> programs = getPrograms(partitions);
  if (programs.empty())
    return walk(partitions.getConsumer().front(), state);
  State exit;
  for (TeamOp program : programs) {
    State own = state;
    walk(program.getBody().front(), own);
    if (restart)
      return;
    merge(exit, own);
  }
  state = std::move(exit);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The op before which a barrier must stand: at most outside of all loops that
/// do not hold the first access, too.
static Operation *getPlace(ArrayRef<Trip> first, ArrayRef<Trip> second,
                           Operation *op) {
  unsigned common = 0;
  while (common < std::min(first.size(), second.size()) &&
         first[common].loop == second[common].loop &&
         first[common].number == second[common].number)
    ++common;
  // A later iteration of the same loop: the barrier is in that loop.
  if (common < std::min(first.size(), second.size()) &&
      first[common].loop == second[common].loop)
    ++common;
  return common < second.size() ? second[common].loop : op;
}

/// What the barrier must do for one more conflict.
template <typename BarrierT>
static void addTo(BarrierT &barrier, const Conflict &conflict) {
  barrier.isAsync |= conflict.isAsync;
  barrier.isGlobal |= conflict.isGlobal;
  barrier.waits |= conflict.waits;
  barrier.commits |= conflict.commits;
  barrier.waitsForStores |= conflict.waitsForStores;
  barrier.completesStores |= conflict.completesStores;
  barrier.meets |= conflict.meets;
}

/// A planned barrier of the same iteration, behind the tensor store. To wait
/// for the store there costs no barrier; the store keeps the time of a loop
/// between.
Operation *Walker::findEarlier(const MemoryAccess &store, Operation *place) {
  for (Operation *op = place->getPrevNode(); op; op = op->getPrevNode()) {
    if (isScheduledLoop(op) || op->isAncestor(store.op))
      return nullptr;
    if (planned.contains(op))
      return op;
  }
  return nullptr;
}

void Walker::plan(const Conflict &conflict, const Pending &first,
                  const MemoryAccess &second, Operation *op, State &state) {
  Operation *place = getPlace(first.trips, trips, op);
  if (conflict.waitsForStores && !conflict.isAsync && !planned.contains(place))
    if (Operation *earlier = findEarlier(*first.access, place))
      place = earlier;
  auto [it, isNew] = planned.try_emplace(place);
  addTo(it->second, conflict);
  if (isNew) {
    missing.push_back({place, *first.access, second, conflict.loop,
                       conflict.isAsync, conflict.isGlobal, conflict.waits,
                       conflict.commits, conflict.waitsForStores,
                       conflict.completesStores, conflict.meets});
  } else {
    addTo(*llvm::find_if(
              missing, [&](MissingBarrier &m) { return m.before == place; }),
          conflict);
  }
  // Summaries may hold what the barrier settles.
  restart = place != op || isInDeepNest();
  if (!restart)
    apply(state, it->second, maxPending);
}

void Walker::visitAccesses(Operation *op, State &state) {
  ArrayRef<MemoryAccess> accesses = conflicts.getAccesses(op);
  for (const MemoryAccess &access : accesses) {
    // Planning changes the state.
    for (unsigned i = 0; i < state.size(); ++i) {
      Pending pending = state[i];
      std::optional<Conflict> conflict = conflicts.find(pending, access, trips);
      if (!conflict)
        continue;
      plan(*conflict, pending, access, op, state);
      if (restart)
        return;
      i = -1;
    }
  }
  for (const MemoryAccess &access : accesses) {
    // What the asynchronous proxy writes, all threads have waited for, but for
    // stores to global memory.
    if (access.isRelease || (GPUSyncModel::isProxy(access.engine) &&
                             access.writes() && !access.isTensorStore()))
      continue;
    // What conflicts with it conflicts with the same access of now.
    if (op->hasAttr(kWarpgroupsAttrName))
      llvm::erase_if(state, [&](const Pending &before) {
        return before.access == &access && before.isOrderedInGroup;
      });
    Pending pending;
    pending.access = &access;
    pending.trips = trips;
    for (Trip &trip : pending.trips)
      trip.isLater = false;
    if ((access.engine == Engine::CpAsync &&
         access.writes() != access.isGlobal()) ||
        access.isTensorStore())
      pending.group = Pending::kOpen;
    state.push_back(pending);
  }
  // Each tensor store is a group of its own.
  if (llvm::any_of(accesses, [](const MemoryAccess &access) {
        return access.isTensorStore();
      }))
    applyCommit(state, maxStores, /*ofStores=*/true);
}

void Walker::synchronise(const SyncEvent &event, State &state) {
  switch (event.kind) {
  case SyncEvent::Kind::Barrier:
    return applyBarrier(state, /*isAsync=*/!event.to, event.isGlobal);
  case SyncEvent::Kind::CommitGroup:
    return applyCommit(state, maxPending);
  case SyncEvent::Kind::WaitGroups:
    return applyWait(state, event.number, event.from == Engine::TMA,
                     event.isGlobal);
  default:
    llvm_unreachable("a GPU has no flags");
  }
}

void Walker::visit(Operation *op, State &state) {
  if (auto it = planned.find(op); it != planned.end())
    apply(state, it->second, maxPending);
  if (isa<BarrierOp>(op) && op->hasAttr(kWarpgroupsAttrName))
    return applyGroupBarrier(state, cast<BarrierOp>(op).getAsync());
  if (std::optional<SyncEvent> event = model.getSync(op))
    return synchronise(*event, state);
  visitAccesses(op, state);
  if (restart || isa<ParallelOp>(op) || op->getNumRegions() == 0)
    return;
  if (auto partitions = dyn_cast<WarpSpecializeOp>(op))
    return visitConsumer(partitions, state);
  if (isScheduledLoop(op))
    return visitLoop(op, state);
  visitBranches(op, state);
}

void Walker::walk(Block &block, State &state) {
  for (Operation &op : block) {
    visit(&op, state);
    if (restart)
      return;
  }
}

std::vector<MissingBarrier> Walker::run() {
  do {
    restart = false;
    trips.clear();
    summaries.clear();
    State state;
    walk(kernel.getBody().front(), state);
  } while (restart);
  DenseMap<Operation *, unsigned> order;
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order.try_emplace(op, order.size()); });
  llvm::sort(missing, [&](const MissingBarrier &a, const MissingBarrier &b) {
    return order.lookup(a.before) < order.lookup(b.before);
  });
  return std::move(missing);
}

std::vector<MissingBarrier> mlir::tile::findMissingBarriers(KernelOp kernel) {
  return Walker(kernel).run();
}
