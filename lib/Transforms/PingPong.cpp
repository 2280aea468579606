//===- PingPong.cpp - one team multiplies while another one stores --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a persistent kernel of one warpgroup leaves room for a second one, two
// teams take the points in turns. One multiplies while the other one is at its
// epilogue: their main loops follow each other, and products of an iteration
// run on into the next, since no one else multiplies in the gap.
//
//     clear     becomes   order_wait
//     loop(k)             start(0), which clears
//                         start(k) wait for k - 1, give it back, k > 0
//                         order_arrive
//                         wait for the last one, give it back
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "Schedule.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Transforms/Consumers.h"
#include "Tile/Transforms/LayoutState.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::Digit;
using ::tile::layout::Dim;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::Status;
using ::tile::layout::Success;
using ::tile::target::Feature;
using ::tile::target::GPUSpec;
using ::tile::target::Target;

/// One multiplies, one stores.
static constexpr int64_t kTeams = 2;

//===----------------------------------------------------------------------===//
// Results in parts
//===----------------------------------------------------------------------===//

namespace {
/// A shared tile of results, the copy that fills it and the tensor store that
/// empties it, of which each box can do without the others.
struct StagedResult {
  AllocOp tile;
  CopyOp fill, store;
  int64_t columns; // of a box

  static std::optional<StagedResult> match(AllocOp tile);
  AllocOp divide();
};
} // namespace

/// The columns of a box if there are several of them, one behind the other.
static std::optional<int64_t> getBoxColumns(AllocOp tile) {
  if (!tile.getLayoutAttr() || tile.getType().getRank() != 2)
    return std::nullopt;
  Layout layout = getTileLayout(tile.getLayoutAttr());
  const std::vector<Digit> &digits = layout.dims().back().digits;
  if (digits.size() != 2 || digits[1].stride != 1 ||
      digits[0].stride != digits[1].extent * layout.extent(0))
    return std::nullopt;
  return digits[1].extent;
}

std::optional<StagedResult> StagedResult::match(AllocOp tile) {
  StagedResult result{tile, {}, {}, 0};
  for (Operation *user : tile.getBuffer().getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (!copy)
      return std::nullopt;
    CopyOp &place =
        copy.getTarget() == tile.getBuffer() ? result.fill : result.store;
    if (place)
      return std::nullopt;
    place = copy;
  }
  std::optional<int64_t> columns = getBoxColumns(tile);
  if (!columns || !result.fill || !result.store)
    return std::nullopt;
  TransferAttr transfer = result.store.getInstructionAttr();
  int64_t all = tile.getType().getShape().back();
  if (!transfer || !transfer.usesTensorMap() ||
      result.fill->getNextNode() != result.store ||
      getMemorySpace(result.fill.getSource()) != MemorySpace::Fragment ||
      !isWhole(result.fill.getSourceRegion()) ||
      !isWhole(result.fill.getTargetRegion()) ||
      !isWhole(result.store.getSourceRegion()) ||
      !result.store.getTargetRegion().map ||
      result.store.getTargetRegion().sizes.back() != all)
    return std::nullopt;
  result.columns = *columns;
  return result;
}

/// A tile of one box, which is filled and stored again and again.
AllocOp StagedResult::divide() {
  OpBuilder b(tile);
  MLIRContext *context = b.getContext();
  Location loc = tile.getLoc();
  int64_t rows = tile.getType().getShape().front();
  int64_t all = tile.getType().getShape().back();
  Layout layout = getTileLayout(tile.getLayoutAttr());
  std::vector<Dim> dims = layout.dims();
  dims.back() = {columns, {dims.back().digits[1]}};
  Layout box = *Layout::get(dims, {}, layout.swizzle());
  auto part = AllocOp::create(
      b, loc,
      MemRefType::get({rows, columns}, tile.getType().getElementType(),
                      AffineMap(), tile.getType().getMemorySpace()),
      getLayoutAttr([&] { return tile.emitError(); }, context, box),
      IntegerAttr());
  b.setInsertionPoint(fill);
  BufferRegion target = store.getTargetRegion();
  SmallVector<int64_t> sizes = target.sizes;
  sizes.back() = columns;
  for (int64_t first = 0; first < all; first += columns) {
    auto own = cast<CopyOp>(b.clone(*fill));
    own.getTargetMutable().assign(part.getBuffer());
    own.setTargetMapAttr({});
    own.setTargetSizesAttr({});
    own.setSourceMapAttr(AffineMapAttr::get(AffineMap::get(
        0, 0,
        {getAffineConstantExpr(0, context),
         getAffineConstantExpr(first, context)},
        context)));
    own.setSourceSizes(ArrayRef<int64_t>{rows, columns});
    auto out = cast<CopyOp>(b.clone(*store));
    out.getSourceMutable().assign(part.getBuffer());
    out.setSourceMapAttr({});
    out.setSourceSizesAttr({});
    SmallVector<AffineExpr> offsets(target.map.getResults());
    offsets.back() = offsets.back() + first;
    out.setTargetMapAttr(AffineMapAttr::get(
        AffineMap::get(target.map.getNumDims(), target.map.getNumSymbols(),
                       offsets, context)));
    out.setTargetSizes(sizes);
  }
  fill.erase();
  store.erase();
  tile.erase();
  return part;
}

