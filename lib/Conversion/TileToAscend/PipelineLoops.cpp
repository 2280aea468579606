//===- PipelineLoops.cpp - multi-buffered loops ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Queues of pipes run ahead by themselves as far as flags let them: on one
// core, overlap needs alternating buffers alone. Between cores, a wait holds
// the whole core, so that the order of the instructions matters: the parts of
// the body, each for all iterations in flight.
//
//===----------------------------------------------------------------------===//

#include "PipelineParts.h"

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Ascend/Transforms/Memory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDPIPELINELOOPSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

namespace {
/// Which buffers get one for each stage.
enum class Effort { All, OutsideOfCube, Needed };

/// Rewrites one loop.
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t stages, Effort effort)
      : loop(loop), stages(stages), effort(effort), b(loop),
        loc(loop.getLoc()) {}
  /// False, and nothing is changed, if there is nothing to overlap.
  bool run();
  /// Buffers in GM that now have a tile for each stage.
  ArrayRef<memref::AllocOp> getWorkspaces() const {
    return workspaces.getArrayRef();
  }
  unsigned getNumParts() const { return parts.size(); }

private:
  bool createStageBuffers();
  void createLoops();
  SmallVector<Value> createVariables(Value first, int64_t count);
  void createIterations(ArrayRef<Value> ivs);
  void createPart(const LoopPart &part, int64_t stage, Value iv);
  void clone(Operation *op, IRMapping &mapping, int64_t stage);
  void moveToStage(memref::SubViewOp view, int64_t stage);
  int64_t getCredits(Operation *flag);
  void surroundByCredits();
  bool isMultiple();

  scf::ForOp loop, unrolled;
  Operation *last = nullptr; // of what takes the loop's place
  int64_t stages;
  Effort effort;
  OpBuilder b;
  Location loc;
  SmallVector<LoopPart> parts;
  llvm::MapVector<Value, SmallVector<Value, 4>> versions;
  llvm::SetVector<memref::AllocOp> workspaces;
};
} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static bool isTransfer(Pipe pipe) {
  return pipe == Pipe::MTE1 || pipe == Pipe::MTE2 || pipe == Pipe::MTE3 ||
         pipe == Pipe::FIX;
}

/// Buffers of their own for the iterations in flight.
bool LoopPipeliner::createStageBuffers() {
  llvm::MapVector<Value, DenseSet<unsigned>> uses; // the parts that touch it
  DenseSet<Value> moved;
  for (auto [number, part] : llvm::enumerate(parts))
    for (Operation *op : part.ops)
      for (const PartTouch &touch : getTouches(op)) {
        if (!touch.base.getDefiningOp<tl::AllocOp>())
          continue;
        uses[touch.base].insert(number);
        if (isTransfer(touch.pipe))
          moved.insert(touch.base);
      }
  for (auto &[buffer, numbers] : uses) {
    bool needed = numbers.size() > 1;
    MemorySpace space = tl::getMemorySpace(buffer);
    bool isOfCube = space == MemorySpace::L0A || space == MemorySpace::L0B ||
                    space == MemorySpace::L0C;
    bool wanted = moved.contains(buffer) && effort != Effort::Needed &&
                  !(isOfCube && effort == Effort::OutsideOfCube);
    if ((!needed && !wanted) || !isPrivate(buffer, loop))
      continue;
    // Two are enough between the cube and the loads into it.
    int64_t count = isOfCube && !needed ? std::min<int64_t>(stages, 2) : stages;
    Operation *alloc = buffer.getDefiningOp();
    alloc->setAttr(AscendDialect::kMultiBufferAttr, b.getI64IntegerAttr(count));
    auto &all = versions[buffer];
    all.push_back(buffer);
    b.setInsertionPointAfter(alloc);
    for (int64_t stage = 1; stage < count; ++stage)
      all.push_back(b.clone(*alloc)->getResult(0));
  }
  return !versions.empty();
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

bool LoopPipeliner::isMultiple() {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  return lower && upper && step && *step > 0 && *upper > *lower &&
         llvm::divideCeil(*upper - *lower, *step) % stages == 0;
}

/// The iteration variables of `count` iterations from `first` on.
SmallVector<Value> LoopPipeliner::createVariables(Value first, int64_t count) {
  auto step = getConstantIntValue(loop.getStep());
  SmallVector<Value> ivs{first};
  for (int64_t stage = 1; stage < count; ++stage) {
    if (step)
      ivs.push_back(affine::AffineApplyOp::create(
          b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0) + *step * stage),
          first));
    else
      ivs.push_back(arith::AddIOp::create(b, loc, ivs.back(), loop.getStep()));
  }
  return ivs;
}

