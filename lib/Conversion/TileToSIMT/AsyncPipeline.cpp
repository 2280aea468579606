//===- AsyncPipeline.cpp - stages of a producer and consumers -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncPipeline.h"

#include "Tile/Conversion/Common.h"
#include "Tile/Conversion/TileToSIMT/ClusterTarget.h"
#include "Tile/Conversion/TileToSIMT/Teams.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"
#include "Tile/Transforms/Consumers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

ClusterTargets &ClusterTargets::get(TileDialect *dialect) {
  if (auto *targets = dialect->getRegisteredInterface<ClusterTargets>())
    return *targets;
  return dialect->addInterface<ClusterTargets>();
}

const ClusterTarget *
ClusterTargets::lookup(MLIRContext *context,
                       const ::tile::target::Target &chip) {
  auto *dialect = context->getLoadedDialect<TileDialect>();
  for (const auto &target : llvm::reverse(get(dialect).targets))
    if (target->supports(chip))
      return target.get();
  return nullptr;
}

static const ClusterTarget &getClusters(KernelLowering &l) {
  return *ClusterTargets::lookup(l.builder().getContext(), l.getTarget());
}

static PipelineState &getPipeline(KernelLowering &l, Value handle) {
  return l.getState<Pipelines>().states[handle];
}

static Value getBarrier(KernelLowering &l, Location loc, Value base,
                        Value stage) {
  return LLVM::GEPOp::create(l.builder(), loc, base.getType(),
                             l.builder().getI64Type(), base,
                             ArrayRef<LLVM::GEPArg>{stage});
}

static Value loadState(KernelLowering &l, Location loc, Value variable) {
  return LLVM::LoadOp::create(l.builder(), loc, l.builder().getI32Type(),
                              variable);
}

Value simt::getFullBarrier(KernelLowering &l, Location loc, Value handle) {
  const PipelineState &pipeline = getPipeline(l, handle);
  return getBarrier(l, loc, pipeline.full, loadState(l, loc, pipeline.index));
}

