//===- Schedule.cpp - software pipelining ---------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "MissedRemark.h"
#include "Occupancy.h"
#include "SelectInstructions.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Analysis/Liveness.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Transforms/AsyncCopy.h"
#include "Tile/Transforms/ClusterSum.h"
#include "Tile/Transforms/Consumers.h"
#include "Tile/Transforms/LayoutState.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Feature;

namespace {
class KernelScheduler {
public:
  KernelScheduler(KernelOp kernel, const ::tile::target::Target &target,
                  int64_t scratchBytes)
      : kernel(kernel), target(target), gpu(*target.getGPU()),
        scratchBytes(scratchBytes) {}
  LogicalResult run();

private:
  LogicalResult readOrders();
  LogicalResult dropTensorCopy(CopyOp copy, StringRef reason);
  LogicalResult schedulePipelines();
  void scheduleGroups();
  void schedule(PipelinedOp loop, PipelineGroup &group);
  bool fitsRegisters(const PipelineGroup &group);
  void fitStages(MutableArrayRef<PipelineGroup> groups, bool startInLoops);
  void setRegisters(WarpSpecializeOp partitions);
  void overlapLoops(WarpSpecializeOp partitions);
  std::string findObstacle();
  void report(PipelinedOp loop, StringRef reason);

  KernelOp kernel;
  const ::tile::target::Target &target;
  const ::tile::target::GPUSpec &gpu;
  int64_t scratchBytes;
};
} // namespace

static bool isSharedLoad(Operation *op) { return bool(getLoadedTile(op)); }

//===----------------------------------------------------------------------===//
// Schedules by hand
//===----------------------------------------------------------------------===//

/// The number of stages that `order` and `stage` mean; none if they mean
/// something else.
static std::optional<int64_t> getStagesByHand(PipelinedOp loop) {
  ArrayRef<int64_t> order = *loop.getOrder(), stage = *loop.getStage();
  int64_t last = llvm::is_sorted(order) ? 0 : -1;
  for (auto [op, number] : llvm::zip(loop.getSchedulableOps(), stage)) {
    if (isSharedLoad(op) ? number != 0 : number == 0)
      return std::nullopt;
    if (isSharedLoad(op))
      continue;
    if (last != 0 && number != last)
      return std::nullopt;
    last = number;
  }
  return last > 0 ? std::optional(last + 1) : std::nullopt;
}

