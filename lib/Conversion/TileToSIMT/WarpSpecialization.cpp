//===- WarpSpecialization.cpp - partitions of a block ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncPipeline.h"

#include "Tile/Conversion/TileToSIMT/Teams.h"
#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

/// Named barriers of a kernel: the block has number 0, the consumers have 1,
/// from 2 on each warpgroup, or team, has one at which it waits for its turn, and
/// behind those one at which its own warps meet.
static constexpr int64_t kConsumerBarrier = 1;
static constexpr int64_t kFirstOrderBarrier = 2;

/// A number that is the same in all lanes of a warp, in a form that shows it.
static Value makeUniform(KernelLowering &l, Location loc, Value value) {
  return gpu::ShuffleOp::create(l.builder(), loc, value, l.i32(loc, 0),
                                l.i32(loc, l.threads().lanes),
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

//===----------------------------------------------------------------------===//
// Warpgroups in order
//===----------------------------------------------------------------------===//

/// Warpgroups, or teams, that take turns.
static int64_t countGroups(KernelLowering &l) {
  int64_t teams = l.getState<Teams>().count;
  return teams > 1 ? teams : l.threads().size() / l.getGPU().groupThreads();
}

static Value getGroupNumber(KernelLowering &l, Location loc) {
  if (Value team = l.getState<Teams>().number)
    return team;
  Value group = arith::DivUIOp::create(l.builder(), loc, l.threads().thread,
                                       l.i32(loc, l.getGPU().groupThreads()));
  return makeUniform(l, loc, group);
}

void simt::meetInGroup(KernelLowering &l, Location loc) {
  int64_t size = l.getGPU().groupThreads();
  Value barrier = arith::AddIOp::create(
      l.builder(), loc, getGroupNumber(l, loc),
      l.i32(loc, kFirstOrderBarrier + countGroups(l)));
  l.getSIMT().partialBarrier(l, loc, barrier, size);
}

static Value getOrderBarrier(KernelLowering &l, Location loc, Value group) {
  return arith::AddIOp::create(l.builder(), loc, group,
                               l.i32(loc, kFirstOrderBarrier));
}

/// The warpgroup that waits and the one that lets it go on.
static int64_t getPairThreads(KernelLowering &l) {
  return 2 * l.getGPU().groupThreads();
}

static void letGoOn(KernelLowering &l, Location loc, Value group) {
  l.getSIMT().arriveAtBarrier(l, loc, getOrderBarrier(l, loc, group),
                              getPairThreads(l));
}

namespace {
struct OrderWaitModel
    : SIMTLoweringOpInterface::ExternalModel<OrderWaitModel, OrderWaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    Location loc = op->getLoc();
    Value barrier = getOrderBarrier(l, loc, getGroupNumber(l, loc));
    l.getSIMT().partialBarrier(l, loc, barrier, getPairThreads(l));
    return success();
  }
};

struct OrderArriveModel
    : SIMTLoweringOpInterface::ExternalModel<OrderArriveModel, OrderArriveOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Value next =
        arith::AddIOp::create(b, loc, getGroupNumber(l, loc), l.i32(loc, 1));
    Value groups = l.i32(loc, countGroups(l));
    Value wraps =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, groups);
    letGoOn(l, loc,
            arith::SelectOp::create(b, loc, wraps, l.i32(loc, 0), next));
    return success();
  }
};
} // namespace

/// The last warpgroup lets the first one begin.
static void beginOrder(KernelLowering &l, Location loc) {
  OpBuilder &b = l.builder();
  Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     getGroupNumber(l, loc),
                                     l.i32(loc, countGroups(l) - 1));
  l.inIf(loc, last, [&] { letGoOn(l, loc, l.i32(loc, 0)); });
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

static void setRegisters(KernelLowering &l, Location loc, int64_t registers,
                         bool increases) {
  if (registers != 0)
    l.getSIMT().setRegisterBudget(l, loc, registers, increases);
}

static LogicalResult lowerPartition(Region &region, Block *to,
                                    const ThreadGroup &group,
                                    KernelLowering &l) {
  l.builder().setInsertionPoint(to->getTerminator());
  resetPipelines(l, region.getLoc());
  llvm::SaveAndRestore<ThreadGroup> threads(l.threads(), group);
  SmallVector<Operation *> ops;
  for (Operation &op : region.front())
    ops.push_back(&op);
  to->getOperations().splice(to->getTerminator()->getIterator(),
                             region.front().getOperations());
  for (Operation *op : ops)
    if (auto loop = dyn_cast<PipelinedOp>(op))
      beginWithFirstStage(l, loop);
  for (Operation *op : ops)
    if (failed(l.lower(op)))
      return failure();
  return success();
}

