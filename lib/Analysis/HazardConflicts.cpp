//===- HazardConflicts.cpp - when two accesses conflict -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HazardConflicts.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/Sync.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Layout/Access.h"
#include "Tile/Layout/Algebra.h"
#include "Tile/Layout/Distribute.h"
#include "Tile/Transforms/AsyncCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Engine;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool mlir::tile::isScheduledLoop(Operation *op) {
  if (isa<KernelOp, ParallelOp>(op))
    return false;
  return isa<scf::WhileOp>(op) || getLoopRanges(op).has_value();
}

std::optional<int64_t> mlir::tile::getConstantTrips(Operation *loop) {
  std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(loop);
  if (!ranges || isa<PersistentOp>(loop))
    return std::nullopt;
  int64_t count = 1;
  for (const LoopRange &range : *ranges) {
    std::optional<int64_t> step = getConstantIntValue(range.step);
    if (!range.lower.isSingleConstant() || !range.upper.isSingleConstant() ||
        !step || *step < 1)
      return std::nullopt;
    int64_t span = range.upper.getSingleConstantResult() -
                   range.lower.getSingleConstantResult();
    count *= span <= 0 ? 0 : llvm::divideCeil(span, *step);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::optional<Engine> GPUSyncModel::getEngine(Operation *op) const {
  auto instruction =
      op->getAttrOfType<InstructionAttrInterface>("instruction");
  if (!instruction || !instruction.isAsynchronous())
    return Engine::Threads;
  // A tensor load that no pipeline waits for is made by the threads.
  if (auto copy = dyn_cast<CopyOp>(op);
      copy && instruction.usesAsyncProxy() && !copy.getSignal() &&
      getMemorySpace(copy.getTarget()) != MemorySpace::Global)
    return Engine::Threads;
  if (!instruction.usesAsyncProxy())
    return Engine::CpAsync;
  return isa<MmaAttr>(instruction) ? Engine::Tensor : Engine::TMA;
}

std::optional<SyncEvent> GPUSyncModel::getSync(Operation *op) const {
  using Kind = SyncEvent::Kind;
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return std::nullopt;
  SyncEffect effect = sync.getSyncEffect();
  std::optional<Engine> threads = Engine::Threads;
  switch (effect.kind) {
  case SyncEffect::Kind::Barrier:
    return SyncEvent{Kind::Barrier, threads,
                     effect.isAsync ? std::nullopt : threads, /*number=*/0,
                     effect.isGlobal};
  case SyncEffect::Kind::CommitCopies:
    return SyncEvent{Kind::CommitGroup, Engine::CpAsync, std::nullopt};
  case SyncEffect::Kind::WaitCopies:
    return SyncEvent{Kind::WaitGroups, Engine::CpAsync, threads, effect.count};
  case SyncEffect::Kind::WaitStores:
    return SyncEvent{Kind::WaitGroups, Engine::TMA, threads, effect.count,
                     effect.isGlobal};
  default:
    // What stages and matrix products order is in the accesses.
    return std::nullopt;
  }
}

bool mlir::tile::runsOnProxy(Operation *op) {
  return GPUSyncModel::isProxy(*GPUSyncModel().getEngine(op));
}

static bool isIn(MemorySpace space, Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && getMemorySpace(type) == space;
}

bool ConflictAnalysis::isTracked(Value buffer) const {
  return isIn(MemorySpace::Shared, buffer) ||
         (isIn(MemorySpace::Global, buffer) &&
          written.contains(getBaseBuffer(buffer)));
}

void ConflictAnalysis::collectWritten(KernelOp kernel) {
  kernel.getBody().walk([&](Operation *op) {
    SmallVector<Access> found;
    if (succeeded(collectAccesses(op, found))) {
      for (const Access &access : found)
        if (access.kind != AccessKind::Read &&
            isIn(MemorySpace::Global, access.region.buffer))
          written.insert(getBaseBuffer(access.region.buffer));
      return;
    }
    for (Value operand : op->getOperands())
      if (isIn(MemorySpace::Global, operand))
        written.insert(getBaseBuffer(operand));
  });
}

/// The view that makes a stage of a buffer of several; null if there is none.
static Operation *getStageOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<StageOp>(view))
      return view;
    buffer = view.getViewSource();
  }
  return nullptr;
}