bool simt::isFilledByThreads(Region &producer) {
  return producer.walk([](GatherOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void simt::leaveCluster(KernelLowering &l, Location loc) {
  for (auto &[handle, pipeline] : l.getState<Pipelines>().states)
    if (pipeline.blocks > 1)
      return getClusters(l).barrier(l, loc);
}

void simt::resetPipelines(KernelLowering &l, Location loc) {
  for (auto &[handle, pipeline] : l.getState<Pipelines>().states)
    for (Value variable : {pipeline.index, pipeline.phase})
      LLVM::StoreOp::create(l.builder(), loc, l.i32(loc, 0), variable);
  const Teams &teams = l.getState<Teams>();
  if (teams.sharePoints)
    passOverPoints(l, teams.number.getLoc(), teams.number);
}

/// How often an iteration of the loop goes on to the next stage of the pipeline;
/// nothing if that depends on more, or if the loop need not begin with the first
/// stage.
static std::optional<int64_t> countStages(PipelinedOp loop, Value pipeline) {
  int64_t count = 0;
  for (Operation *user : pipeline.getUsers()) {
    if (!isa<ProducerCommitOp, ConsumerReleaseOp>(user))
      continue;
    Operation *here = loop->getBlock()->findAncestorOpInBlock(*user);
    if (user->getBlock() == &loop.getBody().front())
      ++count;
    else if (here && !loop->isBeforeInBlock(here))
      return std::nullopt;
  }
  return count;
}

void simt::beginWithFirstStage(KernelLowering &l, PipelinedOp loop) {
  if (l.getState<Teams>().sharePoints)
    return;
  for (auto &[handle, pipeline] : l.getState<Pipelines>().states) {
    std::optional<int64_t> count = countStages(loop, handle);
    if (pipeline.stages == 1 || !count || *count == 0 ||
        *count % pipeline.stages != 0)
      continue;
    OpBuilder::InsertionGuard guard(l.builder());
    l.builder().setInsertionPointToStart(&loop.getBody().front());
    Location loc = loop.getLoc();
    LLVM::StoreOp::create(l.builder(), loc, l.i32(loc, 0), pipeline.index);
  }
}

/// The trips of the loops multiplied, an index.
static Value multiplyTrips(KernelLowering &l, Location loc,
                           ArrayRef<PipelinedOp> loops) {
  OpBuilder &b = l.builder();
  Value product = constantIndex(b, loc, 1);
  for (PipelinedOp loop : loops) {
    SmallVector<Value> bounds =
        getValueOrCreateConstantIndexOp(b, loc, loop.getMixedBounds());
    Value span = b.createOrFold<arith::SubIOp>(loc, bounds[1], bounds[0]);
    span = b.createOrFold<arith::MaxSIOp>(loc, span, constantIndex(b, loc, 0));
    Value trips = b.createOrFold<arith::CeilDivUIOp>(loc, span, bounds[2]);
    product = b.createOrFold<arith::MulIOp>(loc, product, trips);
  }
  return product;
}

LogicalResult simt::countStagesOfPoints(WarpSpecializeOp partitions,
                                        KernelLowering &l) {
  auto commits = collectCommits(partitions);
  if (!commits)
    return partitions.emitOpError()
           << "cannot have " << getConsumers(partitions)
           << " consumers: " << commits.reason();
  OpBuilder &b = l.builder();
  Location loc = partitions.getLoc();
  for (auto &[handle, pipeline] : l.getState<Pipelines>().states) {
    Value sum = constantIndex(b, loc, 0);
    for (ArrayRef<PipelinedOp> loops : commits->lookup(handle))
      sum = b.createOrFold<arith::AddIOp>(loc, sum,
                                          multiplyTrips(l, loc, loops));
    // After two rounds index and phase are what they were.
    sum = b.createOrFold<arith::RemUIOp>(
        loc, sum, constantIndex(b, loc, 2 * pipeline.stages));
    pipeline.ofPoint = l.toI32(loc, sum);
  }
  return success();
}

void simt::passOverPoints(KernelLowering &l, Location loc, Value points) {
  OpBuilder &b = l.builder();
  for (auto &[handle, pipeline] : l.getState<Pipelines>().states) {
    Value passed = arith::MulIOp::create(b, loc, pipeline.ofPoint, points);
    Value index = arith::AddIOp::create(
        b, loc, loadState(l, loc, pipeline.index), passed);
    Value stages = l.i32(loc, pipeline.stages);
    Value rounds = arith::DivUIOp::create(b, loc, index, stages);
    Value phase = arith::XOrIOp::create(
        b, loc, loadState(l, loc, pipeline.phase),
        arith::AndIOp::create(b, loc, rounds, l.i32(loc, 1)));
    index = arith::RemUIOp::create(b, loc, index, stages);
    LLVM::StoreOp::create(b, loc, index, pipeline.index);
    LLVM::StoreOp::create(b, loc, phase, pipeline.phase);
  }
}

void simt::spinUntil(KernelLowering &l, Location loc,
                     function_ref<Value()> isDone) {
  OpBuilder &b = l.builder();
  auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value done = isDone();
  Value again = arith::XOrIOp::create(
      b, loc, done, arith::ConstantIntOp::create(b, loc, 1, 1));
  scf::ConditionOp::create(b, loc, again, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b, loc);
}

/// Spins until the phase with this parity has ended.
static void waitFor(KernelLowering &l, Location loc, Value barrier,
                    Value parity) {
  spinUntil(l, loc,
            [&] { return l.getSIMT().tryWait(l, loc, barrier, parity); });
}

void simt::waitForFreeStage(KernelLowering &l, Location loc, Value handle) {
  PipelineState &pipeline = getPipeline(l, handle);
  if (!std::exchange(pipeline.isPending, false))
    return;
  // A new barrier counts as one whose previous phase has ended.
  Value parity = arith::XOrIOp::create(
      l.builder(), loc, loadState(l, loc, pipeline.phase), l.i32(loc, 1));
  Value index = loadState(l, loc, pipeline.index);
  waitFor(l, loc, getBarrier(l, loc, pipeline.empty, index), parity);
  if (pipeline.filledByTeam)
    return;
  auto expect = [&] {
    l.getSIMT().arriveExpectingBytes(
        l, loc, getBarrier(l, loc, pipeline.full, index), pipeline.bytes);
  };
  if (l.threads().size() == 1)
    expect();
  else
    l.inFirstThread(loc, expect);
}

/// The index of the next stage and its parity, which changes with each round.
static std::pair<Value, Value> getNext(KernelLowering &l, Location loc,
                                       const PipelineState &pipeline) {
  OpBuilder &b = l.builder();
  Value index = loadState(l, loc, pipeline.index);
  Value phase = loadState(l, loc, pipeline.phase);
  // The programs of teams have registers for little else than fragments.
  if (pipeline.stages == 1 && l.getState<Teams>().isAlone())
    return {l.i32(loc, 0),
            arith::XOrIOp::create(b, loc, phase, l.i32(loc, 1))};
  Value next = arith::AddIOp::create(b, loc, index, l.i32(loc, 1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                      l.i32(loc, pipeline.stages));
  next = arith::SelectOp::create(b, loc, wraps, l.i32(loc, 0), next);
  Value flipped = arith::XOrIOp::create(b, loc, phase, l.i32(loc, 1));
  return {next, arith::SelectOp::create(b, loc, wraps, flipped, phase)};
}

static void advance(KernelLowering &l, Location loc,
                    const PipelineState &pipeline) {
  auto [index, phase] = getNext(l, loc, pipeline);
  LLVM::StoreOp::create(l.builder(), loc, index, pipeline.index);
  LLVM::StoreOp::create(l.builder(), loc, phase, pipeline.phase);
}

/// Whether anything but an asynchronous product uses the buffer.
static bool isReadByThreads(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (auto gemm = dyn_cast<GemmOp>(user))
      return !gemm.getInstructionAttr() ||
             !gemm.getInstructionAttr().isAsynchronous();
    if (!isa<ViewLikeOpInterface>(user))
      return true;
    return llvm::any_of(user->getResults(), isReadByThreads);
  });
}

/// Whether threads read a stage of the pipeline by themselves.
static bool isReadByThreads(CreatePipelineOp op) {
  return llvm::any_of(op.getPipeline().getUsers(), [](Operation *user) {
    auto wait = dyn_cast<ConsumerWaitOp>(user);
    if (!wait)
      return false;
    return llvm::any_of(wait.getStage().getUsers(), [](Operation *place) {
      auto stage = dyn_cast<StageOp>(place);
      return !stage || isReadByThreads(stage.getView());
    });
  });
}

/// The blocks that fill stages together, each of them in all: those of the
/// cluster where a tile is shared, or one.
static FailureOr<int64_t> countBlocks(CreatePipelineOp op, KernelLowering &l) {
  int64_t blocks = 1;
  for (Operation *user : op.getPipeline().getUsers())
    if (auto shared = user->getAttrOfType<IntegerAttr>(kMulticastAttrName))
      blocks = shared.getInt();
  if (blocks == 1)
    return blocks;
  if (!ClusterTargets::lookup(op->getContext(), l.getTarget()) ||
      !l.getTarget().has(::tile::target::Feature::Multicast))
    return op.emitOpError() << "fills stages of several blocks, which "
                            << l.getTarget().name << " cannot do";
  return blocks;
}

/// Teams that release each stage: where they have one program, that of the point
/// does.
static int64_t countReaders(CreatePipelineOp op) {
  return std::max<int64_t>(1, getReaders(op.getPipeline()).size());
}

/// The pipeline that is created next, with nothing but allocations between.
static CreatePipelineOp getNextCreation(CreatePipelineOp op) {
  Operation *next = op->getNextNode();
  while (isa_and_nonnull<AllocOp>(next))
    next = next->getNextNode();
  return dyn_cast_or_null<CreatePipelineOp>(next);
}

/// Arrivals that fill a stage: that of the thread that starts tensor copies. If
/// the producer gathers, each of its threads arrives when what it copies is
/// there, and each warp for what its threads have stored. Of a team, each warp
/// does.
static int64_t countArrivals(const PipelineState &pipeline, KernelLowering &l) {
  if (pipeline.filledByTeam)
    return l.threads().warps;
  if (!pipeline.filledByThreads)
    return 1;
  int64_t threads = l.getGPU().groupThreads();
  return 1 + threads + threads / l.getGPU().warpSize;
}

namespace {
/// Whether blocks of a cluster fill stages of pipelines whose barriers no
/// thread waited for yet.
struct PendingCreations {
  bool areOfCluster = false;
};

struct CreatePipelineModel
    : SIMTLoweringOpInterface::ExternalModel<CreatePipelineModel,
                                             CreatePipelineOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    if (!l.getTarget().has(::tile::target::Feature::MBarrierTx))
      return op->emitOpError() << "needs transaction-count barriers, which "
                               << l.getTarget().name << " does not have";
    auto handle = cast<CreatePipelineOp>(op);
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    PipelineState pipeline;
    pipeline.stages = handle.getPipeline().getType().getStages();
    pipeline.readByThreads = isReadByThreads(handle);
    pipeline.filledByTeam = bool(getFillingTeam(handle.getPipeline()));
    pipeline.hasData =
        llvm::any_of(handle.getPipeline().getUsers(), [](Operation *user) {
          auto acquire = dyn_cast<ProducerAcquireOp>(user);
          return acquire && !acquire.getStage().use_empty();
        });
    pipeline.filledByThreads =
        llvm::any_of(handle.getPipeline().getUsers(),
                     [](Operation *user) { return isa<GatherOp>(user); });
    FailureOr<int64_t> blocks = countBlocks(handle, l);
    if (failed(blocks))
      return failure();
    pipeline.blocks = *blocks;
    int64_t offset = *handle.getOffset();
    pipeline.full = l.getArena(loc, offset);
    pipeline.empty =
        l.getArena(loc, offset + l.getGPU().barrierBytes * pipeline.stages);
    l.inFirstThread(loc, [&] {
      for (int64_t stage = 0; stage < pipeline.stages; ++stage) {
        auto init = [&](Value base, int64_t arrivals) {
          Value barrier = getBarrier(l, loc, base, l.i32(loc, stage));
          l.getSIMT().initBarrier(l, loc, barrier, arrivals);
        };
        init(pipeline.full, countArrivals(pipeline, l));
        init(pipeline.empty, l.threads().warps * pipeline.blocks *
                                 countReaders(handle));
      }
      l.getSIMT().fenceBarrierInit(l, loc);
    });
    // One barrier for pipelines that are created together.
    auto &pending = l.getState<PendingCreations>();
    pending.areOfCluster |= pipeline.blocks > 1;
    if (!getNextCreation(handle)) {
      if (std::exchange(pending.areOfCluster, false))
        getClusters(l).barrier(l, loc);
      else
        gpu::BarrierOp::create(b, loc);
    }
    pipeline.index = l.createRegisters(loc, b.getI32Type(), 1);
    pipeline.phase = l.createRegisters(loc, b.getI32Type(), 1);
    getPipeline(l, handle.getPipeline()) = pipeline;
    return success();
  }
};

struct AcquireModel
    : SIMTLoweringOpInterface::ExternalModel<AcquireModel, ProducerAcquireOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto acquire = cast<ProducerAcquireOp>(op);
    PipelineState &pipeline = getPipeline(l, acquire.getPipeline());
    Location loc = op->getLoc();
    pipeline.isPending = true;
    pipeline.bytes = acquire.getBytes();
    acquire.getStage().replaceAllUsesWith(
        l.toIndex(loc, loadState(l, loc, pipeline.index)));
    // A gather reads its list before it waits.
    Operation *next = op->getNextNode();
    while (isa_and_nonnull<ViewLikeOpInterface>(next))
      next = next->getNextNode();
    if (!isa_and_nonnull<GatherOp>(next) ||
        getSignal(next) != acquire.getPipeline())
      waitForFreeStage(l, loc, acquire.getPipeline());
    return success();
  }
};

