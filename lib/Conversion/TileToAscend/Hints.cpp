//===- Hints.cpp - ops without instructions -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {
/// Nothing is left of the op.
template <typename OpTy, LoweringPhase phase>
struct DropModel : LoweringModel<DropModel<OpTy, phase>, OpTy> {
  LoweringPhase getLoweringPhase(Operation *) const { return phase; }
  LogicalResult lowerToInstructions(Operation *, KernelLowering &) const {
    return success();
  }
};

/// A buffer alone needs no rows of itself.
struct AllocModel : LoweringModel<AllocModel, tl::AllocOp> {
  void rejectTiles(Operation *, SubBlockTiling &) const {}
  LoweringPhase getLoweringPhase(Operation *) const {
    return LoweringPhase::Buffers;
  }
  LogicalResult lowerToInstructions(Operation *, KernelLowering &) const {
    return success();
  }
};

/// A layout speaks of all rows, so that it goes where they are shared.
struct AnnotateLayoutModel
    : LoweringModel<AnnotateLayoutModel, tl::AnnotateLayoutOp> {
  std::optional<tl::MemorySpace> getOperandMemory(Operation *,
                                                  OpOperand &) const {
    return std::nullopt;
  }
  void rejectTiles(Operation *, SubBlockTiling &) const {}
  void tileRows(Operation *op, SubBlockTiling &tiling) const {
    if (tiling.isTiled(op->getOperand(0)))
      op->erase();
  }
  LoweringPhase getLoweringPhase(Operation *) const {
    return LoweringPhase::Control;
  }
  LogicalResult lowerToInstructions(Operation *, KernelLowering &) const {
    return success();
  }
};
} // namespace

template <LoweringPhase phase, typename... OpTys>
static void attachDrops(MLIRContext &context) {
  (OpTys::template attachInterface<DropModel<OpTys, phase>>(context), ...);
}

void mlir::tile::ascend::attachHintModels(MLIRContext *context) {
  tl::AllocOp::attachInterface<AllocModel>(*context);
  tl::AnnotateLayoutOp::attachInterface<AnnotateLayoutModel>(*context);
  attachDrops<LoweringPhase::Control, tl::PaddingValueOp, tl::AssumeOp,
              tl::RasterizeOp>(*context);
  attachDrops<LoweringPhase::Buffers, tl::ReshapeOp, tl::ViewOp>(*context);
}