/// Whether a team hands the stage on: it has waited for all that read it before,
/// and those who read it next wait for all of its threads.
static bool isOfFillingTeam(Value buffer) {
  auto stage = cast_or_null<StageOp>(getStageOf(buffer));
  Operation *index = stage ? stage.getIndex().getDefiningOp() : nullptr;
  return isa_and_nonnull<ProducerAcquireOp>(index) &&
         index->getParentOfType<TeamOp>();
}

void ConflictAnalysis::add(Operation *op, Operation *anchor,
                           const Access &access) {
  if (isTracked(access.region.buffer) && !isOfFillingTeam(access.region.buffer))
    accesses[anchor].push_back({op, anchor, access, *model.getEngine(op)});
}

void ConflictAnalysis::collect(Operation *op, Operation *anchor) {
  // What a copy into a stage does is between the pipeline and who waits for it.
  if (getSignal(op))
    return;
  SmallVector<Access> found;
  if (succeeded(collectAccesses(op, found))) {
    for (const Access &access : found)
      add(op, anchor, access);
    return;
  }
  // Nothing is known of the op: all of its operands.
  for (OpOperand &operand : op->getOpOperands())
    if (isTracked(operand.get()))
      for (AccessKind kind : {AccessKind::Read, AccessKind::Write})
        add(op, anchor, {kind, getWholeRegion(operand.get()), &operand});
}

/// The stages of a pipeline are written by the producer, whom all threads must
/// let in: before the partitions begin, and at each release.
void ConflictAnalysis::collectPipelines(KernelOp kernel) {
  SmallVector<Operation *> fills;
  kernel.walk([&](Operation *op) {
    if (getSignal(op))
      fills.push_back(op);
  });
  auto addFill = [&](Operation *op, Operation *copy, bool isRelease) {
    OpOperand &tile = getFilledTile(copy);
    Access access{AccessKind::Write, getWholeRegion(getBaseBuffer(tile.get())),
                  &tile};
    MemoryAccess fill{op, op, access, Engine::TMA, isRelease};
    accesses[op].push_back(fill);
  };
  for (Operation *copy : fills) {
    if (auto partitions = copy->getParentOfType<WarpSpecializeOp>())
      addFill(partitions, copy, /*isRelease=*/false);
    for (Operation *user : getSignal(copy).getUsers())
      if (isa<ConsumerReleaseOp>(user))
        addFill(user, copy, /*isRelease=*/true);
  }
}

/// A product that was started reads its operands until it is waited for: a
/// barrier in between does not tell that it has read them.
void ConflictAnalysis::collectGemmWaits(KernelOp kernel) {
  SmallVector<GemmOp> started;
  kernel.walk([&](GemmOp gemm) {
    if (gemm.getAsync())
      started.push_back(gemm);
  });
  auto addRead = [&](GemmWaitOp wait, OpOperand &operand) {
    if (isIn(MemorySpace::Shared, operand.get()))
      accesses[wait].push_back(
          {wait,
           wait,
           {AccessKind::Read, getWholeRegion(getBaseBuffer(operand.get())),
            &operand},
           Engine::Tensor});
  };
  kernel.walk([&](GemmWaitOp wait) {
    for (GemmOp gemm : started)
      if (llvm::any_of(wait.getAccumulators(), [&](Value sum) {
            return getBaseBuffer(sum) == getBaseBuffer(gemm.getC());
          })) {
        addRead(wait, gemm.getAMutable());
        addRead(wait, gemm.getBMutable());
      }
  });
}

/// Whether it is the end of a product's read of a stage. The stage is given back
/// behind it; only other buffers in the same bytes are in danger.
static bool endsReadOfStage(const MemoryAccess &access) {
  return isa<GemmWaitOp>(access.op) &&
         getStageOf(access.access.operand->get());
}

