//===- SameTiles.cpp - tiles that hold the same ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SameTiles.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether the copy fills all of a tile, and the ops behind it in its block
/// read that, and write nothing to it.
static bool fillsAlone(CopyOp copy) {
  auto alloc = copy.getTarget().getDefiningOp<AllocOp>();
  if (!alloc || !isWhole(copy.getTargetRegion()))
    return false;
  return llvm::all_of(alloc.getBuffer().getUsers(), [&](Operation *user) {
    if (user == copy)
      return true;
    Operation *place = copy->getBlock()->findAncestorOpInBlock(*user);
    SmallVector<Access> accesses;
    return place && copy->isBeforeInBlock(place) &&
           isa<TileAccessOpInterface, memref::LoadOp>(user) &&
           succeeded(collectAccesses(user, accesses)) &&
           llvm::all_of(accesses, [&](const Access &access) {
             return access.region.buffer != alloc.getBuffer() ||
                    access.kind == AccessKind::Read;
           });
  });
}

static bool haveSameSource(CopyOp a, CopyOp b) {
  return a.getSource() == b.getSource() &&
         a.getSourceIndices() == b.getSourceIndices() &&
         a.getTarget().getType() == b.getTarget().getType() &&
         a.getProperties() == b.getProperties();
}

/// Whether what an op does may change what the copy would read.
static bool mayChangeSource(Operation *op, CopyOp copy) {
  Value source = getBaseBuffer(copy.getSource());
  bool isGlobal = getMemorySpace(source) == MemorySpace::Global;
  return op
      ->walk([&](Operation *nested) {
        SmallVector<Access> accesses;
        if (failed(collectAccesses(nested, accesses)))
          return WalkResult::interrupt();
        for (const Access &access : accesses) {
          // Of two buffers in global memory, one may be the other.
          Value written = getBaseBuffer(access.region.buffer);
          if (access.kind != AccessKind::Read &&
              (written == source ||
               (isGlobal && getMemorySpace(written) == MemorySpace::Global)))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

void tilelang::joinSameTiles(func::FuncOp function) {
  SmallVector<CopyOp> copies;
  function.walk([&](CopyOp copy) {
    if (fillsAlone(copy))
      copies.push_back(copy);
  });
  DenseSet<Operation *> gone;
  for (CopyOp copy : copies) {
    if (gone.contains(copy))
      continue;
    for (Operation *op = copy->getNextNode(); op && !mayChangeSource(op, copy);
         op = op->getNextNode()) {
      auto other = dyn_cast<CopyOp>(op);
      if (!other || !llvm::is_contained(copies, other) ||
          !haveSameSource(copy, other))
        continue;
      gone.insert(other);
      other.getTarget().replaceAllUsesExcept(copy.getTarget(), other);
    }
  }
  for (Operation *op : gone) {
    auto alloc = cast<CopyOp>(op).getTarget().getDefiningOp();
    op->erase();
    alloc->erase();
  }
}
