//===- WarpSpecialize.cpp - producer and consumer partitions --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

int64_t mlir::tile::getSwizzleAlignment(const ::tile::target::GPUSpec &gpu) {
  return gpu.tma ? gpu.sharedAlign : 1;
}

int64_t mlir::tile::getSwizzlePeriod(AllocOp alloc) {
  if (!alloc.getLayoutAttr())
    return 1;
  ::tile::layout::Swizzle swizzle =
      getTileLayout(alloc.getLayoutAttr()).swizzle();
  if (swizzle.isIdentity())
    return 1;
  int64_t elements = int64_t(1)
                     << (swizzle.base + swizzle.shift + swizzle.bits);
  return llvm::divideCeil(elements * getElementBits(alloc.getBuffer()), 8);
}

int64_t mlir::tile::getStageBytes(AllocOp alloc,
                                  const ::tile::target::GPUSpec &gpu) {
  return llvm::alignTo(getSharedBytes(alloc),
                       std::max({gpu.vectorBytes, getSwizzleAlignment(gpu),
                                 getSwizzlePeriod(alloc)}));
}

/// The layout of `stages` stages, of which each has the layout of `alloc`.
static LayoutAttr getStageLayout(AllocOp alloc, int64_t stages,
                                 const ::tile::target::GPUSpec &gpu) {
  using namespace ::tile::layout;
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  int64_t elements =
      getStageBytes(alloc, gpu) * 8 / getElementBits(alloc.getBuffer());
  LayoutAttr attr = alloc.getLayoutAttr();
  if (!attr && elements == type.getNumElements())
    return {};
  Layout stage;
  if (attr)
    stage = mlir::tile::getTileLayout(attr);
  else
    stage = *Layout::rowMajor(std::vector<int64_t>(type.getShape()));
  std::vector<Dim> dims{{stages, {}}};
  if (stages > 1)
    dims.front().digits.push_back({stages, Axis::Offset, elements});
  dims.insert(dims.end(), stage.dims().begin(), stage.dims().end());
  auto layout = Layout::get(dims, stage.copies(), stage.swizzle());
  if (!layout)
    return {};
  return getLayoutAttr([&] { return alloc.emitError(); }, alloc.getContext(),
                       *layout);
}

AllocOp mlir::tile::createStages(AllocOp alloc, int64_t stages,
                                 const ::tile::target::GPUSpec &gpu) {
  auto kernel = alloc->getParentOfType<KernelOp>();
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  SmallVector<int64_t> shape{stages};
  llvm::append_range(shape, type.getShape());
  auto stageBuffers = MemRefType::get(shape, type.getElementType(), AffineMap(),
                                      type.getMemorySpace());
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  return AllocOp::create(b, alloc.getLoc(), stageBuffers,
                         getStageLayout(alloc, stages, gpu), IntegerAttr());
}

static StageOp createStage(OpBuilder &b, Location loc, AllocOp stageBuffers,
                           Value index, Type type) {
  return StageOp::create(b, loc, type, stageBuffers.getBuffer(), index);
}

void mlir::tile::replaceInOps(OpBuilder &b, Value from, Value to,
                              function_ref<bool(Operation *)> isInside) {
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      IRMapping mapping;
      mapping.map(from, to);
      Operation *copy = b.clone(*user, mapping);
      replaceInOps(b, view.getViewDest(),
                   cast<ViewLikeOpInterface>(copy).getViewDest(), isInside);
      if (copy->use_empty())
        copy->erase();
    } else if (isInside(user)) {
      use.set(to);
    }
  }
}

//===----------------------------------------------------------------------===//
// The two partitions
//===----------------------------------------------------------------------===//

namespace {
struct Pipeline {
  PipelineGroup *group;
  CreatePipelineOp op;
  SmallVector<AllocOp> stageBuffers;
};

class WarpSpecializer {
public:
  WarpSpecializer(KernelOp kernel, MutableArrayRef<PipelineGroup> groups,
                  const ::tile::target::GPUSpec &gpu)
      : kernel(kernel), groups(groups), gpu(gpu), values(kernel) {}
  WarpSpecializeOp run();

private:
  bool staysAtTop(Operation &op);
  void findOrder();
  void createPipelines();
  void createConsumer(WarpSpecializeOp partitions);
  void createProducer(Block &from, OpBuilder &b, IRMapping &mapping);
  void createParent(Operation &op, OpBuilder &b, IRMapping &mapping);
  void fillStage(Pipeline &pipeline, PipelineSite &site, OpBuilder &b,
                 IRMapping &mapping);
  void useStage(Pipeline &pipeline, PipelineSite &site);

