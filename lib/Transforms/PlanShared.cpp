//===- PlanShared.cpp - places of shared buffers --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InsertBarriers.h"
#include "Schedule.h"

#include "Tile/Analysis/Hazards.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Transforms/LayoutState.h"
#include "Tile/Transforms/PassTarget.h"
#include "Tile/Transforms/Passes.h"

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
/// A buffer or ring, and when it is live, in numbers of ops.
struct Tenant {
  Operation *op;
  int64_t bytes, align;
  int64_t begin, end;
  int64_t offset = 0;

  bool isLiveWith(const Tenant &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

class SharedPlanner {
public:
  SharedPlanner(KernelOp kernel, const ::tile::target::Target &target)
      : kernel(kernel), target(target), gpu(*target.getGPU()) {}
  LogicalResult run(int64_t scratchBytes);

private:
  void number();
  void collect();
  int64_t getAlignment(AllocOp alloc);
  void findLifetime(Tenant &tenant, bool inLoops);
  void place(bool inLoops);
  LogicalResult reportOverflow(int64_t limit);

  KernelOp kernel;
  const ::tile::target::Target &target;
  const ::tile::target::GPUSpec &gpu;
  /// Each op by its place, and the last place inside of it.
  DenseMap<Operation *, std::pair<int64_t, int64_t>> places;
  /// The accesses of a buffer in program order.
  DenseMap<Value, SmallVector<Operation *>> users;
  SmallVector<Tenant> tenants;
  int64_t total = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

void SharedPlanner::number() {
  int64_t next = 0;
  kernel->walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      places[op] = {next++, 0};
    if (stage.isAfterAllRegions())
      places[op].second = next++;
  });
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ViewLikeOpInterface>(op))
      return;
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        users[getBaseBuffer(operand)].push_back(op);
  });
}

/// The op directly in `block` that holds `op`.
static Operation *getAncestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// Whether the op leaves nothing of what was in the buffer before.
static bool overwrites(Operation *op, Value buffer) {
  auto known = dyn_cast<TileAccessOpInterface>(op);
  if (!known)
    return false;
  SmallVector<Access> accesses;
  known.getAccesses(accesses);
  bool isWritten = false;
  for (const Access &access : accesses) {
    if (getBaseBuffer(access.region.buffer) != buffer)
      continue;
    if (access.kind != AccessKind::Write || access.region.buffer != buffer ||
        access.region.sizes != access.region.getType().getShape())
      return false;
    isWritten = true;
  }
  return isWritten;
}

/// The block in which the life of a buffer is one stretch of ops. With
/// `inLoops`, the body of a loop if no iteration needs what an earlier one
/// left.
static Block *getLifeBlock(Block *block, Value buffer,
                           ArrayRef<Operation *> users, bool inLoops) {
  Operation *first = getAncestorIn(block, users.front());
  bool isAlone = llvm::all_of(users, [&](Operation *user) {
    return getAncestorIn(block, user) == first;
  });
  if (!isAlone || first == users.front())
    return block;
  if (auto roles = dyn_cast<RolesOp>(first)) {
    bool isConsumers = llvm::all_of(users, [&](Operation *user) {
      return roles.getConsumer().isAncestor(user->getParentRegion());
    });
    return isConsumers ? getLifeBlock(&roles.getConsumer().front(), buffer,
                                      users, inLoops)
                       : block;
  }
  if (!inLoops || !isa<PipelinedOp, PersistentOp, LoopLikeOpInterface>(first) ||
      first->getNumRegions() != 1 || isa<ParallelOp>(first))
    return block;
  Block *body = &first->getRegion(0).front();
  if (users.front()->getBlock() != body || !overwrites(users.front(), buffer))
    return block;
  return getLifeBlock(body, buffer, users, inLoops);
}