/// Whether two buffers have bytes of the arena in common. Different global
/// buffers have none in common: a rule of `tile.kernel`.
static bool shareBytes(Value a, Value b) {
  auto first = a.getDefiningOp<AllocOp>(), second = b.getDefiningOp<AllocOp>();
  if (!first || !second || !first.getOffset() || !second.getOffset())
    return false;
  int64_t begin = *first.getOffset(), other = *second.getOffset();
  return begin < other + getSharedBytes(second) &&
         other < begin + getSharedBytes(first);
}

/// Reads of what nobody writes meanwhile are in no conflict: for those of stages
/// the producer waits, and before the partitions it has not begun.
void ConflictAnalysis::dropHarmlessReads() {
  llvm::SetVector<Value> written;
  SmallVector<std::pair<Value, Operation *>> filled;
  for (auto &[anchor, list] : accesses)
    for (const MemoryAccess &access : list) {
      Value base = getBaseBuffer(access.access.region.buffer);
      if (!access.writes() || access.isRelease)
        continue;
      if (isa<WarpSpecializeOp>(access.op))
        filled.emplace_back(base, access.op);
      else
        written.insert(base);
    }
  auto isHarmless = [&](const MemoryAccess &access) {
    if (access.writes() || access.isTensorStore())
      return false;
    Value base = getBaseBuffer(access.access.region.buffer);
    auto mayBeIn = [&](Value other) {
      return other == base || shareBytes(other, base);
    };
    return llvm::none_of(written, mayBeIn) &&
           llvm::all_of(filled, [&](const auto &fill) {
             return !mayBeIn(fill.first) || fill.second->isAncestor(access.op);
           });
  };
  for (auto &[anchor, list] : accesses)
    llvm::erase_if(list, isHarmless);
}

ConflictAnalysis::ConflictAnalysis(KernelOp kernel) {
  collectWritten(kernel);
  kernel.getBody().walk([&](Operation *op) {
    auto parallel = op->getParentOfType<ParallelOp>();
    collect(op, parallel ? parallel.getOperation() : op);
  });
  collectPipelines(kernel);
  collectGemmWaits(kernel);
  dropHarmlessReads();
}

ArrayRef<MemoryAccess> ConflictAnalysis::getAccesses(Operation *anchor) const {
  auto it = accesses.find(anchor);
  if (it == accesses.end())
    return {};
  return it->second;
}