/// The parts, each for the iterations of the first `ivs.size()` stages.
void LoopPipeliner::createIterations(ArrayRef<Value> ivs) {
  for (const LoopPart &part : parts)
    for (auto [stage, iv] : llvm::enumerate(ivs))
      createPart(part, stage, iv);
}

/// Whole groups of iterations in a loop, and then the remaining ones: stages
/// alternate from the first one on, whatever their number is.
void LoopPipeliner::createLoops() {
  b.setInsertionPoint(loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value stride = arith::MulIOp::create(b, loc, step, constant(stages));
  Value whole = upper;
  if (!isMultiple()) {
    Value span = arith::SubIOp::create(b, loc, upper, lower);
    span = arith::MaxSIOp::create(b, loc, span, constant(0));
    // The last iteration counts, whatever is left of its step.
    if (!isOneInteger(loop.getStep()))
      span = arith::AddIOp::create(
          b, loc, span, arith::SubIOp::create(b, loc, step, constant(1)));
    Value groups = arith::DivUIOp::create(b, loc, span, stride);
    whole = arith::AddIOp::create(
        b, loc, lower, arith::MulIOp::create(b, loc, groups, stride));
  }
  auto known = getConstantIntValue(step);
  if (known)
    stride = constant(*known * stages);
  unrolled = scf::ForOp::create(b, loc, lower, whole, stride);
  b.setInsertionPointToStart(unrolled.getBody());
  createIterations(createVariables(unrolled.getInductionVar(), stages));
  last = unrolled;
  if (isMultiple())
    return;
  b.setInsertionPointAfter(unrolled);
  SmallVector<Value> ivs = createVariables(whole, stages - 1);
  for (size_t count = 1; count <= ivs.size(); ++count) {
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       ivs[count - 1], upper);
    bool isLast = count == ivs.size();
    auto branch = scf::IfOp::create(b, loc, more, /*addElse=*/count > 1);
    if (count == 1)
      last = branch;
    else {
      b.setInsertionPoint(branch.elseYield());
      createIterations(ArrayRef(ivs).take_front(count - 1));
    }
    b.setInsertionPoint(branch.thenYield());
    if (isLast)
      createIterations(ivs);
  }
}

/// The part of a workspace that belongs to one stage.
void LoopPipeliner::moveToStage(memref::SubViewOp view, int64_t stage) {
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(view);
  AffineExpr at = b.getAffineDimExpr(0) * stages + stage;
  offsets[0] = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, at), {offsets[0]});
  Value block = getValueOrCreateConstantIndexOp(b, loc, offsets[0]);
  view.getOffsetsMutable().slice(0, 1).assign(block);
}

/// A copy of an op, and before it of the scalars that it uses.
void LoopPipeliner::clone(Operation *op, IRMapping &mapping, int64_t stage) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    Operation *def = value.getDefiningOp();
    if (!def || mapping.contains(value))
      continue;
    bool isView = isa<ViewLikeOpInterface>(def) &&
                  versions.contains(tl::getBaseBuffer(value));
    if (isView || def->getBlock() == loop.getBody())
      clone(def, mapping, stage);
  }
  Operation *copy = b.clone(*op, mapping);
  auto view = dyn_cast<memref::SubViewOp>(copy);
  if (view && isWorkspace(view.getSource())) {
    moveToStage(view, stage);
    workspaces.insert(view.getSource().getDefiningOp<memref::AllocOp>());
  }
}

void LoopPipeliner::createPart(const LoopPart &part, int64_t stage, Value iv) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iv);
  for (auto &[buffer, all] : versions)
    mapping.map(buffer, all[stage % all.size()]);
  for (Operation *op : part.ops)
    clone(op, mapping, stage);
}

