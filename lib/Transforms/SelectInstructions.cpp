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
      swapOperands(kernel, *chip);
      WalkResult selected = kernel.walk([&](Operation *op) {
        if (auto gemm = dyn_cast<GemmOp>(op);
            gemm && !gemm.getInstructionAttr())
          return WalkResult(selectGemm(gemm, *chip));
        if (auto copy = dyn_cast<CopyOp>(op);
            copy && !copy.getInstructionAttr())
          return WalkResult(selectCopy(copy, *chip, async));
        return WalkResult::advance();
      });
      if (selected.wasInterrupted() || !async)
        return selected.wasInterrupted() ? selected : WalkResult::skip();
      // Last: they ask for the instructions of gemms.
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