//===----------------------------------------------------------------------===//
// Whether it pays
//===----------------------------------------------------------------------===//

namespace {
class PingPongPlanner {
public:
  PingPongPlanner(KernelOp kernel, ArrayRef<PipelineGroup> groups,
                  const Target &target, int64_t scratchBytes)
      : kernel(kernel), groups(groups), target(target), gpu(*target.getGPU()),
        scratchBytes(scratchBytes + getScratchBytes(kernel, target)) {}

  Status check();
  void run();

private:
  Status checkPoint(PersistentOp points);
  Status checkLoop(PipelinedOp loop);
  Status checkRegisters();
  Status checkRoom();
  int64_t countStages(bool inParts);

  KernelOp kernel;
  ArrayRef<PipelineGroup> groups;
  const Target &target;
  const GPUSpec &gpu;
  int64_t scratchBytes;
  /// Shared buffers of the epilogue.
  SmallVector<AllocOp> buffers;
};
} // namespace

static PersistentOp findPoints(KernelOp kernel) {
  auto points = kernel.getBody().getOps<PersistentOp>();
  return llvm::hasSingleElement(points) ? *points.begin() : PersistentOp();
}

/// Copies that pipelines bring, products that add to sums, and what is computed
/// for them.
Status PingPongPlanner::checkLoop(PipelinedOp loop) {
  DenseSet<Operation *> copies;
  for (const PipelineGroup &group : groups)
    copies.insert(group.copies.begin(), group.copies.end());
  bool hasGemm = false;
  for (Operation &op : loop.getBody().front()) {
    if (isMemoryEffectFree(&op) || copies.contains(&op))
      continue;
    auto gemm = dyn_cast<GemmOp>(op);
    if (!gemm || !isAsyncGemm(gemm) || gemm.getAsync() || gemm.getClear() ||
        gemm.getClearIf() ||
        getMemorySpace(gemm.getA()) != MemorySpace::Shared)
      return fail("expected nothing but tensor copies and products of shared "
                  "tiles in its loop, got '",
                  op.getName().getStringRef().str(), "'");
    hasGemm = true;
  }
  return hasGemm ? Status(Success{})
                 : Status(fail("expected a product in its loop"));
}

Status PingPongPlanner::checkPoint(PersistentOp points) {
  PipelinedOp loop;
  for (Operation &op : points.getBody().front()) {
    if (isMemoryEffectFree(&op) || isa<FillOp, CopyOp, ParallelOp>(op))
      continue;
    if (loop || !isa<PipelinedOp>(op))
      return fail("expected one loop and no other control flow, got '",
                  op.getName().getStringRef().str(), "'");
    loop = cast<PipelinedOp>(op);
  }
  if (!loop)
    return fail("expected a pipelined loop");
  for (Value bound : loop.getDynamicBounds())
    if (points.getBody().isAncestor(bound.getParentRegion()))
      return fail("expected as many iterations for all points");
  for (const PipelineGroup &group : groups)
    for (const PipelineSite &site : group.sites)
      if (site.block != &loop.getBody().front())
        return fail("expected all tensor copies in its loop");
  return checkLoop(loop);
}