void SharedPlanner::findLifetime(Tenant &tenant, bool inLoops) {
  // A barrier costs more than these bytes are worth.
  constexpr int64_t kTooSmallToShare = 1024;
  Block *body = &kernel.getBody().front();
  auto alloc = dyn_cast<AllocOp>(tenant.op);
  tenant.begin = places[kernel].first;
  tenant.end = places[kernel].second;
  if (!alloc || tenant.bytes < kTooSmallToShare)
    return;
  ArrayRef<Operation *> accesses = users[alloc.getBuffer()];
  if (accesses.empty()) {
    tenant.begin = tenant.end = places[alloc].first;
    return;
  }
  Block *block = getLifeBlock(body, alloc.getBuffer(), accesses, inLoops);
  tenant.begin = places[getAncestorIn(block, accesses.front())].first;
  tenant.end = places[getAncestorIn(block, accesses.back())].second;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Whether an engine touches the buffer that reads shared memory by itself.
static bool isForEngines(Operation *user) {
  return getAccessEngine(user) == AccessEngine::Proxy;
}

int64_t SharedPlanner::getAlignment(AllocOp alloc) {
  int64_t align = std::max(gpu.vectorBytes, getSwizzlePeriod(alloc));
  if (llvm::any_of(users[alloc.getBuffer()], isForEngines))
    align = std::max(align, getSwizzleAlignment(gpu));
  return llvm::PowerOf2Ceil(align);
}

void SharedPlanner::collect() {
  kernel.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op);
        alloc && getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared)
      tenants.push_back({op, getSharedBytes(alloc), getAlignment(alloc), 0, 0});
    if (auto ring = dyn_cast<RingOp>(op)) {
      int64_t stages = ring.getRing().getType().getStages();
      tenants.push_back(
          {op, stages * gpu.slotBarrierBytes(), gpu.barrierBytes, 0, 0});
    }
  });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The lowest offset at which no buffer that is live at the same time stands.
static int64_t findPlace(const Tenant &tenant, ArrayRef<Tenant *> placed) {
  SmallVector<Tenant *> others;
  for (Tenant *other : placed)
    if (other->isLiveWith(tenant))
      others.push_back(other);
  llvm::sort(others,
             [](Tenant *a, Tenant *b) { return a->offset < b->offset; });
  int64_t offset = 0;
  for (Tenant *other : others) {
    if (offset + tenant.bytes <= other->offset)
      break;
    offset = std::max(offset, int64_t(llvm::alignTo(
                                  other->offset + other->bytes, tenant.align)));
  }
  return offset;
}

void SharedPlanner::place(bool inLoops) {
  for (Tenant &tenant : tenants)
    findLifetime(tenant, inLoops);
  total = 0;
  // The most aligned and largest first, so that small ones fill the gaps.
  SmallVector<Tenant *> order;
  for (Tenant &tenant : tenants)
    order.push_back(&tenant);
  llvm::stable_sort(order, [](Tenant *a, Tenant *b) {
    return std::pair(a->align, a->bytes) > std::pair(b->align, b->bytes);
  });
  SmallVector<Tenant *> placed;
  for (Tenant *tenant : order) {
    tenant->offset = findPlace(*tenant, placed);
    placed.push_back(tenant);
    total = std::max(total, tenant->offset + tenant->bytes);
  }
}

LogicalResult SharedPlanner::reportOverflow(int64_t limit) {
  InFlightDiagnostic diag = kernel.emitOpError()
                            << "needs " << total
                            << " bytes of shared memory, but " << target.name
                            << " has " << limit << " for a block";
  auto *worst =
      llvm::max_element(tenants, [](const Tenant &a, const Tenant &b) {
        return a.offset + a.bytes < b.offset + b.bytes;
      });
  for (const Tenant &tenant : tenants)
    if (tenant.isLiveWith(*worst) && isa<AllocOp>(tenant.op))
      diag.attachNote(tenant.op->getLoc())
          << tenant.bytes << " bytes of " << tenant.op->getResult(0).getType()
          << " are live; use smaller tiles or fewer stages";
  return diag;
}

LogicalResult SharedPlanner::run(int64_t scratchBytes) {
  number();
  collect();
  int64_t limit = gpu.sharedBytesPerBlock - scratchBytes -
                  getScratchBytes(kernel, target);
  place(/*inLoops=*/false);
  if (total > limit)
    place(/*inLoops=*/true);
  if (total > limit)
    return reportOverflow(limit);
  Builder b(kernel.getContext());
  int64_t sum = 0;
  for (const Tenant &tenant : tenants) {
    sum += tenant.bytes;
    IntegerAttr offset = b.getI64IntegerAttr(tenant.offset);
    if (auto alloc = dyn_cast<AllocOp>(tenant.op))
      alloc.setOffsetAttr(offset);
    else
      cast<RingOp>(tenant.op).setOffsetAttr(offset);
  }
  kernel.setSharedBytes(total);
  if (tenants.empty())
    return success();
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Arena").category(kCategory))
      << remark::metric("bytes", total) << remark::metric("buffers", sum);
  insertMissingBarriers(kernel, kCategory);
  return success();
}

namespace {
struct PlanSharedPass : mlir::tile::impl::PlanSharedPassBase<PlanSharedPass> {
  using PlanSharedPassBase::PlanSharedPassBase;

  void runOnOperation() override {
    const ::tile::target::Target *chip = getPassTarget(getOperation(), target);
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
