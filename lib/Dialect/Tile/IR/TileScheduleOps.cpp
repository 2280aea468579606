//===- TileScheduleOps.cpp - partitions, pipelines, barriers --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult CreatePipelineOp::verify() {
  // tile.create_pipeline C2
  if (std::optional<uint64_t> offset = getOffset();
      offset && (int64_t(*offset) < 0 || *offset % 8 != 0))
    return emitOpError() << "expected 'offset' to be a multiple of 8 and not "
                            "negative, got "
                         << int64_t(*offset);
  // tile.create_pipeline C1
  Operation *parent = (*this)->getParentOp();
  if (!isa<KernelOp>(parent)) {
    InFlightDiagnostic diag =
        emitOpError("expected to be directly in the body of a "
                    "'tile.kernel'");
    diag.attachNote(parent->getLoc()) << "it is in this op";
    return diag;
  }
  return success();
}

LogicalResult ProducerAcquireOp::verify() {
  // tile.producer_acquire C1
  if (int64_t(getBytes()) < 0)
    return emitOpError() << "expected 'bytes' not to be negative, got "
                         << int64_t(getBytes());
  return success();
}

LogicalResult AsyncWaitOp::verify() {
  // tile.async_wait C1
  if (int64_t(getPending()) < 0)
    return emitOpError() << "expected 'pending' not to be negative, got "
                         << int64_t(getPending());
  return success();
}

LogicalResult GemmWaitOp::verify() {
  // tile.gemm_wait C1
  if (int64_t(getPending()) < 0)
    return emitOpError() << "expected 'pending' not to be negative, got "
                         << int64_t(getPending());
  // tile.gemm_wait C2
  for (Value sum : getAccumulators())
    if (getMemorySpace(sum) != MemorySpace::Fragment)
      return emitOpError() << "expected accumulators in fragments, got "
                           << sum.getType();
  return success();
}

LogicalResult StoreWaitOp::verify() {
  // tile.store_wait C1
  if (int64_t(getPending()) < 0)
    return emitOpError() << "expected 'pending' not to be negative, got "
                         << int64_t(getPending());
  return success();
}

static LogicalResult verifyOrderBarrier(Operation *op) {
  if (op->getParentOfType<TeamOp>())
    return op->emitOpError("expected pipelines between the programs of teams, "
                           "which need not take turns");
  auto partitions = op->getParentOfType<WarpSpecializeOp>();
  if (partitions && partitions.getConsumer().isAncestor(op->getParentRegion()))
    return success();
  return op->emitOpError(
      "expected to be in the consumer of a 'tile.warp_specialize'");
}

// tile.order_wait C1
LogicalResult OrderWaitOp::verify() { return verifyOrderBarrier(*this); }

// tile.order_arrive C1
LogicalResult OrderArriveOp::verify() { return verifyOrderBarrier(*this); }

LogicalResult StageOp::verify() {
  // tile.stage C1
  auto source = cast<MemRefType>(getSource().getType());
  if (source.getRank() < 1)
    return emitOpError() << "expected a source of rank 1 or more, got "
                         << source;
  auto expected =
      MemRefType::get(source.getShape().drop_front(), source.getElementType(),
                      AffineMap(), source.getMemorySpace());
  if (expected != getView().getType())
    return emitOpError() << "expected " << expected
                         << ", the source without its leading dimension, got "
                         << getView().getType();
  return success();
}

/// A tile op that the producer's region may not hold, or null.
static Operation *findConsumerOp(Region &producer) {
  Operation *found = nullptr;
  producer.walk([&](Operation *op) {
    if (!isa_and_nonnull<TileDialect>(op->getDialect()) ||
        isa<PipelinedOp, PersistentOp, ProducerAcquireOp, ProducerCommitOp,
            StageOp, ReshapeOp, AssumeOp>(op))
      return WalkResult::advance();
    if (getSignal(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

LogicalResult WarpSpecializeOp::verify() {
  // tile.warp_specialize C1
  if (!isa<KernelOp>((*this)->getParentOp()))
    return emitOpError(
        "expected to be directly in the body of a 'tile.kernel'");
  // tile.warp_specialize C2
  if (Operation *op = findConsumerOp(getProducer())) {
    InFlightDiagnostic diag = emitOpError()
                              << "expected the producer to hold copies that "
                                 "signal a pipeline, got '"
                              << op->getName() << "'";
    diag.attachNote(op->getLoc()) << "it is here";
    return diag;
  }
  return success();
}