namespace {
struct WarpSpecializeModel
    : SIMTLoweringOpInterface::ExternalModel<WarpSpecializeModel,
                                             WarpSpecializeOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto partitions = cast<WarpSpecializeOp>(op);
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    int64_t teams = getConsumers(op);
    bool hasPrograms = !getPrograms(partitions).empty();
    if (teams > 1 && !hasPrograms && failed(countStagesOfPoints(partitions, l)))
      return failure();
    // A warpgroup can give registers away, a warp is enough for tensor copies.
    bool gathers = isFilledByThreads(partitions.getProducer());
    ThreadGroup consumers = l.threads();
    l.addThreads((teams - 1) * consumers.size() +
                 (gathers || partitions.getProducerRegisters() > 0
                      ? l.getGPU().groupThreads()
                      : l.getGPU().warpSize));
    llvm::SaveAndRestore<ThreadGroup> all(l.threads());
    l.threads().warps *= teams;
    Value isProducer =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                              consumers.thread, l.i32(loc, l.threads().size()));
    auto branch = scf::IfOp::create(b, loc, isProducer, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    setRegisters(l, loc, partitions.getProducerRegisters(),
                 /*increases=*/false);
    if (failed(gathers ? lowerProducers(partitions, branch.thenBlock(), l)
                       : lowerProducer(partitions, l)))
      return failure();
    b.setInsertionPointToStart(branch.elseBlock());
    setRegisters(l, loc, partitions.getConsumerRegisters(), /*increases=*/true);
    consumers.barrier = kConsumerBarrier;
    if (hasPrograms)
      return lowerPrograms(partitions, branch.elseBlock(), consumers, l);
    return lowerConsumer(partitions, branch.elseBlock(), consumers, l);
  }