  KernelOp kernel;
  MutableArrayRef<PipelineGroup> groups;
  const ::tile::target::GPUSpec &gpu;
  ProducerValues values;
  SmallVector<Pipeline> pipelines;
  /// Loops and branches around copies, and what they and the copies need.
  DenseSet<Operation *> parents, slice;
  /// What orders memory, in both partitions.
  DenseSet<Operation *> order;
};
} // namespace

/// Whether all threads do it before the partitions begin.
bool WarpSpecializer::staysAtTop(Operation &op) {
  return isa<AllocOp, CreatePipelineOp, WarpSpecializeOp, ViewLikeOpInterface,
             AssumeOp, PaddingValueOp, RasterizeOp, AnnotateLayoutOp>(op) ||
         values.isComputable(&op);
}

/// At the head of the kernel all threads wait together.
void WarpSpecializer::findOrder() {
  bool isHead = true;
  for (Operation &op : kernel.getBody().front()) {
    isHead &= staysAtTop(op);
    op.walk([&](Operation *nested) {
      if (!ordersMemory(nested) || (isHead && nested == &op))
        return;
      order.insert(nested);
      for (Value operand : nested->getOperands())
        values.collectSlice(operand, slice);
    });
  }
}

void WarpSpecializer::createPipelines() {
  for (PipelineGroup &group : groups) {
    Pipeline pipeline{&group, {}, {}};
    for (AllocOp alloc : group.buffers)
      pipeline.stageBuffers.push_back(createStages(alloc, group.stages, gpu));
    OpBuilder b(kernel.getContext());
    b.setInsertionPointAfter(pipeline.stageBuffers.front());
    pipeline.op = CreatePipelineOp::create(
        b, group.copies.front()->getLoc(),
        PipelineType::get(b.getContext(), group.stages), IntegerAttr());
    pipelines.push_back(pipeline);
    for (Operation *op : group.copies) {
      SmallVector<Access> accesses;
      (void)collectAccesses(op, accesses);
      for (const Access &access : accesses)
        if (access.kind == AccessKind::Read) {
          values.collectSlice(access.region.buffer, slice);
          for (Value index : access.region.operands)
            values.collectSlice(index, slice);
        }
      for (Operation *parent = op->getParentOp(); parent != kernel;
           parent = parent->getParentOp())
        if (parents.insert(parent).second)
          for (Value operand : parent->getOperands())
            if (values.isComputable(operand))
              values.collectSlice(operand, slice);
    }
  }
}

/// An empty loop or branch like `op`, without what it carries or gives.
void WarpSpecializer::createParent(Operation &op, OpBuilder &b,
                                   IRMapping &mapping) {
  Location loc = op.getLoc();
  auto into = [&](Block &from, Block *to) {
    OpBuilder inner =
        to->empty() || !to->back().hasTrait<OpTrait::IsTerminator>()
            ? OpBuilder::atBlockEnd(to)
            : OpBuilder(&to->back());
    createProducer(from, inner, mapping);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto copy = scf::ForOp::create(
        b, loc, mapping.lookupOrDefault(loop.getLowerBound()),
        mapping.lookupOrDefault(loop.getUpperBound()),
        mapping.lookupOrDefault(loop.getStep()));
    mapping.map(loop.getInductionVar(), copy.getInductionVar());
    return into(*loop.getBody(), copy.getBody());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto copy = scf::IfOp::create(
        b, loc, mapping.lookupOrDefault(branch.getCondition()),
        /*withElseRegion=*/!branch.getElseRegion().empty());
    into(*branch.thenBlock(), copy.thenBlock());
    if (!branch.getElseRegion().empty())
      into(*branch.elseBlock(), copy.elseBlock());
    return;
  }
  Operation *copy = b.insert(op.cloneWithoutRegions(mapping));
  Block &from = op.getRegion(0).front();
  Block *to = b.createBlock(&copy->getRegion(0), {}, from.getArgumentTypes(),
                            SmallVector<Location>(from.getNumArguments(), loc));
  mapping.map(from.getArguments(), to->getArguments());
  into(from, to);
  b.setInsertionPointAfter(copy);
}

static void setSignal(Operation *op, Value pipeline) {
  if (auto copy = dyn_cast<CopyOp>(op))
    return copy.getSignalMutable().assign(pipeline);
  cast<GatherOp>(op).getSignalMutable().assign(pipeline);
}