LogicalResult KernelScheduler::readOrders() {
  WalkResult result = kernel.walk([&](PipelinedOp loop) {
    if (!loop.getOrder())
      return WalkResult::advance();
    std::optional<int64_t> stages = getStagesByHand(loop);
    if (!stages) {
      loop.emitOpError("cannot follow 'order' and 'stage': expected the copies "
                       "to shared memory in stage 0 and all other ops in one "
                       "later stage, in the order of the program");
      return WalkResult::interrupt();
    }
    loop.setStages(*stages);
    loop.removeOrderAttr();
    loop.removeStageAttr();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

/// Whether a buffer lives behind all uses of the stages, or before the loops
/// that fill them if these `startInLoops`. A producer starts before.
static bool livesOutside(AllocOp alloc, ArrayRef<PipelineGroup> groups,
                         bool startInLoops) {
  if (getSharedBytes(alloc) < kTooSmallToShare)
    return false;
  Block *block = alloc->getBlock();
  SmallVector<Operation *> users = collectBufferUsers(alloc.getBuffer());
  auto isOutside = [&](const PipelineSite &site) {
    Operation *parent = site.block->getParentOp();
    Operation *last = block->findAncestorOpInBlock(*parent);
    if (site.block == block && isa<KernelOp>(parent))
      last = site.last;
    if (!last)
      return false;
    auto isBefore = [&](Operation *user) {
      return block->findAncestorOpInBlock(*user)->isBeforeInBlock(last);
    };
    auto isBehind = [&](Operation *user) {
      return last->isBeforeInBlock(block->findAncestorOpInBlock(*user));
    };
    return (startInLoops && llvm::all_of(users, isBefore)) ||
           llvm::all_of(users, isBehind);
  };
  return llvm::all_of(groups, [&](const PipelineGroup &group) {
    return llvm::all_of(group.sites, isOutside);
  });
}

/// Takes stages away until the shared memory of a block holds all buffers.
void KernelScheduler::fitStages(MutableArrayRef<PipelineGroup> groups,
                                bool startInLoops) {
  DenseSet<Operation *> slotted;
  for (PipelineGroup &group : groups)
    for (AllocOp alloc : group.buffers)
      slotted.insert(alloc);
  int64_t others = scratchBytes + getScratchBytes(kernel, target);
  // What tile-plan-shared may place where the stages are.
  int64_t outside = 0;
  kernel.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getBuffer()) != MemorySpace::Shared ||
        slotted.contains(alloc))
      return;
    bool shares = livesOutside(alloc, groups, startInLoops);
    (shares ? outside : others) +=
        llvm::alignTo(getSharedBytes(alloc), gpu.vectorBytes);
  });
  kernel.walk([&](ParallelOp loop) {
    if (loop->hasAttr(kClusterSumAttrName))
      outside = std::max(outside, getClusterRoomBytes(loop, target));
  });
  auto getBytes = [&](const PipelineGroup &group) {
    int64_t bytes = gpu.stageBarrierBytes();
    for (AllocOp alloc : group.buffers)
      bytes += getStageBytes(alloc, gpu);
    return bytes;
  };
  while (true) {
    int64_t staged = 0;
    PipelineGroup *largest = nullptr;
    for (PipelineGroup &group : groups) {
      staged += group.stages * getBytes(group);
      if (group.stages > 1 && (!largest || group.stages > largest->stages ||
                               (group.stages == largest->stages &&
                                getBytes(group) > getBytes(*largest))))
        largest = &group;
    }
    int64_t total = others + std::max(staged, outside);
    if (total <= gpu.sharedBytesPerBlock || !largest)
      return;
    --largest->stages;
    remark::missed(
        largest->copies.front()->getLoc(),
        remark::RemarkOpts::name("Stages").category(kScheduleCategory))
        << remark::reason("{0} bytes do not fit into {1}; {2} stages are left",
                          total, gpu.sharedBytesPerBlock, largest->stages);
  }
}

