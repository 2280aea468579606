//===- ScalarAccess.cpp - scalar accesses ---------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalTransfer.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// Whether instructions are written for the buffer itself, which then is no
/// matrix of ours.
static bool isByHand(Value buffer) {
  Value base = tl::getBaseBuffer(buffer);
  Operation *alloc = base.getDefiningOp();
  return (alloc && alloc->hasAttr(AscendDialect::kAddressAttr)) ||
         llvm::any_of(base.getUsers(), [](Operation *user) {
           return isa<InstructionOpInterface, memref::SubViewOp>(user);
         });
}

namespace {
struct LoadModel : LoweringModel<LoadModel, memref::LoadOp> {
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};

struct StoreModel : LoweringModel<StoreModel, memref::StoreOp> {
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

LogicalResult LoadModel::lowerToInstructions(Operation *self,
                                             KernelLowering &l) const {
  auto load = cast<memref::LoadOp>(self);
  MemorySpace space = tl::getMemorySpace(load.getMemRef());
  if (space == MemorySpace::Global) {
    load.replaceAllUsesWith(
        createGlobalRead(l, load, load.getMemRef(), load.getIndices()));
    return success();
  }
  if (isByHand(load.getMemRef())) {
    load.replaceAllUsesWith(l.b.clone(*load.getOperation())->getResult(0));
    return success();
  }
  Value matrix;
  auto indices = l.buffers.getMatrixIndices(load, load.getMemRef(),
                                            load.getIndices(), matrix);
  if (failed(indices))
    return failure();
  load.replaceAllUsesWith(
      memref::LoadOp::create(l.b, load.getLoc(), matrix, *indices).getResult());
  return success();
}

LogicalResult StoreModel::lowerToInstructions(Operation *self,
                                              KernelLowering &l) const {
  auto store = cast<memref::StoreOp>(self);
  if (tl::getMemorySpace(store.getMemRef()) == MemorySpace::Global)
    return store.emitError("the scalar unit does not write to global memory on "
                           "Ascend: its cache is not written back; fill a tile "
                           "and copy it");
  if (isByHand(store.getMemRef())) {
    l.b.clone(*store.getOperation());
    return success();
  }
  Value matrix;
  auto indices = l.buffers.getMatrixIndices(store, store.getMemRef(),
                                            store.getIndices(), matrix);
  if (failed(indices))
    return failure();
  memref::StoreOp::create(l.b, store.getLoc(), store.getValue(), matrix,
                          *indices);
  return success();
}

void mlir::tile::ascend::attachScalarAccessModels(MLIRContext *context) {
  memref::LoadOp::attachInterface<LoadModel>(*context);
  memref::StoreOp::attachInterface<StoreModel>(*context);
}