void WarpSpecializer::fillStage(Pipeline &pipeline, PipelineSite &site,
                                OpBuilder &b, IRMapping &mapping) {
  int64_t bits = 0;
  for (Operation *op : site.copies) {
    // Threads arrive for what they copy themselves.
    auto copy = dyn_cast<CopyOp>(op);
    if (!copy)
      continue;
    int64_t count = 1;
    for (int64_t size : copy.getTargetRegion().sizes)
      count *= size;
    auto type = cast<MemRefType>(copy.getTarget().getType());
    bits += count * type.getElementTypeBitWidth();
  }
  Location loc = site.copies.front()->getLoc();
  auto acquire = ProducerAcquireOp::create(
      b, loc, b.getIndexType(), pipeline.op, b.getI64IntegerAttr(bits / 8));
  IRMapping inStage = mapping;
  for (auto [alloc, stageBuffers] :
       llvm::zip(pipeline.group->buffers, pipeline.stageBuffers))
    inStage.map(alloc.getBuffer(),
                createStage(b, loc, stageBuffers, acquire.getStage(),
                            alloc.getBuffer().getType())
                    .getView());
  // Gathers first: they read their list while the stage is still in use.
  SmallVector<Operation *> copies(site.copies);
  llvm::stable_sort(copies, [](Operation *a, Operation *b) {
    return isa<GatherOp>(a) && !isa<GatherOp>(b);
  });
  for (Operation *copy : copies) {
    cloneTargetViews(b, copy, inStage);
    setSignal(b.clone(*copy, inStage), pipeline.op);
  }
  ProducerCommitOp::create(b, loc, pipeline.op);
}

void WarpSpecializer::createProducer(Block &from, OpBuilder &b,
                                     IRMapping &mapping) {
  bool isTop = from.getParentOp() == kernel;
  for (Operation &op : from) {
    if (parents.contains(&op))
      createParent(op, b, mapping);
    else if ((!isTop && slice.contains(&op)) || order.contains(&op))
      b.clone(op, mapping);
    for (Pipeline &pipeline : pipelines)
      for (PipelineSite &site : pipeline.group->sites)
        if (site.copies.back() == &op)
          fillStage(pipeline, site, b, mapping);
  }
}

void WarpSpecializer::useStage(Pipeline &pipeline, PipelineSite &site) {
  PipelineGroup &group = *pipeline.group;
  OpBuilder b(site.first);
  Location loc = site.first->getLoc();
  auto wait = ConsumerWaitOp::create(b, loc, b.getIndexType(), pipeline.op);
  for (auto [alloc, stageBuffers] :
       llvm::zip(group.buffers, pipeline.stageBuffers)) {
    Value view = createStage(b, loc, stageBuffers, wait.getStage(),
                             alloc.getBuffer().getType())
                     .getView();
    replaceInOps(b, alloc.getBuffer(), view, [&](Operation *user) {
      return site.block->findAncestorOpInBlock(*user) &&
             !isa<AnnotateLayoutOp>(user) &&
             !llvm::is_contained(group.copies, user);
    });
  }
  b.setInsertionPointAfter(site.last);
  ConsumerReleaseOp::create(b, loc, pipeline.op);
}

void mlir::tile::eraseBuffer(Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      eraseBuffer(view.getViewDest());
    else
      user->erase();
  }
  buffer.getDefiningOp()->erase();
}

void WarpSpecializer::createConsumer(WarpSpecializeOp partitions) {
  for (Pipeline &pipeline : pipelines)
    for (PipelineSite &site : pipeline.group->sites)
      useStage(pipeline, site);
  for (Pipeline &pipeline : pipelines) {
    for (Operation *copy : pipeline.group->copies)
      copy->erase();
    for (AllocOp alloc : pipeline.group->buffers)
      eraseBuffer(alloc.getBuffer());
  }
  Block &to = partitions.getConsumer().front();
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    bool stays = staysAtTop(op) && !order.contains(&op);
    bool isConsumers = llvm::any_of(op.getOperands(), [&](Value operand) {
      return operand.getParentBlock() == &to;
    });
    if (!stays || isConsumers)
      op.moveBefore(&to, to.end());
  }
}

WarpSpecializeOp WarpSpecializer::run() {
  // Ask before the program changes.
  for (Operation &op : kernel.getBody().front())
    values.isComputable(&op);
  findOrder();
  createPipelines();
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  auto partitions = WarpSpecializeOp::create(b, kernel.getLoc());
  partitions.getProducer().emplaceBlock();
  partitions.getConsumer().emplaceBlock();
  IRMapping mapping;
  OpBuilder producer = OpBuilder::atBlockEnd(&partitions.getProducer().front());
  createProducer(kernel.getBody().front(), producer, mapping);
  createConsumer(partitions);
  partitions->moveAfter(&kernel.getBody().front().back());
  return partitions;
}

WarpSpecializeOp
mlir::tile::warpSpecialize(KernelOp kernel,
                           MutableArrayRef<PipelineGroup> groups,
                           const ::tile::target::GPUSpec &gpu) {
  return WarpSpecializer(kernel, groups, gpu).run();
}