struct WaitModel
    : SIMTLoweringOpInterface::ExternalModel<WaitModel, ConsumerWaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto wait = cast<ConsumerWaitOp>(op);
    const PipelineState &pipeline = getPipeline(l, wait.getPipeline());
    Location loc = op->getLoc();
    Value index = loadState(l, loc, pipeline.index);
    Value parity = loadState(l, loc, pipeline.phase);
    auto ahead = op->getAttrOfType<IntegerAttr>(kAheadAttrName);
    if (ahead && ahead.getInt() > 0)
      std::tie(index, parity) = getNext(l, loc, pipeline);
    if (!ahead || ahead.getInt() > 0) {
      waitFor(l, loc, getBarrier(l, loc, pipeline.full, index), parity);
      if (pipeline.filledByThreads)
        l.getSIMT().fenceAsyncEngines(l, loc, /*isGlobal=*/false);
    }
    wait.getStage().replaceAllUsesWith(l.toIndex(loc, index));
    return success();
  }
};

/// One lane for all of its warp.
void arriveOfWarp(KernelLowering &l, Location loc, Value barrier) {
  l.getSIMT().warpBarrier(l, loc);
  Value isFirst =
      arith::CmpIOp::create(l.builder(), loc, arith::CmpIPredicate::eq,
                            l.threads().lane, l.i32(loc, 0));
  l.inIf(loc, isFirst, [&] { l.getSIMT().arrive(l, loc, barrier); });
}

