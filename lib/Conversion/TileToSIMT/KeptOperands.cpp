//===- KeptOperands.cpp - registers that a loop reads again and again -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

/// Whether the op itself is known to write to the buffer.
static bool writes(Operation *op, Value base) {
  SmallVector<Access> accesses;
  return succeeded(collectAccesses(op, accesses)) &&
         llvm::any_of(accesses, [&](const Access &access) {
           return access.kind != AccessKind::Read &&
                  getBaseBuffer(access.region.buffer) == base;
         });
}

static bool isWrittenIn(LoopLikeOpInterface loop, Value base) {
  return loop
      ->walk([&](Operation *op) {
        return writes(op, base) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

void simt::markKeptOperands(KernelOp kernel) {
  kernel.walk([&](GemmOp gemm) {
    auto loop = gemm->getParentOfType<LoopLikeOpInterface>();
    if (loop && getMemorySpace(gemm.getA()) == MemorySpace::Fragment &&
        !isWrittenIn(loop, getBaseBuffer(gemm.getA())))
      gemm->setAttr(kKeptAttrName, UnitAttr::get(gemm.getContext()));
  });
}