private:
  static LogicalResult lowerConsumer(WarpSpecializeOp partitions, Block *to,
                                     ThreadGroup consumers,
                                     KernelLowering &l) {
    Location loc = partitions.getLoc();
    bool isOrdered =
        partitions.getConsumer()
            .walk([](OrderWaitOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    llvm::SaveAndRestore<Teams> teams(l.getState<Teams>());
    if (getConsumers(partitions) > 1 &&
        failed(enterTeam(partitions, consumers, l)))
      return failure();
    llvm::SaveAndRestore<ThreadGroup> threads(l.threads(), consumers);
    if (isOrdered)
      beginOrder(l, loc);
    if (failed(lowerPartition(partitions.getConsumer(), to, consumers, l)))
      return failure();
    const Teams &used = l.getState<Teams>();
    if (used.count == 1 || !used.exchange)
      return success();
    return reportExchange(partitions.emitOpError()
                              << "cannot have " << used.count << " consumers: ",
                          used);
  }

  static LogicalResult reportExchange(InFlightDiagnostic diag,
                                      const Teams &teams) {
    diag << "expected no exchanges between threads through shared memory";
    diag.attachNote(*teams.exchange) << "it is here";
    return diag;
  }

  /// Each team in a branch of its own.
  static LogicalResult lowerPrograms(WarpSpecializeOp partitions, Block *to,
                                     const ThreadGroup &consumers,
                                     KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = partitions.getLoc();
    for (Operation &op :
         llvm::make_early_inc_range(partitions.getConsumer().front()))
      if (!isa<TeamOp>(op))
        op.moveBefore(to->getTerminator());
    b.setInsertionPoint(to->getTerminator());
    Value number = makeUniform(
        l, loc,
        arith::DivUIOp::create(b, loc, consumers.warp,
                               l.i32(loc, consumers.warps)));
    for (auto [index, program] : llvm::enumerate(getPrograms(partitions))) {
      b.setInsertionPoint(to->getTerminator());
      Value isOwn =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                                l.i32(loc, index));
      auto branch = scf::IfOp::create(b, loc, isOwn, /*withElse=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
      if (failed(lowerProgram(program, index, branch.thenBlock(), consumers,
                              l)))
        return failure();
    }
    return success();
  }

  static LogicalResult lowerProgram(TeamOp program, int64_t index, Block *to,
                                    ThreadGroup team, KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = program.getLoc();
    auto partitions = cast<WarpSpecializeOp>(program->getParentOp());
    llvm::SaveAndRestore<Teams> state(l.getState<Teams>(), Teams());
    Teams &teams = l.getState<Teams>();
    teams.count = getConsumers(partitions);
    teams.number = l.i32(loc, index);
    team.thread = arith::SubIOp::create(b, loc, team.thread,
                                        l.i32(loc, index * team.size()));
    team.warp = arith::SubIOp::create(b, loc, team.warp,
                                      l.i32(loc, index * team.warps));
    team.barrier = kFirstOrderBarrier + teams.count;
    auto shared = enterOwnBuffers(program.getBody(), l);
    if (!shared || failed(lowerPartition(program.getBody(), to, team, l)))
      return failure();
    for (auto &[value, buffer] : *shared)
      l.setBuffer(value, buffer);
    const Teams &used = l.getState<Teams>();
    if (!used.exchange)
      return success();
    return reportExchange(program.emitOpError(), used);
  }

  /// Of all consumers makes the threads of this one's team, which has shared
  /// buffers of its own.
  static LogicalResult enterTeam(WarpSpecializeOp partitions,
                                 ThreadGroup &consumers, KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = partitions.getLoc();
    Teams &teams = l.getState<Teams>();
    teams = Teams();
    teams.count = getConsumers(partitions);
    teams.sharePoints = true;
    teams.number = makeUniform(
        l, loc,
        arith::DivUIOp::create(b, loc, consumers.warp,
                               l.i32(loc, consumers.warps)));
    consumers.thread = arith::RemUIOp::create(b, loc, consumers.thread,
                                              l.i32(loc, consumers.size()));
    consumers.warp = arith::RemUIOp::create(b, loc, consumers.warp,
                                            l.i32(loc, consumers.warps));
    consumers.barrier = kFirstOrderBarrier + teams.count;
    return failure(!enterOwnBuffers(partitions.getConsumer(), l));
  }

  /// Makes the shared buffers that the region uses, of which each team has one,
  /// those of this team; returns what they were.
  static std::optional<SmallVector<std::pair<Value, Buffer>, 0>>
  enterOwnBuffers(Region &region, KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = region.getLoc();
    const Teams &teams = l.getState<Teams>();
    SmallVector<std::pair<Value, Buffer>, 0> shared;
    DenseSet<Value> own;
    WalkResult result = region.walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        if (!isa<MemRefType>(operand.getType()))
          continue;
        auto alloc = getBaseBuffer(operand).getDefiningOp<AllocOp>();
        if (!alloc || getConsumers(alloc) == 1 ||
            !own.insert(alloc.getBuffer()).second)
          continue;
        const Buffer *all = l.getBuffer(op, alloc.getBuffer());
        if (!all)
          return WalkResult::interrupt();
        Buffer buffer = *all;
        shared.emplace_back(alloc.getBuffer(), buffer);
        int64_t bytes = getSharedBytes(alloc) / teams.count;
        Value offset = arith::MulIOp::create(b, loc, teams.number,
                                             l.i32(loc, bytes));
        buffer.base = LLVM::GEPOp::create(b, loc, buffer.base.getType(),
                                          b.getI8Type(), buffer.base,
                                          ArrayRef<LLVM::GEPArg>{offset});
        l.setBuffer(alloc.getBuffer(), buffer);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return std::nullopt;
    return shared;
  }

  /// By all threads of the warpgroup behind the consumers.
  static LogicalResult lowerProducers(WarpSpecializeOp partitions, Block *to,
                                      KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = partitions.getLoc();
    ThreadGroup producers = l.threads();
    producers.warps = l.getGPU().groupThreads() / producers.lanes;
    producers.thread = arith::SubIOp::create(b, loc, producers.thread,
                                             l.i32(loc, l.threads().size()));
    producers.warp = arith::SubIOp::create(b, loc, producers.warp,
                                           l.i32(loc, l.threads().warps));
    return lowerPartition(partitions.getProducer(), to, producers, l);
  }

  /// By one thread of the first warp behind the consumers.
  static LogicalResult lowerProducer(WarpSpecializeOp partitions,
                                     KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = partitions.getLoc();
    Value warp = makeUniform(l, loc, l.threads().warp);
    Value works = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warp,
                                        l.i32(loc, l.threads().warps));
    auto worker = scf::IfOp::create(b, loc, works, false);
    b.setInsertionPointToStart(worker.thenBlock());
    Value elected = l.getSIMT().electLane(l, loc);
    auto one = scf::IfOp::create(b, loc, elected, false);
    b.setInsertionPointToStart(one.thenBlock());
    ThreadGroup alone;
    alone.lanes = alone.warps = 1;
    alone.lane = alone.warp = alone.thread = l.i32(loc, 0);
    return lowerPartition(partitions.getProducer(), one.thenBlock(), alone, l);
  }
};
} // namespace

void simt::attachWarpSpecializationModels(MLIRContext *context) {
  WarpSpecializeOp::attachInterface<WarpSpecializeModel>(*context);
  OrderWaitOp::attachInterface<OrderWaitModel>(*context);
  OrderArriveOp::attachInterface<OrderArriveModel>(*context);
}