Status PingPongPlanner::checkRegisters() {
  if (!target.has(Feature::SetMaxNReg))
    return fail(target.name.str(), " has no register budgets of warpgroups");
  int64_t budget =
      getConsumerBudget(gpu, kTeams * gpu.groupThreads(), kernel.getBody());
  int64_t needed = countFragmentRegisters(kernel) + kLeastBeside;
  if (needed <= budget)
    return Success{};
  return fail("its products need ", needed, " registers, a thread has ",
              budget);
}

/// The stages that fit beside the buffers of the epilogue, as they are or with
/// results in parts, at most those that the program asks for.
int64_t PingPongPlanner::countStages(bool inParts) {
  int64_t room = gpu.sharedBytesPerBlock, stage = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
  for (AllocOp alloc : buffers) {
    int64_t bytes = getSharedBytes(alloc);
    std::optional<StagedResult> result = StagedResult::match(alloc);
    if (inParts && result)
      bytes = bytes / alloc.getType().getShape().back() * result->columns;
    room -= kTeams * bytes;
  }
  for (const PipelineGroup &group : groups) {
    stage += gpu.stageBarrierBytes();
    for (AllocOp alloc : group.buffers)
      stage += getStageBytes(alloc, gpu);
    most = std::min(most, group.stages);
  }
  return std::min(most, std::max<int64_t>(room, 0) / stage);
}

Status PingPongPlanner::checkRoom() {
  // A main loop with fewer waits for copies.
  constexpr int64_t kLeastStages = 3;
  if (scratchBytes > 0)
    return fail("threads exchange elements through shared memory");
  DenseSet<Operation *> staged;
  for (const PipelineGroup &group : groups)
    staged.insert(group.buffers.begin(), group.buffers.end());
  Status ok = Success{};
  kernel.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getBuffer()) != MemorySpace::Shared ||
        staged.contains(alloc))
      return;
    buffers.push_back(alloc);
    if (getSharedBytes(alloc) % gpu.sharedAlign != 0)
      ok = fail("expected a multiple of ", gpu.sharedAlign,
                " bytes of shared memory, got ", getSharedBytes(alloc));
  });
  if (!ok)
    return ok;
  int64_t stages = countStages(/*inParts=*/true);
  if (stages >= kLeastStages)
    return Success{};
  return fail("expected room for ", kLeastStages, " stages, got ", stages);
}

/// Gives each team buffers for itself, of parts where that leaves room for more
/// stages.
void PingPongPlanner::run() {
  bool inParts = countStages(/*inParts=*/true) > countStages(/*inParts=*/false);
  int64_t parts = 1;
  Builder b(kernel.getContext());
  for (AllocOp alloc : buffers) {
    std::optional<StagedResult> result = StagedResult::match(alloc);
    if (inParts && result) {
      parts = alloc.getType().getShape().back() / result->columns;
      alloc = result->divide();
    }
    alloc->setAttr(kConsumersAttrName, b.getI64IntegerAttr(kTeams));
  }
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("PingPong").category(kScheduleCategory))
      << remark::metric("consumers", kTeams) << remark::metric("parts", parts);
}

Status PingPongPlanner::check() {
  if (kernel.getCluster())
    return fail("expected a kernel without clusters");
  for (Operation &op : kernel.getBody().front())
    if (!isMemoryEffectFree(&op) &&
        !isa<AllocOp, PersistentOp, PaddingValueOp, RasterizeOp, AssumeOp,
             AnnotateLayoutOp>(op))
      return fail("expected nothing beside its points, got '",
                  op.getName().getStringRef().str(), "'");
  Status ok = checkPoint(findPoints(kernel));
  if (ok)
    ok = checkRegisters();
  return ok ? checkRoom() : ok;
}