std::string mlir::tile::describe(const MemoryAccess &access) {
  if (access.isRelease)
    return "the release of the stage by '" +
           access.op->getName().getStringRef().str() + "'";
  return std::string(access.writes() ? "the write of '" : "the read of '") +
         access.op->getName().getStringRef().str() + "'";
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

/// Adds which iteration `trip` is: `iv = lb + number * step`, or later.
static void addTrip(AccessSystem &system, const Trip &trip, unsigned instance) {
  std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(trip.loop);
  if (!ranges || ranges->size() != 1 || isa<PersistentOp>(trip.loop) ||
      trip.number == Trip::kUnknown)
    return;
  const LoopRange &range = ranges->front();
  std::optional<int64_t> step = getConstantIntValue(range.step);
  if (!step || range.lower.getNumResults() != 1)
    return;
  AffineExpr iv = system.getExpr(range.iv, instance);
  AffineExpr lower = system.getExpr(range.lower, range.lowerOperands, instance);
  if (!iv || !lower)
    return;
  AffineExpr distance = iv - lower - trip.number * *step;
  if (trip.isLater)
    system.addNonNegative(distance);
  else
    system.addZero(distance);
}

/// Adds how far the iterations of two executions of one loop are apart.
static void addDistance(AccessSystem &system, const Trip &first,
                        const Trip &second) {
  std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(second.loop);
  if (!ranges || ranges->size() != 1 || isa<PersistentOp>(second.loop))
    return;
  std::optional<int64_t> step = getConstantIntValue(ranges->front().step);
  AffineExpr from = system.getExpr(ranges->front().iv, 0);
  AffineExpr to = system.getExpr(ranges->front().iv, 1);
  if (!step || !from || !to)
    return;
  if (first.number == Trip::kUnknown)
    system.addNonNegative(to - from - *step);
  else
    system.addZero(to - from - (second.number - first.number) * *step);
}

/// `common` is how many leading loops both are in the same iteration of; which
/// iteration that is does not matter. `isCarried` says that the next loop is
/// the same, too.
bool ConflictAnalysis::mayShareElement(const Pending &first,
                                       const MemoryAccess &second,
                                       ArrayRef<Trip> trips, unsigned common,
                                       bool isCarried) {
  Region *scope = nullptr;
  if (isCarried) {
    // What both regions of an scf.while compute differs between iterations.
    Operation *loop = trips[common].loop;
    scope = isa<scf::WhileOp>(loop) ? loop->getParentRegion()
                                    : &loop->getRegions().back();
  }
  AccessSystem system(second.op->getContext(), scope);
  ElementAddress addresses[2];
  for (unsigned number : {0u, 1u}) {
    const MemoryAccess &access = number == 0 ? *first.access : second;
    const BufferRegion &region = access.access.region;
    unsigned instance = isCarried ? number : 0;
    if (!access.isRelease)
      system.addDomain(access.op, instance);
    SmallVector<AffineExpr> element = system.addElement(region, instance);
    system.addInBounds(region.buffer, element);
    addresses[number] = system.getAddress(region.buffer, element, instance);
  }
  system.addSameElement(addresses[0], addresses[1]);
  for (const Trip &trip : trips.drop_front(common + isCarried))
    addTrip(system, trip, isCarried ? 1 : 0);
  if (isCarried)
    addDistance(system, first.trips[common], trips[common]);
  return !system.isEmpty();
}

bool ConflictAnalysis::mayOverlap(const Pending &first,
                                  const MemoryAccess &second,
                                  ArrayRef<Trip> trips, unsigned common) {
  const BufferRegion &a = first.access->access.region;
  const BufferRegion &b = second.access.region;
  Value baseA = getBaseBuffer(a.buffer), baseB = getBaseBuffer(b.buffer);
  if (baseA != baseB)
    return shareBytes(baseA, baseB);
  if (endsReadOfStage(*first.access) || endsReadOfStage(second))
    return false;
  if (isWhole(a) && isWhole(b) && a.buffer == baseA && b.buffer == baseB)
    return true;
  bool isCarried = common < first.trips.size() && common < trips.size() &&
                   first.trips[common].loop == trips[common].loop;
  int64_t distance = 0;
  if (isCarried)
    distance = first.trips[common].number == Trip::kUnknown
                   ? Trip::kUnknown
                   : trips[common].number - first.trips[common].number;
  std::vector<int64_t> key{reinterpret_cast<intptr_t>(first.access),
                           reinterpret_cast<intptr_t>(&second), common,
                           distance};
  for (const Trip &trip : trips.drop_front(common + isCarried))
    key.insert(key.end(), {reinterpret_cast<intptr_t>(trip.loop), trip.number,
                           trip.isLater});
  auto [it, isNew] = known.try_emplace(std::move(key), false);
  if (isNew)
    it->second = mayShareElement(first, second, trips, common, isCarried);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Whether a value is the same in the two iterations of `loop`; without a loop
/// they are one.
static bool isSameIn(Operation *loop, Value value) {
  return !loop || !loop->isAncestor(value.getParentRegion()->getParentOp());
}

/// Whether no two iterations touch one element: all of them write, which the
/// language allows for elements of their own only, or the element names the
/// iteration. Atomics share elements, and under a condition one iteration may
/// write what others read.
static bool ownsElements(const MemoryAccess &access, ParallelOp loop) {
  bool isGuarded = false;
  for (Operation *op = access.op->getParentOp(); op != loop;
       op = op->getParentOp())
    isGuarded |= !isa<LoopLikeOpInterface>(op);
  if (access.access.kind == AccessKind::Write && !isGuarded)
    return true;
  const BufferRegion &region = access.access.region;
  return llvm::all_of(loop.getBody().getArguments(), [&](BlockArgument iv) {
    return loop.getStaticExtents()[iv.getArgNumber()] == 1 ||
           llvm::any_of(region.map.getResults(), [&](AffineExpr result) {
             auto dim = dyn_cast<AffineDimExpr>(result);
             return dim && region.operands[dim.getPosition()] == iv;
           });
  });
}

/// Whether the iterations of two loops over the same space, which go to the
/// same threads, touch the same elements one by one.
static bool isSameIteration(const MemoryAccess &a, const MemoryAccess &b,
                            Operation *loop) {
  auto first = dyn_cast<ParallelOp>(a.anchor);
  auto second = dyn_cast<ParallelOp>(b.anchor);
  if (!first || !second || !first.getLayoutAttr() ||
      first.getLayoutAttr() != second.getLayoutAttr() ||
      getTileLayout(first.getLayoutAttr()).numCopies() != 1)
    return false;
  const BufferRegion &x = a.access.region, &y = b.access.region;
  if (x.buffer != y.buffer || !isSameIn(loop, x.buffer) || !x.map ||
      x.map != y.map || x.operands.size() != y.operands.size() ||
      !isSingleElement(x) || !isSingleElement(y) ||
      !(ownsElements(a, first) || ownsElements(b, second)))
    return false;
  return llvm::all_of(llvm::zip(x.operands, y.operands), [&](auto pair) {
    Value l = std::get<0>(pair), r = std::get<1>(pair);
    auto i = dyn_cast<BlockArgument>(l), j = dyn_cast<BlockArgument>(r);
    if (i && j && i.getOwner() == &first.getBody().front() &&
        j.getOwner() == &second.getBody().front())
      return i.getArgNumber() == j.getArgNumber();
    return l == r && isSameIn(loop, l) &&
           !first.getBody().isAncestor(l.getParentRegion());
  });
}

/// Whether threads copy to or from shared memory each its own elements: where
/// instructions for matrices do, they are others'.
static bool copiesOwnElements(CopyOp copy) {
  const ::tile::target::Target *target = lookupTarget(copy);
  return target &&
         llvm::none_of(target->copies, [](const ::tile::target::CopyRow &row) {
           using ::tile::target::Space;
           return row.family == ::tile::target::CopyFamily::LdMatrix &&
                  (row.from == Space::Shared || row.to == Space::Shared);
         });
}

/// Whether neighbours in a row are registers of one thread, more than a lane
/// gets of a row of a matrix: the threads copy such a fragment element by
/// element.
static bool holdsRuns(AllocOp fragment) {
  if (!fragment.getLayoutAttr())
    return false;
  ::tile::layout::Layout layout = getTileLayout(fragment.getLayoutAttr());
  constexpr int64_t kMatrixBits = 32;
  const std::vector<::tile::layout::Digit> &digits =
      layout.dims().back().digits;
  return !digits.empty() && digits.back().axis == ::tile::layout::Axis::Reg &&
         digits.back().extent * getElementBits(fragment.getBuffer()) >
             kMatrixBits;
}

/// The layout of the threads over a shared tile that they fill asynchronously,
/// if all of it is known to be copied in vectors of one width: at the ends of
/// the source, threads copy other elements.
static LayoutAttr getAsyncOwners(CopyOp copy) {
  const ::tile::target::Target *target = lookupTarget(copy);
  BufferRegion region = copy.getTargetRegion();
  auto tile = region.buffer.getDefiningOp<AllocOp>();
  if (!target || !target->getGPU() || !tile || !tile.getLayoutAttr() ||
      !isWhole(region) || llvm::any_of(target->copies, isLinearCopy) ||
      copy.getSourceRegion().getType().getElementType() !=
          region.getType().getElementType())
    return {};
  const ::tile::target::GPUSpec &gpu = *target->getGPU();
  int64_t run = 8 * gpu.vectorBytes / getElementBits(tile.getBuffer());
  int64_t threads = copy->getParentOfType<KernelOp>().getThreads();
  ArrayRef<int64_t> shape = tile.getType().getShape();
  SmallVector<int64_t> moved = region.getMatchedSizes();
  if (copy.getInstructionAttr().getBytes() != gpu.vectorBytes ||
      !findOpenBounds(copy, copy.getSourceRegion()).empty() || moved.empty() ||
      moved.back() % run != 0 || threads % gpu.warpSize != 0)
    return {};
  auto owners = ::tile::layout::reshape(
      ::tile::layout::partition({moved.begin(), moved.end()}, run,
                                {gpu.warpSize, threads / gpu.warpSize}),
      {shape.begin(), shape.end()});
  if (!owners)
    return {};
  auto width = ::tile::layout::maxVectorWidth(
      *owners, getTileLayout(tile.getLayoutAttr()), run);
  if (!width || *width != run)
    return {};
  return mlir::tile::getLayoutAttr([&] { return copy.emitError(); },
                                   copy.getContext(), *owners);
}

/// The layout of the threads over a shared tile of which each touches its own
/// elements: as a loop over the tile, or a copy of a fragment; `byRuns`: also of
/// one that no instruction for matrices fits. None where they touch others or
/// hold copies of one.
static LayoutAttr getOwners(const MemoryAccess &access, bool byRuns = false) {
  const BufferRegion &region = access.access.region;
  LayoutAttr owners;
  if (auto loop = dyn_cast<ParallelOp>(access.anchor)) {
    ArrayRef<BlockArgument> ivs = loop.getBody().getArguments();
    if (!region.map || !isSingleElement(region) ||
        region.map.getNumResults() != ivs.size())
      return {};
    for (auto [result, iv] : llvm::zip(region.map.getResults(), ivs)) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      if (!dim || region.operands[dim.getPosition()] != iv)
        return {};
    }
    owners = loop.getLayoutAttr();
  } else if (auto copy = dyn_cast<CopyOp>(access.op)) {
    BufferRegion other = access.writes() ? copy.getSourceRegion()
                                         : copy.getTargetRegion();
    auto fragment = other.buffer.getDefiningOp<AllocOp>();
    if (!fragment || !isIn(MemorySpace::Fragment, fragment) ||
        !isWhole(other) || !isWhole(region) ||
        !(copiesOwnElements(copy) || (byRuns && holdsRuns(fragment))) ||
        fragment.getType().getShape() !=
            cast<MemRefType>(region.buffer.getType()).getShape() ||
        // Threads share bytes.
        getElementBits(region.buffer) < 8 || getElementBits(fragment) < 8)
      return {};
    owners = fragment.getLayoutAttr();
  }
  return owners && getTileLayout(owners).numCopies() == 1 ? owners
                                                          : LayoutAttr();
}

/// Whether it is one buffer or stages of one, or one that has the place of the
/// other, element by element.
static bool isSameTile(Value a, Value b) {
  auto first = a.getDefiningOp<StageOp>(), second = b.getDefiningOp<StageOp>();
  if (!first != !second)
    return false;
  auto x = (first ? first.getViewSource() : a).getDefiningOp<AllocOp>();
  auto y = (second ? second.getViewSource() : b).getDefiningOp<AllocOp>();
  return x && y &&
         (x == y || (x.getOffset() && x.getOffset() == y.getOffset() &&
                     x.getType() == y.getType() && x.getLayoutAttr() &&
                     x.getLayoutAttr() == y.getLayoutAttr()));
}

/// Whether each thread keeps to its own elements of a shared tile both times.
static bool areSameOwners(const MemoryAccess &a, const MemoryAccess &b) {
  Value x = a.access.region.buffer, y = b.access.region.buffer;
  if (!isIn(MemorySpace::Shared, x) || !isSameTile(x, y) ||
      a.op->getParentOfType<WarpSpecializeOp>() ||
      b.op->getParentOfType<WarpSpecializeOp>())
    return false;
  if (a.engine == Engine::CpAsync) {
    auto copy = dyn_cast<CopyOp>(a.op);
    LayoutAttr owners = copy ? getAsyncOwners(copy) : LayoutAttr();
    return owners && owners == getOwners(b, /*byRuns=*/true);
  }
  LayoutAttr owners = getOwners(a);
  return owners && owners == getOwners(b);
}

/// Whether threads copy asynchronously what each of them then touches alone: it
/// waits for its own copies, and for nobody else.
static bool copiesForItself(const MemoryAccess &a, const MemoryAccess &b) {
  return a.engine == Engine::CpAsync && a.writes() &&
         b.engine == Engine::Threads && areSameOwners(a, b);
}

/// Whether the first thread does it for the block.
static bool isDoneOnce(const MemoryAccess &access) {
  return access.writes() && access.op == access.anchor &&
         !isCollective(access.op) &&
         !access.op->getParentOfType<ParallelOp>();
}

/// Whether an op touches the same regions in two iterations of `loop`.
static bool touchesSame(Operation *op, Operation *loop) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(op, accesses)))
    return false;
  return llvm::all_of(accesses, [&](const Access &access) {
    return isSameIn(loop, access.region.buffer) &&
           llvm::all_of(access.region.operands,
                        [&](Value value) { return isSameIn(loop, value); });
  });
}

