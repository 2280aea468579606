//===- Sync.cpp - what ops of a schedule order ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Sync.h"

using namespace mlir;
using namespace mlir::tile;

#include "Tile/Dialect/Tile/IR/TileSyncInterface.cpp.inc"

using Kind = SyncEffect::Kind;

static SyncEffect getEffect(BarrierOp op) {
  return {Kind::Barrier, /*count=*/0, op.getAsync(), /*pipeline=*/{},
          op.getGlobal()};
}
static SyncEffect getEffect(AsyncCommitOp) { return {Kind::CommitCopies}; }
static SyncEffect getEffect(AsyncWaitOp op) {
  return {Kind::WaitCopies, int64_t(op.getPending())};
}
static SyncEffect getEffect(StoreWaitOp op) {
  return {Kind::WaitStores, int64_t(op.getPending()), /*isAsync=*/false,
          /*pipeline=*/{}, op.getComplete()};
}
static SyncEffect getEffect(GemmWaitOp op) {
  return {Kind::WaitGemms, int64_t(op.getPending())};
}
static SyncEffect getEffect(ProducerAcquireOp op) {
  return {Kind::AcquireStage, int64_t(op.getBytes()), false, op.getPipeline()};
}
static SyncEffect getEffect(ProducerCommitOp op) {
  return {Kind::CommitStage, 0, false, op.getPipeline()};
}
static SyncEffect getEffect(ConsumerWaitOp op) {
  return {Kind::WaitStage, 0, false, op.getPipeline()};
}
static SyncEffect getEffect(ConsumerReleaseOp op) {
  return {Kind::ReleaseStage, 0, false, op.getPipeline()};
}
static SyncEffect getEffect(OrderWaitOp) { return {Kind::EnterOrdered}; }
static SyncEffect getEffect(OrderArriveOp) { return {Kind::LeaveOrdered}; }

namespace {
template <typename OpTy>
struct SyncEffectModel
    : SyncOpInterface::ExternalModel<SyncEffectModel<OpTy>, OpTy> {
  SyncEffect getSyncEffect(Operation *op) const {
    return getEffect(cast<OpTy>(op));
  }
};
} // namespace

template <typename... OpTys>
static void attach(MLIRContext &context) {
  (OpTys::template attachInterface<SyncEffectModel<OpTys>>(context), ...);
}

void mlir::tile::attachSyncModels(MLIRContext &context) {
  attach<BarrierOp, AsyncCommitOp, AsyncWaitOp, StoreWaitOp, GemmWaitOp,
         ProducerAcquireOp, ProducerCommitOp, ConsumerWaitOp, ConsumerReleaseOp,
         OrderWaitOp, OrderArriveOp>(context);
}