bool mlir::tile::planPingPong(KernelOp kernel, ArrayRef<PipelineGroup> groups,
                              const Target &target, int64_t scratchBytes) {
  if (int64_t(kernel.getThreads()) != target.getGPU()->groupThreads() ||
      !findPoints(kernel))
    return false;
  PingPongPlanner planner(kernel, groups, target, scratchBytes);
  Status ok = planner.check();
  if (!ok) {
    remark::missed(
        kernel.getLoc(),
        remark::RemarkOpts::name("PingPong").category(kScheduleCategory))
        << remark::reason("{0}", ok.reason());
    return false;
  }
  planner.run();
  return true;
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

namespace {
class GemmCarrier {
public:
  explicit GemmCarrier(PipelinedOp loop);
  void run();

private:
  void findFills();
  void start(OpBuilder &b, Value iv, bool isFirst);
  void giveBack(OpBuilder &b);

  PipelinedOp loop;
  /// By the first product that adds to what it clears.
  llvm::MapVector<Operation *, FillOp> fills;
  SmallVector<Operation *> ops;
  SmallVector<ConsumerReleaseOp> releases;
  llvm::SetVector<Value> sums;
  int64_t numGemms = 0;
};
} // namespace

GemmCarrier::GemmCarrier(PipelinedOp loop) : loop(loop) {
  for (Operation &op : loop.getBody().front()) {
    if (auto release = dyn_cast<ConsumerReleaseOp>(op)) {
      releases.push_back(release);
      continue;
    }
    ops.push_back(&op);
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      sums.insert(gemm.getC());
      ++numGemms;
    }
  }
}

static bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

static bool isUsedIn(Value value, Operation *op) {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return op->isAncestor(user); });
}

/// Products can clear their sums themselves. Else registers of one product would
/// be written while another one is in flight.
void GemmCarrier::findFills() {
  DenseSet<Value> seen;
  for (Operation *op : ops) {
    auto gemm = dyn_cast<GemmOp>(op);
    if (!gemm || !seen.insert(gemm.getC()).second)
      continue;
    // The last one that uses the sums, maybe in its regions.
    Operation *before = loop->getPrevNode();
    while (before && !isUsedIn(gemm.getC(), before))
      before = before->getPrevNode();
    auto fill = dyn_cast_or_null<FillOp>(before);
    if (fill && fill.getBuffer() == gemm.getC() && isZero(fill.getValue()) &&
        gemm.getC().getDefiningOp<AllocOp>() &&
        llvm::none_of(gemm.getC().getUsers(),
                      llvm::IsaPred<ViewLikeOpInterface>))
      fills[gemm] = fill;
  }
}

/// Starts the products of an iteration. Behind the first one, that of the
/// iteration before is held.
void GemmCarrier::start(OpBuilder &b, Value iv, bool isFirst) {
  IRMapping mapping;
  mapping.map(loop.getBody().getArgument(0), iv);
  for (Operation *op : ops) {
    Operation *copy = b.clone(*op, mapping);
    if (auto gemm = dyn_cast<GemmOp>(copy)) {
      gemm.setAsync(true);
      if (isFirst && fills.contains(op))
        gemm.setClear(true);
    }
    if (isa<ConsumerWaitOp>(copy) && !isFirst)
      copy->setAttr(kAheadAttrName, b.getI64IntegerAttr(1));
  }
}

void GemmCarrier::giveBack(OpBuilder &b) {
  for (ConsumerReleaseOp release : releases)
    b.clone(*release);
}

void GemmCarrier::run() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  findFills();
  OrderWaitOp::create(b, loc);
  Value lower = enterLoop(b, loop).first;
  auto guard = cast<scf::IfOp>(b.getInsertionBlock()->getParentOp());
  start(b, lower, /*isFirst=*/true);
  PipelinedOp rest = createWithoutFirst(b, loop, lower);
  Block *body =
      b.createBlock(&rest.getBody(), {}, TypeRange{b.getIndexType()}, loc);
  start(b, body->getArgument(0), /*isFirst=*/false);
  GemmWaitOp::create(b, loc, ValueRange(), numGemms);
  giveBack(b);
  b.setInsertionPointAfter(rest);
  OrderArriveOp::create(b, loc);
  GemmWaitOp::create(b, loc, sums.getArrayRef(), /*pending=*/0);
  giveBack(b);
  b.createBlock(&guard.getElseRegion());
  OrderArriveOp::create(b, loc);
  Operation *end = scf::YieldOp::create(b, loc);
  for (auto &[gemm, fill] : fills)
    fill->moveBefore(end);
  loop.erase();
}

void mlir::tile::startPingPong(WarpSpecializeOp partitions) {
  partitions->setAttr(
      kConsumersAttrName,
      Builder(partitions.getContext()).getI64IntegerAttr(kTeams));
  SmallVector<PipelinedOp> loops;
  partitions.getConsumer().walk(
      [&](PipelinedOp loop) { loops.push_back(loop); });
  for (PipelinedOp loop : loops)
    GemmCarrier(loop).run();
}