/// Whether each element is touched by the same thread both times.
static bool isSameThread(const MemoryAccess &a, const MemoryAccess &b,
                         Operation *loop) {
  if (a.engine != Engine::Threads || b.engine != Engine::Threads)
    return false;
  if (isSameIteration(a, b, loop) || areSameOwners(a, b) ||
      (isDoneOnce(a) && isDoneOnce(b)))
    return true;
  // A collective op that writes the same region again does so in the same way,
  // if it also reads the same: threads share the elements of a region that is
  // out of bounds out in another way.
  return a.op == b.op && isCollective(a.op) &&
         a.access.kind == AccessKind::Write &&
         b.access.kind == AccessKind::Write && touchesSame(a.op, loop);
}

/// Whether each warpgroup keeps to its rows of the tile both times, and has met
/// at a barrier of its own in between.
static bool isOrderedInGroup(const Pending &first, const MemoryAccess &second) {
  const MemoryAccess &a = *first.access;
  if (!first.isOrderedInGroup || !a.op->hasAttr(kWarpgroupsAttrName) ||
      !second.op->hasAttr(kWarpgroupsAttrName) ||
      a.access.region.buffer != second.access.region.buffer)
    return false;
  return first.isFencedInGroup || !a.writes() ||
         !GPUSyncModel::isProxy(second.engine);
}

