//===- SelectInstructions.cpp - instructions of gemms and copies ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SelectInstructions.h"

#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Transforms/Passes.h"
#include "Tile/Transforms/VerifyInstructions.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SELECTINSTRUCTIONSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// A reduction of a vector as one of a matrix with one row: lanes and warps are
/// combined along one of several dimensions.
static void addRow(ReduceOp reduce) {
  auto source = cast<MemRefType>(reduce.getSource().getType());
  auto target = cast<MemRefType>(reduce.getTarget().getType());
  if (source.getRank() != 1)
    return;
  OpBuilder b(reduce);
  auto reshape = [&](OpOperand &operand, MemRefType type,
                     ArrayRef<int64_t> shape) {
    Type view = MemRefType(MemRefType::Builder(type).setShape(shape));
    operand.set(ReshapeOp::create(b, reduce.getLoc(), view, operand.get()));
  };
  reshape(reduce.getSourceMutable(), source, {1, source.getDimSize(0)});
  if (target.getRank() == 0)
    reshape(reduce.getTargetMutable(), target, {1});
  reduce.setDim(1);
}

namespace {
struct SelectInstructionsPass
    : mlir::tile::impl::SelectInstructionsPassBase<SelectInstructionsPass> {
  using SelectInstructionsPassBase::SelectInstructionsPassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      const ::tile::target::Target *chip = getTarget(kernel, "GPU");
      if (!chip || failed(verifyInstructions(kernel, *chip)))
        return WalkResult::interrupt();
      kernel.walk(addRow);
      foldFills(kernel);
      swapOperands(kernel, *chip);
      storeClusterSums(kernel);
      if (async)
        separateTiles(kernel, *chip);
      WalkResult selected = kernel.walk([&](Operation *op) {
        if (auto gemm = dyn_cast<GemmOp>(op);
            gemm && !gemm.getInstructionAttr())
          return WalkResult(selectGemm(gemm, *chip));
        if (auto copy = dyn_cast<CopyOp>(op);
            copy && !copy.getInstructionAttr())
          return WalkResult(selectCopy(copy, *chip, async));
        if (async)
          selectGather(op, *chip);
        return WalkResult::advance();
      });
      if (selected.wasInterrupted() || !async)
        return selected.wasInterrupted() ? selected : WalkResult::skip();
      if (failed(divideColumns(kernel, *chip)) ||
          failed(keepOperands(kernel, *chip)))
        return WalkResult::interrupt();
      // Last: they ask for the instructions of gemms.
      SmallVector<AtomicOp> atomics;
      kernel.walk([&](AtomicOp op) { atomics.push_back(op); });
      for (AtomicOp op : atomics)
        if (failed(stageAtomic(op, *chip)))
          return WalkResult::interrupt();
      SmallVector<CopyOp> copies(kernel.getBody().getOps<CopyOp>());
      for (CopyOp copy : copies)
        if (failed(stageStore(copy, *chip)))
          return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
