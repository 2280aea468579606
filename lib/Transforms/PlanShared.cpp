//===- PlanShared.cpp - places of shared buffers --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"

#include "InsertBarriers.h"
#include "Schedule.h"

#include "Tile/Analysis/Hazards.h"
#include "Tile/Analysis/Liveness.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Transforms/ClusterSum.h"
#include "Tile/Transforms/LayoutState.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PLANSHAREDPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral kCategory = "tile-plan-shared";

namespace {
class SharedPlanner {
public:
  SharedPlanner(KernelOp kernel, const ::tile::target::Target &target)
      : kernel(kernel), target(target), gpu(*target.getGPU()),
        positions(kernel) {}
  LogicalResult run(int64_t scratchBytes);
  int64_t getLeastBytes(AllocOp without);

private:
  void collect();
  int64_t getAlignment(AllocOp alloc, ArrayRef<Operation *> users);
  int64_t findEndOfStages(WarpSpecializeOp partitions,
                          ArrayRef<Operation *> users);
  LiveRange findRange(const Placement &item, bool inLoops);
  void place(bool inLoops);
  LogicalResult reportOverflow(int64_t scratchBytes);

  KernelOp kernel;
  const ::tile::target::Target &target;
  const ::tile::target::GPUSpec &gpu;
  Positions positions;
  /// Buffers and pipelines.
  SmallVector<Placement> items;
  /// Whether teams run programs of their own, at the same time.
  bool hasPrograms = false;
  /// Those that have something in all of an iteration once it is scheduled.
  DenseSet<Operation *> staged;
  int64_t total = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Live ranges
//===----------------------------------------------------------------------===//

/// The op directly in `block` that holds `op`.
static Operation *getAncestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// Whether the op writes the whole buffer, or all of a view that leaves nothing
/// out.
static bool overwrites(Operation *op, Value buffer) {
  return isa<TileAccessOpInterface>(op) &&
         redefines(op, buffer, [&](const BufferRegion &region) {
           return region.sizes == region.getType().getShape() &&
                  getBufferBytes(region.getType()) ==
                      getBufferBytes(cast<MemRefType>(buffer.getType()));
         });
}

/// The block of the branch that has all the users; null if there is none.
static Block *getBranch(Operation *op, ArrayRef<Operation *> users) {
  if (!isa<scf::IfOp>(op))
    return nullptr;
  for (Region &region : op->getRegions())
    if (llvm::all_of(users, [&](Operation *user) {
          return region.isAncestor(user->getParentRegion());
        }))
      return &region.front();
  return nullptr;
}

/// The block in which the live range of a buffer is one stretch of ops. With
/// `inLoops`, the body of a loop or branch if no run of it needs what an earlier
/// one left.
static Block *getLiveBlock(Block *block, Value buffer,
                           ArrayRef<Operation *> users, bool inLoops) {
  Operation *first = getAncestorIn(block, users.front());
  bool isAlone = llvm::all_of(users, [&](Operation *user) {
    return getAncestorIn(block, user) == first;
  });
  if (!isAlone || first == users.front())
    return block;
  if (auto partitions = dyn_cast<WarpSpecializeOp>(first)) {
    bool isConsumers = llvm::all_of(users, [&](Operation *user) {
      return partitions.getConsumer().isAncestor(user->getParentRegion());
    });
    return isConsumers ? getLiveBlock(&partitions.getConsumer().front(), buffer,
                                      users, inLoops)
                       : block;
  }
  Block *body = getBranch(first, users);
  bool isLoop =
      isa<PipelinedOp, PersistentOp, LoopLikeOpInterface>(first) &&
      first->getNumRegions() == 1 && !isa<ParallelOp>(first);
  if (!inLoops || (!body && !isLoop))
    return block;
  if (isLoop)
    body = &first->getRegion(0).front();
  if (users.front()->getBlock() == body)
    return overwrites(users.front(), buffer)
               ? getLiveBlock(body, buffer, users, inLoops)
               : block;
  // A loop further in may overwrite the buffer in each of its iterations.
  Block *inner = getLiveBlock(body, buffer, users, inLoops);
  return inner == body ? block : inner;
}

/// Whether each run of the block is one iteration of the loops around it, in
/// order.
static bool isIteration(Block *block, KernelOp kernel) {
  for (Operation *op = block->getParentOp(); op != kernel;
       op = op->getParentOp()) {
    if (auto partitions = dyn_cast<WarpSpecializeOp>(op)) {
      if (!partitions.getConsumer().findAncestorBlockInRegion(*block))
        return false;
    } else if (!isa<PersistentOp, LoopLikeOpInterface>(op) ||
               isa<ParallelOp>(op)) {
      return false;
    }
  }
  return true;
}

/// Where the consumer has read the last of what the producer brings: then no
/// copy is under way, unless the producer goes on to the next point of a
/// domain.
int64_t SharedPlanner::findEndOfStages(WarpSpecializeOp partitions,
                                       ArrayRef<Operation *> users) {
  int64_t end = positions.get(partitions).end;
  bool isPersistent = false;
  kernel.walk([&](PersistentOp) { isPersistent = true; });
  Block &consumer = partitions.getConsumer().front();
  SmallVector<Operation *> readers;
  for (Operation *user : users)
    if (consumer.findAncestorOpInBlock(*user))
      readers.push_back(user);
  if (isPersistent || readers.empty())
    return end;
  // An asynchronous gemm reads until it is waited for.
  consumer.walk([&](Operation *op) {
    if (isa<GemmWaitOp, ConsumerReleaseOp>(op))
      readers.push_back(op);
  });
  return positions.getRange(readers, &consumer).end;
}

/// The ops that need the bytes of a buffer: its users, and the waits for gemms
/// that read it in the meantime.
static SmallVector<Operation *> collectLiveUsers(Value buffer) {
  SmallVector<Operation *> users = collectBufferUsers(buffer);
  for (Operation *user : SmallVector<Operation *>(users)) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm || !gemm.getAsync())
      continue;
    for (Operation *other : collectBufferUsers(getBaseBuffer(gemm.getC())))
      if (isa<GemmWaitOp>(other))
        users.push_back(other);
  }
  return users;
}