std::optional<Conflict> ConflictAnalysis::find(const Pending &first,
                                               const MemoryAccess &second,
                                               ArrayRef<Trip> trips) {
  const MemoryAccess &a = *first.access;
  bool bothAtomic = a.access.kind == AccessKind::Atomic &&
                    second.access.kind == AccessKind::Atomic;
  if ((!a.writes() && !second.writes()) || bothAtomic)
    return std::nullopt;
  // The producer waits for the readers of a stage.
  bool stores = a.isTensorStore() && first.isUnderWay();
  if (second.isRelease && !a.writes() && !stores)
    return std::nullopt;
  bool isProxy = GPUSyncModel::isProxy(second.engine);
  if ((first.isOrdered && !isProxy) || isOrderedInGroup(first, second))
    return std::nullopt;
  unsigned common = 0;
  while (common < std::min(first.trips.size(), trips.size()) &&
         first.trips[common] == trips[common])
    ++common;
  Operation *loop = nullptr;
  if (common < std::min(first.trips.size(), trips.size()) &&
      first.trips[common].loop == trips[common].loop)
    loop = trips[common].loop;
  // Points of it are as independent as blocks.
  if (isa_and_nonnull<PersistentOp>(loop) && a.isGlobal())
    return std::nullopt;
  bool isOwn = copiesForItself(a, second);
  if (isSameThread(a, second, loop) || (isOwn && !first.isUnderWay()) ||
      !mayOverlap(first, second, trips, common))
    return std::nullopt;
  Conflict conflict;
  conflict.loop = loop;
  // Each warp tells the producer when its own threads have waited.
  conflict.meets = !isOwn && !(second.isRelease && !a.writes());
  conflict.isAsync =
      isProxy && !GPUSyncModel::isProxy(a.engine);
  conflict.isGlobal = conflict.isAsync && a.isGlobal();
  conflict.waits = first.isUnderWay() && !a.isTensorStore();
  conflict.waitsForStores = stores;
  conflict.completesStores = stores && a.isGlobal();
  conflict.commits = first.group == Pending::kOpen;
  return conflict;
}
