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
#include "Tile/Dialect/Tile/IR/TeamOps.h"

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

/// Registers that are kept leave none for the addresses of parts of A that wait
/// for another gemm, if these are many: of 64 bits, one for each step of K.
static void markOwnAddresses(ArrayRef<GemmOp> gemms) {
  constexpr int64_t kMostRegisters = 32;
  DenseMap<Value, SmallVector<GemmOp>> readers;
  for (GemmOp gemm : gemms)
    if (getMemorySpace(gemm.getA()) == MemorySpace::Shared &&
        gemm.getInstructionAttr())
      readers[getBaseBuffer(gemm.getA())].push_back(gemm);
  int64_t registers = 0;
  for (auto &[tile, users] : readers)
    if (users.size() > 1)
      registers +=
          2 * users.front().getK() / users.front().getInstructionAttr().getK();
  for (auto &[tile, users] : readers)
    if (users.size() > 1 && registers > kMostRegisters)
      for (GemmOp gemm : users)
        gemm->setAttr(kOwnAddressesAttrName, UnitAttr::get(gemm.getContext()));
}

void simt::markKeptOperands(KernelOp kernel) {
  SmallVector<GemmOp> gemms;
  kernel.walk([&](GemmOp gemm) {
    gemms.push_back(gemm);
    // The programs of teams read one stage in several places.
    if (gemm->getParentOfType<TeamOp>() && gemm.getInstructionAttr())
      gemm->setAttr(kOwnAddressesAttrName, UnitAttr::get(gemm.getContext()));
  });
  bool isAnyKept = false;
  for (GemmOp gemm : gemms) {
    auto loop = gemm->getParentOfType<LoopLikeOpInterface>();
    if (!loop || getMemorySpace(gemm.getA()) != MemorySpace::Fragment ||
        isWrittenIn(loop, getBaseBuffer(gemm.getA())))
      continue;
    gemm->setAttr(kKeptAttrName, UnitAttr::get(gemm.getContext()));
    isAnyKept = true;
  }
  if (isAnyKept)
    markOwnAddresses(gemms);
}