LiveRange SharedPlanner::findRange(const Placement &item, bool inLoops) {
  if (isa<ParallelOp>(item.op))
    return positions.get(item.op);
  auto alloc = dyn_cast<AllocOp>(item.op);
  // Teams are at different places of the program.
  if (!alloc || item.bytes < kTooSmallToShare || getConsumers(alloc) > 1 ||
      hasPrograms)
    return positions.get(kernel);
  SmallVector<Operation *> users = collectLiveUsers(alloc.getBuffer());
  if (users.empty())
    return {positions.get(alloc).begin, positions.get(alloc).begin};
  llvm::sort(users, [&](Operation *a, Operation *b) {
    return positions.get(a).begin < positions.get(b).begin;
  });
  // What an iteration allocates holds nothing of the one before.
  Block *outer = inLoops && isIteration(alloc->getBlock(), kernel)
                     ? alloc->getBlock()
                     : &kernel.getBody().front();
  Block *block = getLiveBlock(outer, alloc.getBuffer(), users, inLoops);
  LiveRange range = positions.getRange(users, block);
  auto partitions = dyn_cast<WarpSpecializeOp>(getAncestorIn(block, users[0]));
  if (partitions && llvm::all_of(users, [&](Operation *user) {
        return partitions->isAncestor(user);
      }))
    range.end = std::min(range.end, findEndOfStages(partitions, users));
  return range;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int64_t SharedPlanner::getAlignment(AllocOp alloc,
                                    ArrayRef<Operation *> users) {
  int64_t align = std::max(gpu.vectorBytes, getSwizzlePeriod(alloc));
  if (llvm::any_of(users, runsOnProxy))
    align = std::max(align, getSwizzleAlignment(gpu));
  return llvm::PowerOf2Ceil(align);
}

void SharedPlanner::collect() {
  kernel.walk([&](Operation *op) {
    hasPrograms |= isa<TeamOp>(op);
    if (auto alloc = dyn_cast<AllocOp>(op);
        alloc && getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared)
      items.push_back(
          {op, getSharedBytes(alloc),
           getAlignment(alloc, collectBufferUsers(alloc.getBuffer()))});
    if (auto loop = dyn_cast<ParallelOp>(op);
        loop && loop->hasAttr(kClusterSumAttrName))
      items.push_back({op, getClusterRoomBytes(loop, target), gpu.vectorBytes});
    if (auto pipeline = dyn_cast<CreatePipelineOp>(op)) {
      int64_t stages = pipeline.getPipeline().getType().getStages();
      items.push_back({op, stages * gpu.stageBarrierBytes(), gpu.barrierBytes});
    }
  });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void SharedPlanner::place(bool inLoops) {
  for (Placement &item : items)
    item.range = findRange(item, inLoops && !staged.contains(item.op));
  total = 0;
  // The most aligned and largest first, so that small ones fill the gaps.
  SmallVector<Placement *> order, placed;
  for (Placement &item : items)
    order.push_back(&item);
  llvm::stable_sort(order, [](Placement *a, Placement *b) {
    return std::pair(a->align, a->bytes) > std::pair(b->align, b->bytes);
  });
  for (Placement *item : order) {
    placeLowest(*item, placed);
    placed.push_back(item);
    total = std::max(total, item->offset + item->bytes);
  }
}

LogicalResult SharedPlanner::reportOverflow(int64_t scratchBytes) {
  InFlightDiagnostic diag = kernel.emitOpError()
                            << "needs " << total + scratchBytes
                            << " bytes of shared memory, but " << target.name
                            << " has " << gpu.sharedBytesPerBlock
                            << " for a block";
  if (scratchBytes)
    diag.attachNote() << scratchBytes
                      << " bytes are for exchanges between threads";
  auto *worst =
      llvm::max_element(items, [](const Placement &a, const Placement &b) {
        return a.offset + a.bytes < b.offset + b.bytes;
      });
  for (const Placement &item : items)
    if (item.range.overlaps(worst->range) && isa<AllocOp>(item.op))
      diag.attachNote(item.op->getLoc())
          << item.bytes << " bytes of " << item.op->getResult(0).getType()
          << " are live; use smaller tiles or fewer stages";
  return diag;
}

LogicalResult SharedPlanner::run(int64_t scratchBytes) {
  collect();
  scratchBytes += getScratchBytes(kernel, target);
  int64_t limit = gpu.sharedBytesPerBlock - scratchBytes;
  place(/*inLoops=*/false);
  if (total > limit)
    place(/*inLoops=*/true);
  if (total > limit)
    return reportOverflow(scratchBytes);
  Builder b(kernel.getContext());
  int64_t sum = 0;
  for (const Placement &item : items) {
    sum += item.bytes;
    IntegerAttr offset = b.getI64IntegerAttr(item.offset);
    if (auto alloc = dyn_cast<AllocOp>(item.op))
      alloc.setOffsetAttr(offset);
    else if (isa<ParallelOp>(item.op))
      item.op->setAttr(kClusterRoomAttrName, offset);
    else
      cast<CreatePipelineOp>(item.op).setOffsetAttr(offset);
  }
  kernel.setSharedBytes(total);
  boundRegisters(kernel, target, total + scratchBytes);
  if (items.empty())
    return success();
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Arena").category(kCategory))
      << remark::metric("bytes", total) << remark::metric("buffers", sum);
  insertMissingBarriers(kernel, kCategory);
  return success();
}

int64_t SharedPlanner::getLeastBytes(AllocOp without) {
  collect();
  llvm::erase_if(items, [&](const Placement &item) {
    return item.op == without.getOperation();
  });
  kernel.walk([&](CopyOp copy) {
    if (isa<PipelinedOp>(copy->getParentOp()) &&
        getMemorySpace(copy.getSource()) == MemorySpace::Global)
      staged.insert(copy.getTarget().getDefiningOp());
  });
  place(/*inLoops=*/true);
  return total + getScratchBytes(kernel, target);
}

int64_t mlir::tile::getLeastSharedBytes(KernelOp kernel,
                                        const ::tile::target::Target &target,
                                        AllocOp without) {
  return SharedPlanner(kernel, target).getLeastBytes(without);
}

namespace {
struct PlanSharedPass : mlir::tile::impl::PlanSharedPassBase<PlanSharedPass> {
  using PlanSharedPassBase::PlanSharedPassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    if (scratchBytes < 0) {
      getOperation()->emitError()
          << "expected 'scratch-bytes' not to be negative, got "
          << scratchBytes.getValue();
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      return SharedPlanner(kernel, *chip).run(scratchBytes).failed()
                 ? WalkResult::interrupt()
                 : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