/// How many buffers the transfer has that the writer marks as full by `flag`:
/// what it writes stands before it. A workspace has one for each stage.
int64_t LoopPipeliner::getCredits(Operation *flag) {
  for (const PartTouch &touch : getTouches(flag->getPrevNode()))
    if (touch.writes && touch.base.getDefiningOp<tl::AllocOp>())
      return std::max<int64_t>(versions.lookup(touch.base).size(), 1);
  return stages;
}

/// The reader sets the "free" flag once for each buffer, and the writer waits
/// for the last ones, around each run of the loop: buffers alternate from the
/// first one on.
void LoopPipeliner::surroundByCredits() {
  DenseMap<int64_t, int64_t> transfers; // their buffers
  for (Operation &op : *loop.getBody())
    if (isTransferFlag(&op)) {
      int64_t &count =
          transfers.try_emplace(getTransferNumber(&op), stages).first->second;
      auto set = dyn_cast<CrossCoreSetFlagOp>(op);
      if (set && int64_t(set.getId()) == 2 * getTransferNumber(&op))
        count = getCredits(&op);
    }
  SmallVector<Operation *> credits;
  loop->getParentOfType<tl::KernelOp>().walk([&](Operation *op) {
    if (isTransferFlag(op) && transfers.contains(getTransferNumber(op)) &&
        !loop->isAncestor(op) && !unrolled->isAncestor(op) &&
        !last->isAncestor(op))
      credits.push_back(op);
  });
  for (Operation *op : credits) {
    if (isa<CrossCoreSetFlagOp>(op))
      b.setInsertionPoint(unrolled);
    else
      b.setInsertionPointAfter(last);
    for (int64_t i = 0, e = transfers.lookup(getTransferNumber(op)); i < e; ++i)
      b.clone(*op);
    op->erase();
  }
}

