//===- FoldFills.cpp - gemms that overwrite zeros -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SelectInstructions.h"

#include "Tile/Analysis/Liveness.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

/// The first op of the block behind `op` that touches the buffer, or holds one
/// that does.
static Operation *findNextUser(Operation *op, Value buffer) {
  Operation *next = nullptr;
  for (Operation *user : collectBufferUsers(buffer)) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (here && op->isBeforeInBlock(here) &&
        (!next || here->isBeforeInBlock(next)))
      next = here;
  }
  return next;
}

void mlir::tile::foldFills(KernelOp kernel) {
  SmallVector<FillOp> fills;
  kernel.walk([&](FillOp fill) { fills.push_back(fill); });
  for (FillOp fill : fills) {
    Value sums = fill.getBuffer();
    if (!sums.getDefiningOp<AllocOp>() ||
        !(matchPattern(fill.getValue(), m_PosZeroFloat()) ||
          matchPattern(fill.getValue(), m_Zero())))
      continue;
    auto gemm = dyn_cast_or_null<GemmOp>(findNextUser(fill, sums));
    if (!gemm || gemm.getC() != sums || gemm.getClear() || gemm.getClearIf() ||
        getBaseBuffer(gemm.getA()) == sums ||
        getBaseBuffer(gemm.getB()) == sums)
      continue;
    gemm.setClear(true);
    fill.erase();
  }
}