static bool hasGathers(Region &producer) {
  return producer.walk([](GatherOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The warpgroup of the producer gives registers to those of the consumer.
void KernelScheduler::setRegisters(WarpSpecializeOp partitions) {
  int64_t group = gpu.groupThreads();
  int64_t threads = kernel.getThreads() * getConsumers(partitions);
  if (!target.has(Feature::SetMaxNReg) || threads % group != 0 ||
      threads == group)
    return;
  int64_t granule = gpu.registerGranule;
  auto roundDown = [&](int64_t count) { return count / granule * granule; };
  int64_t even = roundDown(getRegistersOfBlock(kernel, gpu) / (threads + group));
  // Warpgroups share what the block was launched with: more is waited for.
  int64_t launched = even * (threads + group);
  int64_t needed = countFragmentRegisters(kernel) + kOtherRegisters;
  Region &producer = partitions.getProducer();
  int64_t least = getLeastProducerRegisters(gpu, producer);
  // Of less than that, a producer has nothing to give.
  if (needed <= even || even < least)
    return;
  SmallVector<int64_t> budgets{least + 2 * granule, least};
  if (hasGathers(producer))
    budgets.insert(budgets.begin(), least + 6 * granule);
  for (int64_t given : budgets) {
    int64_t consumer = roundDown((launched - given * group) / threads);
    consumer = std::min(consumer, roundDown(gpu.maxRegistersPerThread));
    if (needed > consumer && given != budgets.back())
      continue;
    // What rounding leaves is the producer's.
    partitions.setProducerRegisters(
        roundDown((launched - consumer * threads) / group));
    partitions.setConsumerRegisters(consumer);
    return;
  }
}

static Operation *getOp(OpFoldResult number) {
  auto value = dyn_cast<Value>(number);
  return value ? value.getDefiningOp() : nullptr;
}

/// Whether `end - begin <= 1`, by at most so many steps. A system knows no lower
/// bound of a minimum and no upper one of a maximum: each operand has to be one.
static bool differByOneAtMost(OpFoldResult begin, OpFoldResult end,
                              int64_t &steps) {
  if (--steps < 0)
    return false;
  auto isEnd = [&](Value operand) {
    return differByOneAtMost(begin, operand, steps);
  };
  auto isBegin = [&](Value operand) {
    return differByOneAtMost(operand, end, steps);
  };
  Operation *first = getOp(begin), *last = getOp(end);
  if (isa_and_nonnull<arith::MaxSIOp>(last))
    return llvm::all_of(last->getOperands(), isEnd);
  if (isa_and_nonnull<arith::MinSIOp>(first))
    return llvm::all_of(first->getOperands(), isBegin);
  if ((isa_and_nonnull<arith::MaxSIOp>(first) &&
       llvm::any_of(first->getOperands(), isBegin)) ||
      (isa_and_nonnull<arith::MinSIOp>(last) &&
       llvm::any_of(last->getOperands(), isEnd)))
    return true;
  AccessSystem longer(begin.getContext());
  AffineExpr from = longer.getExpr(begin, /*instance=*/0);
  AffineExpr to = longer.getExpr(end, /*instance=*/0);
  if (!from || !to)
    return false;
  longer.addNonNegative(to - from - 2);
  return longer.isEmpty();
}

/// Two gemms in flight keep all their fragments in registers.
void KernelScheduler::overlapLoops(WarpSpecializeOp partitions) {
  int64_t replaced = 0;
  partitions.getConsumer().walk(
      [&](PipelinedOp loop) { replaced += readStagesEarly(loop); });
  // Addresses and temporary values beside the fragments, at the least, as
  // measured: 4 fewer than operands leave before layouts copy rows to lanes.
  constexpr int64_t kBesideFragments = kLeastBeside - 4;
  int64_t threads = kernel.getThreads();
  int64_t budget = partitions.getConsumerRegisters();
  if (budget == 0)
    budget = std::min(getRegistersOfBlock(kernel, gpu) /
                          (threads + target.getProducerThreads()),
                      gpu.maxRegistersPerThread);
  int64_t needed = countFragmentRegisters(kernel) - replaced + kBesideFragments;
  auto findObstacle = [&]() -> std::string {
    if (needed <= budget)
      return "";
    return llvm::formatv("its gemms need {0} registers, a thread has {1}",
                         needed, budget);
  };
  unrollGemms(partitions);
  SmallVector<PipelinedOp> loops;
  partitions.getConsumer().walk(
      [&](PipelinedOp loop) { loops.push_back(loop); });
  for (PipelinedOp loop : loops) {
    auto findObstacleOfLoop = [&]() -> std::string {
      SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
      int64_t steps = 16;
      if (differByOneAtMost(bounds[0], bounds[1], steps))
        return "it has one iteration at most";
      return findObstacle();
    };
    if (!overlapGemms(loop, threads / gpu.groupThreads(), findObstacleOfLoop) &&
        !rotateGemms(loop, findObstacleOfLoop))
      startGemms(loop);
  }
  unrollIterations(partitions);
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Why the kernel cannot have a producer; empty if it can.
std::string KernelScheduler::findObstacle() {
  if (!target.has(Feature::MBarrierTx) || !gpu.tma)
    return (target.name + " has no transaction-count barriers").str();
  int64_t threads = kernel.getThreads();
  if (threads + target.getProducerThreads() > gpu.maxThreadsPerBlock)
    return llvm::formatv("{0} threads leave no room for a producer", threads);
  return "";
}

/// Makes an ordinary copy of a tensor copy.
LogicalResult KernelScheduler::dropTensorCopy(CopyOp copy, StringRef reason) {
  if (copy.getPrefer() == Instruction::TMA)
    return copy.emitOpError() << "cannot use a tensor copy: " << reason;
  copy.removeInstructionAttr();
  if (TransferAttr choice = selectThreadCopy(copy, target))
    copy.setInstructionAttr(choice);
  remarkMissed(
      copy, remark::RemarkOpts::name("TensorCopy").category(kScheduleCategory))
      << remark::reason("{0}", reason);
  return success();
}

/// Whether a producer pays for the copies of a group. What threads gather for
/// themselves runs ahead without one; while they wait for gemms, it does not.
static bool isWorthProducer(const PipelineGroup &group) {
  auto tensorCopies = llvm::make_filter_range(
      group.copies, [](Operation *op) { return isa<CopyOp>(op); });
  if (group.stages > 1)
    return !tensorCopies.empty() || llvm::any_of(group.buffers, isReadInFlight);
  return llvm::any_of(tensorCopies, [](Operation *copy) {
    return cast<CopyOp>(copy).getPrefer() == Instruction::TMA;
  });
}

LogicalResult KernelScheduler::schedulePipelines() {
  PipelineRefusals refusals;
  std::string obstacle = findObstacle();
  if (obstacle.empty())
    pairProducts(kernel, target);
  SmallVector<PipelineGroup> groups = planPipelines(kernel, refusals);
  bool isWorthIt = llvm::any_of(groups, isWorthProducer);
  if (obstacle.empty() && !isWorthIt)
    obstacle = "no pipelined loop hides it";
  if (!obstacle.empty()) {
    for (PipelineGroup &group : groups)
      for (Operation *copy : group.copies)
        refusals.emplace_back(copy, obstacle);
    groups.clear();
  }
  for (auto &[op, reason] : refusals) {
    auto copy = dyn_cast<CopyOp>(op);
    if (copy && failed(dropTensorCopy(copy, reason)))
      return failure();
    // Without a producer, gathers run ahead of their loop.
    if (!copy && !groups.empty())
      remarkMissed(op, remark::RemarkOpts::name("GatherProducer")
                           .category(kScheduleCategory))
          << remark::reason("{0}", reason);
  }
  if (groups.empty())
    return success();
  bool takesTurns = planPingPong(kernel, groups, target, scratchBytes);
  fitStages(groups, /*startInLoops=*/false);
  DenseSet<Operation *> pipelined;
  for (PipelineGroup &group : groups)
    for (PipelineSite &site : group.sites)
      if (auto loop = dyn_cast<PipelinedOp>(site.block->getParentOp()))
        pipelined.insert(loop);
  int64_t numCopies = 0;
  for (PipelineGroup &group : groups)
    numCopies += group.copies.size();
  WarpSpecializeOp partitions = warpSpecialize(kernel, groups, gpu);
  partitions.getProducer().walk([](PipelinedOp loop) { loop.setStages(1); });
  partitions.getConsumer().walk([&](PipelinedOp loop) {
    if (pipelined.contains(loop))
      loop.setStages(1);
  });
  if (takesTurns)
    startPingPong(partitions);
  setRegisters(partitions);
  if (!takesTurns)
    overlapLoops(partitions);
  remark::passed(kernel.getLoc(), remark::RemarkOpts::name("WarpSpecialization")
                                      .category(kScheduleCategory))
      << remark::metric("pipelines", groups.size())
      << remark::metric("copies", numCopies)
      << remark::metric("producer_registers", partitions.getProducerRegisters())
      << remark::metric("consumer_registers",
                        partitions.getConsumerRegisters());
  return success();
}

//===----------------------------------------------------------------------===//
// Groups of copies
//===----------------------------------------------------------------------===//

void KernelScheduler::report(PipelinedOp loop, StringRef reason) {
  remarkMissed(loop,
               remark::RemarkOpts::name("Pipeline").category(kScheduleCategory))
      << remark::reason("{0}", reason);
}

/// Whether the copies of a loop run ahead in groups. Where registers could hold
/// the tiles ahead as well, they hold all of them unless each copy is
/// asynchronous, or was asked to be: the others would run ahead no longer.
static bool runsInGroups(PipelinedOp loop,
                         const ::tile::target::Target &target) {
  if (!llvm::any_of(target.copies, isLinearCopy))
    return hasAsyncCopies(target);
  SmallVector<CopyOp> async;
  bool isMixed = false, isAsked = false;
  for (CopyOp copy : loop.getBody().getOps<CopyOp>()) {
    if (!isSharedLoad(copy))
      continue;
    TransferAttr choice = copy.getInstructionAttr();
    bool isAsync = choice && choice.getFamily() == Instruction::CpAsync;
    if (isAsync)
      async.push_back(copy);
    isMixed |= !isAsync;
    isAsked |= isAsync && copy.getPrefer();
  }
  if (!isMixed || isAsked)
    return !async.empty();
  for (CopyOp copy : async) {
    copy.setInstructionAttr(
        TransferAttr::get(copy.getContext(), Instruction::Sync,
                          copy.getInstructionAttr().getBytes()));
    remarkMissed(
        copy, remark::RemarkOpts::name("AsyncCopy").category(kScheduleCategory))
        << remark::reason("{0}", "another copy of the loop goes through "
                                 "registers");
  }
  return false;
}

/// Loads ahead must not make the fragments spill.
bool KernelScheduler::fitsRegisters(const PipelineGroup &group) {
  int64_t threads = kernel.getThreads();
  int64_t available =
      std::min(gpu.maxRegistersPerThread, gpu.maxRegistersPerBlock / threads);
  return countFragmentRegisters(kernel) +
             countPrefetchRegisters(group, threads) + kOtherRegisters <=
         available;
}

void KernelScheduler::schedule(PipelinedOp loop, PipelineGroup &group) {
  // A group has copies of one family.
  auto choice =
      group.copies.front()->getAttrOfType<TransferAttr>("instruction");
  bool isAsync = choice && choice.getFamily() == Instruction::CpAsync;
  if (isAsync && group.stages < 2)
    return report(loop, "two stages do not fit into shared memory");
  if (!isAsync && !fitsRegisters(group))
    return report(loop, "the registers do not hold the next tiles, too");
  for (Operation *copy : group.copies) {
    if (isAsync)
      break;
    if (auto layout = getPrefetchLayout(cast<CopyOp>(copy), target); !layout)
      return report(loop, "a tile cannot be loaded ahead: " + layout.reason());
  }
  remark::passed(loop.getLoc(),
                 remark::RemarkOpts::name(isAsync ? "Groups" : "Prefetch")
                     .category(kScheduleCategory))
      << remark::metric("stages", group.stages)
      << remark::metric("copies", group.copies.size());
  if (isAsync)
    expandStages(loop, group, gpu);
  else
    expandPrefetch(loop, group, target);
}

void KernelScheduler::scheduleGroups() {
  SmallVector<PipelinedOp> loops;
  kernel.walk([&](PipelinedOp loop) {
    // What a producer loads in a branch of the loop is gone from here.
    bool loads = !loop->getParentOfType<WarpSpecializeOp>() ||
                 loop.walk([](CopyOp copy) {
                       return isSharedLoad(copy) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
                     })
                     .wasInterrupted();
    if (loop.getStages() > 1 && loads)
      loops.push_back(loop);
  });
  SmallVector<PipelineGroup> groups;
  for (PipelinedOp loop : loops) {
    std::string reason;
    bool isAsync = runsInGroups(loop, target);
    std::optional<PipelineGroup> group = planGroup(
        loop, isAsync ? Instruction::CpAsync : Instruction::Sync, reason);
    if (!group) {
      report(loop, reason);
      continue;
    }
    // Registers hold one tile ahead.
    if (!isAsync)
      group->stages = std::min<int64_t>(group->stages, 2);
    groups.push_back(*group);
  }
  fitStages(groups, /*startInLoops=*/true);
  for (PipelineGroup &group : groups) {
    Block *body = group.sites.front().block;
    schedule(cast<PipelinedOp>(body->getParentOp()), group);
  }
}

LogicalResult KernelScheduler::run() {
  bool isByHand = kernel
                      .walk([](Operation *op) {
                        return isa<WarpSpecializeOp, CreatePipelineOp>(op)
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (isByHand)
    return success();
  deferSums(kernel);
  if (failed(readOrders()) || failed(schedulePipelines()))
    return failure();
  scheduleGroups();
  readConstantsEarly(kernel, gpu);
  return success();
}

namespace {
struct SchedulePass : mlir::tile::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (failed(KernelScheduler(kernel, *chip, scratchBytes).run()))
        return signalPassFailure();
  }
};
} // namespace