bool LoopPipeliner::run() {
  parts = getLoopParts(loop);
  bool hasTransfers = llvm::any_of(
      *loop.getBody(), [](Operation &op) { return isTransferFlag(&op); });
  if (!createStageBuffers() && !hasTransfers)
    return false;
  createLoops();
  surroundByCredits();
  loop.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static remark::RemarkOpts named(StringRef name) {
  return remark::RemarkOpts::name(name).category("ascend-pipeline-loops");
}

static void enlarge(memref::AllocOp workspace, int64_t stages) {
  OpBuilder b(workspace);
  Value count = arith::ConstantIndexOp::create(b, workspace.getLoc(), stages);
  Value size = arith::MulIOp::create(b, workspace.getLoc(),
                                     workspace.getDynamicSizes()[0], count);
  workspace.getDynamicSizesMutable().assign(size);
}

/// How many iterations are in flight at most.
static int64_t getStages(scf::ForOp loop) {
  int64_t stages =
      loop->getAttrOfType<IntegerAttr>(AscendDialect::kStagesAttr).getInt();
  stages = std::min<int64_t>(stages, getSpec(loop).crossCounterMax);
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (lower && upper && step && *step > 0) {
    int64_t span = std::max<int64_t>(0, *upper - *lower);
    stages = std::min<int64_t>(stages, llvm::divideCeil(span, *step));
  }
  return stages;
}

/// Replaces the kernel by one with the loop rewritten; the new kernel, or none
/// if there is nothing to do or it does not fit.
static tl::KernelOp tryPipeline(tl::KernelOp kernel, scf::ForOp loop,
                                int64_t stages, Effort effort) {
  OpBuilder b(kernel);
  IRMapping mapping;
  auto trial = cast<tl::KernelOp>(b.clone(*kernel, mapping));
  LoopPipeliner pipeliner(cast<scf::ForOp>(mapping.lookup(loop.getOperation())),
                          stages, effort);
  if (!pipeliner.run() || !fitsMemory(trial)) {
    trial.erase();
    return {};
  }
  for (memref::AllocOp workspace : pipeliner.getWorkspaces())
    enlarge(workspace, stages);
  remark::passed(loop.getLoc(), named("PipelinedLoop"))
      << remark::metric("stages", int(stages))
      << remark::metric("parts", pipeliner.getNumParts())
      << remark::metric("workspaces",
                        unsigned(pipeliner.getWorkspaces().size()));
  kernel.erase();
  return trial;
}

static tl::KernelOp pipeline(tl::KernelOp kernel, scf::ForOp loop) {
  int64_t stages = getStages(loop);
  loop->removeAttr(AscendDialect::kStagesAttr);
  if (stages < 2)
    return kernel;
  if (std::optional<StringRef> obstacle = findObstacle(loop)) {
    remark::missed(loop.getLoc(), named("SerialLoop"))
        << remark::reason("{0}", *obstacle);
    return kernel;
  }
  for (int64_t count = stages; count > 1; --count)
    for (Effort effort : {Effort::All, Effort::OutsideOfCube, Effort::Needed})
      if (tl::KernelOp done = tryPipeline(kernel, loop, count, effort))
        return done;
  remark::missed(loop.getLoc(), named("SerialLoop"))
      << remark::reason("nothing comes from GM or goes there, or two stages do "
                        "not fit the memories");
  return kernel;
}

/// The ops that use a buffer, or a view of it.
static void collectUses(Value buffer, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : buffer.getUses()) {
    if (isa<ViewLikeOpInterface>(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

/// A view of `buffer` as `view` is one of another buffer, next to it.
static Value cloneViews(Value view, Value from, Value buffer) {
  if (view == from)
    return buffer;
  Operation *op = view.getDefiningOp();
  Value source =
      cloneViews(cast<ViewLikeOpInterface>(op).getViewSource(), from, buffer);
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  IRMapping mapping;
  mapping.map(cast<ViewLikeOpInterface>(op).getViewSource(), source);
  return b.clone(*op, mapping)->getResult(0);
}

/// A buffer that several loops use, each for itself, becomes one for each.
static void separateLoops(tl::AllocOp alloc) {
  Value buffer = alloc.getBuffer();
  SmallVector<OpOperand *> uses;
  collectUses(buffer, uses);
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> byLoop;
  for (OpOperand *use : uses) {
    scf::ForOp loop = use->getOwner()->getParentOfType<scf::ForOp>();
    while (loop && !loop->hasAttr(AscendDialect::kStagesAttr))
      loop = loop->getParentOfType<scf::ForOp>();
    if (!loop)
      return;
    byLoop[loop].push_back(use);
  }
  if (byLoop.size() < 2 || llvm::any_of(byLoop, [&](auto &entry) {
        return !isRenewed(buffer, entry.first);
      }))
    return;
  for (auto &[loop, inside] : llvm::drop_begin(byLoop)) {
    OpBuilder b(alloc);
    b.setInsertionPointAfter(alloc);
    Value own = b.clone(*alloc)->getResult(0);
    DenseMap<Value, Value> views;
    for (OpOperand *use : inside) {
      // Views inside of the loop are of that loop.
      Operation *user = use->getOwner();
      Value view = use->get();
      while (view != buffer && loop->isAncestor(view.getDefiningOp())) {
        user = view.getDefiningOp();
        view = cast<ViewLikeOpInterface>(user).getViewSource();
      }
      if (tl::getBaseBuffer(view) == own)
        continue;
      Value &mine = views[view];
      if (!mine)
        mine = cloneViews(view, buffer, own);
      user->replaceUsesOfWith(view, mine);
    }
  }
}

/// The innermost loops come first.
static scf::ForOp findLoop(tl::KernelOp kernel) {
  scf::ForOp found;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop->hasAttr(AscendDialect::kStagesAttr))
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
struct AscendPipelineLoops
    : tl::impl::AscendPipelineLoopsPassBase<AscendPipelineLoops> {
  void runOnOperation() override {
    SmallVector<tl::KernelOp> kernels;
    getOperation()->walk(
        [&](tl::KernelOp kernel) { kernels.push_back(kernel); });
    for (tl::KernelOp kernel : kernels) {
      SmallVector<tl::AllocOp> buffers;
      kernel.walk([&](tl::AllocOp alloc) { buffers.push_back(alloc); });
      for (tl::AllocOp alloc : buffers)
        separateLoops(alloc);
      while (scf::ForOp loop = findLoop(kernel))
        kernel = pipeline(kernel, loop);
    }
  }
};
} // namespace
