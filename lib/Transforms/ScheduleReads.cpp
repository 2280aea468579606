//===- ScheduleReads.cpp - factors of sums, read beside products ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that add up what products gave may read factors of rows from a stage,
// as scales of blocks. What a thread needs of them are a few registers, so it
// reads them while the products run. Then neither shared memory nor the fence
// of the release stands behind the wait for the sums, and the stage is given
// back earlier.
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"
#include "Schedule.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

/// What a tile may take of a thread's registers until the products end: the
/// rows of two instructions.
static constexpr int64_t kMostRegisters = 4;

/// The first product whose sums the loop touches; null if none runs before it.
static GemmOp findProduct(ParallelOp loop, ArrayRef<GemmOp> gemms) {
  for (GemmOp gemm : gemms)
    if (gemm->isBeforeInBlock(loop) && conflictsWith(loop, gemm))
      return gemm;
  return {};
}

/// The wait for the stage that the load reads by a variable of the loop alone,
/// if nothing but loads use the stage.
static ConsumerWaitOp findWait(memref::LoadOp load, ParallelOp loop) {
  auto stage = load.getMemref().getDefiningOp<StageOp>();
  if (!stage || stage->getBlock() != loop->getBlock() ||
      load.getIndices().size() != 1 ||
      !llvm::all_of(stage->getUsers(), llvm::IsaPred<memref::LoadOp>))
    return {};
  auto number = dyn_cast<BlockArgument>(load.getIndices().front());
  if (!number || number.getOwner() != &loop.getBody().front() ||
      loop.getStaticExtents()[number.getArgNumber()] !=
          load.getMemRefType().getDimSize(0))
    return {};
  auto wait = stage.getIndex().getDefiningOp<ConsumerWaitOp>();
  return wait && wait->getBlock() == loop->getBlock() ? wait : nullptr;
}

/// A fragment of which each thread holds what it reads; null if that is much.
static Value createFragment(memref::LoadOp load, ParallelOp loop) {
  unsigned dim = cast<BlockArgument>(load.getIndices().front()).getArgNumber();
  auto layout = getLayoutFromLoop(
      {load, load.getMemref(), {int(dim)}, /*reads=*/true, /*writes=*/false},
      getTileLayout(loop.getLayoutAttr()));
  if (!layout || layout->axisSize(::tile::layout::Axis::Reg) > kMostRegisters)
    return {};
  MLIRContext *context = load.getContext();
  MemRefType read = load.getMemRefType();
  auto type =
      MemRefType::get(read.getShape(), read.getElementType(), AffineMap(),
                      MemorySpaceAttr::get(context, MemorySpace::Fragment));
  OpBuilder b = OpBuilder::atBlockBegin(
      &loop->getParentOfType<KernelOp>().getBody().front());
  LayoutAttr attr = mlir::tile::getLayoutAttr([&] { return loop.emitError(); },
                                              context, *layout);
  return AllocOp::create(b, load.getLoc(), type, attr, IntegerAttr());
}

/// Reads the stage into the fragment, in front of `place`.
static void readAll(Operation *place, Value stage, AllocOp fragment) {
  OpBuilder b(place);
  Location loc = fragment.getLoc();
  auto loop = ParallelOp::create(b, loc, ValueRange(),
                                 cast<MemRefType>(stage.getType()).getShape(),
                                 IntegerAttr(), fragment.getLayoutAttr());
  Block *body =
      b.createBlock(&loop.getBody(), {}, TypeRange{b.getIndexType()}, loc);
  Value element = memref::LoadOp::create(b, loc, stage, body->getArguments());
  memref::StoreOp::create(b, loc, element, fragment.getBuffer(),
                          body->getArguments());
}

/// How many stages the loop reads in front of `gemm` now.
static int64_t readBefore(GemmOp gemm, ParallelOp loop) {
  int64_t count = 0;
  if (!loop.getLayoutAttr())
    return 0;
  for (auto load :
       llvm::make_early_inc_range(loop.getBody().getOps<memref::LoadOp>())) {
    ConsumerWaitOp wait = findWait(load, loop);
    Value fragment = wait ? createFragment(load, loop) : Value();
    if (!fragment)
      continue;
    auto stage = load.getMemref().getDefiningOp<StageOp>();
    for (Operation *op : {wait.getOperation(), stage.getOperation()})
      if (gemm->isBeforeInBlock(op))
        op->moveBefore(gemm);
    readAll(gemm, stage.getView(), fragment.getDefiningOp<AllocOp>());
    load.getMemrefMutable().assign(fragment);
    ++count;
  }
  return count;
}

/// The last op of the wait's block that uses a stage of it, or a view of one;
/// null if that is not known.
static Operation *findLastUse(ConsumerWaitOp wait) {
  Operation *last = wait;
  SmallVector<Operation *> buffers(wait.getStage().getUsers());
  if (!llvm::all_of(buffers, llvm::IsaPred<StageOp>))
    return nullptr;
  while (!buffers.empty())
    for (Operation *user : buffers.pop_back_val()->getUsers()) {
      Operation *here = wait->getBlock()->findAncestorOpInBlock(*user);
      if (!here)
        return nullptr;
      if (last->isBeforeInBlock(here))
        last = here;
      if (isa<ViewLikeOpInterface>(user))
        buffers.push_back(user);
    }
  return last;
}

/// Gives stages of which threads have read everything back at once.
static void giveBack(PipelinedOp loop) {
  Block &body = loop.getBody().front();
  for (auto release :
       llvm::make_early_inc_range(body.getOps<ConsumerReleaseOp>())) {
    auto isSame = [&](auto op) {
      return op.getPipeline() == release.getPipeline();
    };
    auto waits = llvm::filter_to_vector(body.getOps<ConsumerWaitOp>(), isSame);
    Operation *last = waits.size() == 1 ? findLastUse(waits.front()) : nullptr;
    if (isa_and_nonnull<ParallelOp>(last) && last->isBeforeInBlock(release) &&
        llvm::count_if(body.getOps<ConsumerReleaseOp>(), isSame) == 1)
      release->moveAfter(last);
  }
}

/// Whether the producer is an iteration ahead in each pipeline, so that it does
/// not matter in which order the consumer waits for them.
static bool isAhead(PipelinedOp loop) {
  return llvm::all_of(loop.getBody().getOps<ConsumerWaitOp>(),
                      [](ConsumerWaitOp wait) {
                        return wait.getPipeline().getType().getStages() > 1;
                      });
}

void mlir::tile::readStagesEarly(PipelinedOp loop) {
  auto gemms = llvm::filter_to_vector(loop.getBody().getOps<GemmOp>(),
                                      [](GemmOp g) { return isAsyncGemm(g); });
  bool isByHand = llvm::any_of(gemms, [](GemmOp g) { return g.getAsync(); });
  if (gemms.size() < 2 || isByHand || !isAhead(loop))
    return;
  int64_t count = 0;
  SmallVector<ParallelOp> loops(loop.getBody().getOps<ParallelOp>());
  for (ParallelOp parallel : loops)
    if (GemmOp gemm = findProduct(parallel, gemms))
      count += readBefore(gemm, parallel);
  if (count == 0)
    return;
  giveBack(loop);
  remark::passed(
      loop.getLoc(),
      remark::RemarkOpts::name("EarlyReads").category(kScheduleCategory))
      << remark::metric("reads", count);
}
