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
// back earlier. So are entries of lists and the like read that loops between
// start and end of products make something of: while these run, shared memory
// answers late.
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"
#include "Occupancy.h"
#include "Schedule.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

/// What factors of sums may take of a thread's registers until the products
/// end: the rows of two instructions.
static constexpr int64_t kMostRegisters = 4;

/// The first product whose sums the loop touches; null if none runs before it.
static GemmOp findProduct(ParallelOp loop, ArrayRef<GemmOp> gemms) {
  for (GemmOp gemm : gemms)
    if (gemm->isBeforeInBlock(gemm->getBlock()->findAncestorOpInBlock(*loop)) &&
        conflictsWith(loop, gemm))
      return gemm;
  return {};
}

/// The wait for the stage that the load reads by a variable of the loop alone,
/// if nothing but loads use the stage. Both stand in the block.
static ConsumerWaitOp findWait(memref::LoadOp load, ParallelOp loop,
                               Block *block) {
  auto stage = load.getMemref().getDefiningOp<StageOp>();
  if (!stage || stage->getBlock() != block || load.getIndices().size() != 1 ||
      !llvm::all_of(stage->getUsers(), llvm::IsaPred<memref::LoadOp>))
    return {};
  auto number = dyn_cast<BlockArgument>(load.getIndices().front());
  if (!number || number.getOwner() != &loop.getBody().front() ||
      loop.getStaticExtents()[number.getArgNumber()] !=
          load.getMemRefType().getDimSize(0))
    return {};
  auto wait = stage.getIndex().getDefiningOp<ConsumerWaitOp>();
  return wait && wait->getBlock() == block ? wait : nullptr;
}

/// Registers of a thread that the loop fills anew: what it reads early takes
/// their place until then.
static int64_t countFilled(ParallelOp loop) {
  int64_t count = 0;
  for (auto store : loop.getBody().getOps<memref::StoreOp>()) {
    auto alloc = store.getMemref().getDefiningOp<AllocOp>();
    if (alloc && alloc.getLayoutAttr() &&
        getMemorySpace(alloc.getBuffer()) == MemorySpace::Fragment &&
        llvm::equal(store.getIndices(), loop.getBody().getArguments()))
      count += getTileLayout(alloc.getLayoutAttr())
                   .axisSize(::tile::layout::Axis::Reg);
  }
  return count;
}

/// The stage that a buffer is, or is a view of.
static StageOp findStage(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto stage = dyn_cast<StageOp>(view.getOperation()))
      return stage;
    buffer = view.getViewSource();
  }
  return {};
}

/// Whether the loop goes on with a fragment for which another loop, behind
/// `gemm`, reads the same stage, as one that scales what was converted does.
/// Reading early then gives nothing back earlier, and the release would part
/// the two.
static bool goesOnWithStage(ParallelOp loop, GemmOp gemm, ConsumerWaitOp wait) {
  for (auto load : loop.getBody().getOps<memref::LoadOp>()) {
    if (!load.getMemref().getDefiningOp<AllocOp>())
      continue;
    for (Operation *user : load.getMemref().getUsers()) {
      auto other = dyn_cast<ParallelOp>(user->getParentOp());
      if (!isa<memref::StoreOp>(user) || !other ||
          other->getBlock() != gemm->getBlock() ||
          !gemm->isBeforeInBlock(other) ||
          loop->getBlock() != other->getBlock() ||
          !other->isBeforeInBlock(loop))
        continue;
      for (auto read : other.getBody().getOps<memref::LoadOp>())
        if (StageOp stage = findStage(read.getMemref());
            stage && stage.getIndex() == wait.getStage())
          return true;
    }
  }
  return false;
}

/// A fragment of which each thread holds what it reads; null if that is more
/// than `most` registers.
static Value createFragment(memref::LoadOp load, ParallelOp loop,
                            int64_t most) {
  unsigned dim = cast<BlockArgument>(load.getIndices().front()).getArgNumber();
  auto layout = getLayoutFromLoop(
      {load, load.getMemref(), {int(dim)}, /*reads=*/true, /*writes=*/false},
      getTileLayout(loop.getLayoutAttr()));
  if (!layout || layout->axisSize(::tile::layout::Axis::Reg) > most)
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
static int64_t readBefore(GemmOp gemm, ParallelOp loop, int64_t most) {
  int64_t count = 0;
  if (!loop.getLayoutAttr())
    return 0;
  DenseMap<std::pair<Value, Value>, Value> fragments;
  for (auto load :
       llvm::make_early_inc_range(loop.getBody().getOps<memref::LoadOp>())) {
    ConsumerWaitOp wait = findWait(load, loop, gemm->getBlock());
    if (!wait || goesOnWithStage(loop, gemm, wait))
      continue;
    auto stage = load.getMemref().getDefiningOp<StageOp>();
    Value &fragment = fragments[{stage.getView(), load.getIndices().front()}];
    if (!fragment) {
      fragment = createFragment(load, loop, most);
      if (!fragment)
        continue;
      for (Operation *op : {wait.getOperation(), stage.getOperation()})
        if (gemm->isBeforeInBlock(op))
          op->moveBefore(gemm);
      readAll(gemm, stage.getView(), fragment.getDefiningOp<AllocOp>());
      ++count;
    }
    load.getMemrefMutable().assign(fragment);
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

/// Loops of the body, in branches, too.
static SmallVector<ParallelOp> collectLoops(Block &body) {
  SmallVector<ParallelOp> loops;
  for (Operation &op : body) {
    if (auto loop = dyn_cast<ParallelOp>(op))
      loops.push_back(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region &region : branch->getRegions())
        if (!region.empty())
          llvm::append_range(loops, collectLoops(region.front()));
  }
  return loops;
}

int64_t mlir::tile::readStagesEarly(PipelinedOp loop) {
  auto gemms = llvm::filter_to_vector(loop.getBody().getOps<GemmOp>(),
                                      [](GemmOp g) { return isAsyncGemm(g); });
  bool isByHand = llvm::any_of(gemms, [](GemmOp g) { return g.getAsync(); });
  if (gemms.size() < 2 || isByHand || !isAhead(loop))
    return 0;
  Block &body = loop.getBody().front();
  auto kernel = loop->getParentOfType<KernelOp>();
  int64_t count = 0, replaced = 0;
  for (ParallelOp parallel : collectLoops(body)) {
    Operation *place = body.findAncestorOpInBlock(*parallel);
    if (GemmOp gemm = findProduct(parallel, gemms)) {
      if (place == parallel)
        count += readBefore(gemm, parallel, kMostRegisters);
    } else if (gemms.front()->isBeforeInBlock(place)) {
      int64_t before = countFragmentRegisters(kernel);
      count += readBefore(gemms.front(), parallel, countFilled(parallel));
      replaced += countFragmentRegisters(kernel) - before;
    }
  }
  if (count == 0)
    return 0;
  giveBack(loop);
  remark::passed(
      loop.getLoc(),
      remark::RemarkOpts::name("EarlyReads").category(kScheduleCategory))
      << remark::metric("reads", count);
  return replaced;
}
