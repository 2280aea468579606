//===- VerifySchedule.cpp - barriers and stages of a schedule -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifySchedule.h"

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Hazards.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/Sync.h"
#include "Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static LogicalResult verifyBarriers(KernelOp kernel) {
  LogicalResult result = success();
  for (const MissingBarrier &missing : findMissingBarriers(kernel)) {
    InFlightDiagnostic diag = missing.before->emitOpError();
    if (missing.waits && !missing.meets)
      diag << "expected 'tile.async_wait' between ";
    else if (missing.waits)
      diag << "expected 'tile.async_wait' and 'tile.barrier' between ";
    else if (missing.waitsForStores)
      diag << "expected 'tile.store_wait'"
           << (missing.completesStores ? " complete" : "")
           << (missing.meets ? " and 'tile.barrier'" : "") << " between ";
    else if (missing.isGlobal)
      diag << "expected 'tile.barrier async global' between ";
    else if (missing.isAsync)
      diag << "expected 'tile.barrier async' between ";
    else
      diag << "expected 'tile.barrier' between ";
    diag << describe(missing.first) << " and " << describe(missing.second);
    if (missing.loop)
      diag << " in a later iteration";
    diag.attachNote(missing.first.op->getLoc()) << "the first access is here";
    if (missing.second.op != missing.before)
      diag.attachNote(missing.second.op->getLoc())
          << "the second access is here";
    result = diag;
  }
  return result;
}

/// What a pipeline fills is a different buffer in each iteration.
static LogicalResult verifyStages(KernelOp kernel) {
  llvm::MapVector<Value, Operation *> filled;
  kernel.walk([&](Operation *op) {
    if (getSignal(op))
      filled.insert({getBaseBuffer(getFilledTile(op).get()), op});
  });
  LogicalResult result = success();
  for (auto [buffer, copy] : filled) {
    for (Operation *user : buffer.getUsers()) {
      if (isa<StageOp, AnnotateLayoutOp>(user))
        continue;
      InFlightDiagnostic diag = user->emitOpError(
          "accesses a multi-stage buffer that a pipeline fills; use "
          "'tile.stage'");
      diag.attachNote(copy->getLoc()) << "it is filled here";
      result = diag;
    }
  }
  return result;
}

/// A pipeline counts all stages of a buffer, and no other pipeline any of them.
static LogicalResult verifyIndices(KernelOp kernel) {
  DenseMap<Value, Value> pipelines;
  LogicalResult result = success();
  kernel.walk([&](StageOp stage) {
    Operation *index = stage.getIndex().getDefiningOp();
    if (!isa_and_nonnull<ProducerAcquireOp, ConsumerWaitOp>(index))
      return;
    auto pipeline = cast<TypedValue<PipelineType>>(
        cast<SyncOpInterface>(index).getSyncEffect().pipeline);
    int64_t stages = pipeline.getType().getStages();
    auto type = cast<MemRefType>(stage.getSource().getType());
    if (type.getDimSize(0) < stages)
      result = stage.emitOpError()
               << "expected " << stages
               << " stages in the buffer, as the pipeline has, got " << type;
    Value first =
        pipelines.try_emplace(stage.getSource(), pipeline).first->second;
    if (first == pipeline)
      return;
    InFlightDiagnostic diag = stage.emitOpError(
        "expected one pipeline to count the stages of a buffer, got two");
    diag.attachNote(first.getLoc()) << "the other pipeline is here";
    result = diag;
  });
  return result;
}

/// What is beside partitions the threads of all of them execute: the same, and
/// not a part each.
static LogicalResult verifyBesidePartitions(KernelOp kernel) {
  if (kernel.getBody().getOps<WarpSpecializeOp>().empty())
    return success();
  LogicalResult result = success();
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<WarpSpecializeOp>(op))
      return WalkResult::skip();
    // Signals and waits of ranks are of the block, whatever its threads are.
    if (isa<TileAccessOpInterface>(op) && !isa<TileDialect>(op->getDialect()))
      return WalkResult::advance();
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return WalkResult::advance();
    bool isDivided = isCollective(op) || op->getParentOfType<ParallelOp>();
    for (const Access &access : accesses) {
      MemorySpace space = getMemorySpace(access.region.buffer);
      if (space == MemorySpace::Fragment || space == MemorySpace::Local ||
          (access.kind == AccessKind::Read && !isDivided))
        continue;
      result = op->emitOpError("is beside the partitions, where the threads of "
                               "all of them would execute it; move it into "
                               "one, or into a kernel of its own");
      break;
    }
    return WalkResult::advance();
  });
  return result;
}

/// A producer runs ahead: nothing orders its reads of global memory and what
/// the rest of the kernel writes.
static LogicalResult verifySources(KernelOp kernel) {
  ProducerValues values(kernel);
  LogicalResult result = success();
  kernel.walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (!getSignal(op) || failed(collectAccesses(op, accesses)))
      return;
    if (llvm::any_of(accesses, [&](const Access &access) {
          return access.kind == AccessKind::Read &&
                 values.isWritten(access.region.buffer);
        }))
      result = op->emitOpError("brings a buffer that the kernel writes, too, "
                               "into a pipeline; copy it without 'signal', or "
                               "write it in a kernel of its own");
  });
  return result;
}

namespace {
struct VerifySchedulePass
    : mlir::tile::impl::VerifySchedulePassBase<VerifySchedulePass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    bool ok = true;
    getOperation()->walk([&](KernelOp kernel) {
      // Teams that cannot be have no steps.
      bool canRun = succeeded(verifyConsumers(kernel));
      ok &= canRun && succeeded(verifyPipelines(kernel));
      for (auto *check : {verifyStages, verifyIndices, verifyBesidePartitions,
                          verifySources, verifyGemms, verifyWarpgroups,
                          verifyBarriers})
        ok &= succeeded(check(kernel));
    });
    if (!ok)
      signalPassFailure();
  }
};
} // namespace