struct CommitModel
    : SIMTLoweringOpInterface::ExternalModel<CommitModel, ProducerCommitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    const PipelineState &pipeline =
        getPipeline(l, cast<ProducerCommitOp>(op).getPipeline());
    Location loc = op->getLoc();
    if (pipeline.filledByThreads) {
      Value full =
          getBarrier(l, loc, pipeline.full, loadState(l, loc, pipeline.index));
      getClusters(l).arriveAfterCopies(l, loc, full);
      // Padding, and rows that no vector can be copied of, were stored.
      arriveOfWarp(l, loc, full);
    }
    if (pipeline.filledByTeam)
      handOn(l, loc, pipeline);
    advance(l, loc, pipeline);
    return success();
  }

private:
  /// Each warp arrives when its lanes have written, also for engines.
  static void handOn(KernelLowering &l, Location loc,
                     const PipelineState &pipeline) {
    if (pipeline.hasData)
      l.getSIMT().fenceAsyncEngines(l, loc, /*isGlobal=*/false);
    Value full =
        getBarrier(l, loc, pipeline.full, loadState(l, loc, pipeline.index));
    arriveOfWarp(l, loc, full);
  }
};

struct ReleaseModel
    : SIMTLoweringOpInterface::ExternalModel<ReleaseModel, ConsumerReleaseOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    const PipelineState &pipeline =
        getPipeline(l, cast<ConsumerReleaseOp>(op).getPipeline());
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    // Loads that were issued may wait for the banks while the arrival passes
    // them, and the next copy overwrites what they are going to read.
    if (pipeline.readByThreads && !pipeline.filledByTeam)
      l.getSIMT().fenceAsyncEngines(l, loc, /*isGlobal=*/false);
    // When all lanes have read, one arrives for its warp in each block that
    // fills the stage.
    l.getSIMT().warpBarrier(l, loc);
    bool isAlone = pipeline.blocks == 1;
    Value lane = l.threads().lane;
    Value arrives = arith::CmpIOp::create(
        b, loc, isAlone ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ult,
        lane, l.i32(loc, isAlone ? 0 : pipeline.blocks));
    Value index = loadState(l, loc, pipeline.index);
    l.inIf(loc, arrives, [&] {
      Value barrier = getBarrier(l, loc, pipeline.empty, index);
      if (isAlone)
        l.getSIMT().arrive(l, loc, barrier);
      else
        getClusters(l).arrive(l, loc, barrier, lane);
    });
    advance(l, loc, pipeline);
    return success();
  }
};

struct StoreWaitModel
    : SIMTLoweringOpInterface::ExternalModel<StoreWaitModel, StoreWaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    if (!l.getGPU().tma)
      return op->emitOpError() << "needs tensor copies, which "
                               << l.getTarget().name << " does not have";
    auto wait = cast<StoreWaitOp>(op);
    l.getSIMT().waitForTensorStores(l, op->getLoc(), wait.getPending(),
                                    wait.getComplete());
    return success();
  }
};
} // namespace

void simt::attachPipelineModels(MLIRContext *context) {
  CreatePipelineOp::attachInterface<CreatePipelineModel>(*context);
  ProducerAcquireOp::attachInterface<AcquireModel>(*context);
  ProducerCommitOp::attachInterface<CommitModel>(*context);
  ConsumerWaitOp::attachInterface<WaitModel>(*context);
  ConsumerReleaseOp::attachInterface<ReleaseModel>(*context);
  StoreWaitOp::attachInterface<StoreWaitModel>(*context);
}
