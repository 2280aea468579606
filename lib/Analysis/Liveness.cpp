//===- Liveness.cpp - live ranges of buffers and their packing ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Liveness.h"

#include "Tile/Analysis/Accesses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

Positions::Positions(Operation *root) {
  int64_t next = 0;
  root->walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      positions[op].begin = next++;
    if (stage.isAfterAllRegions())
      positions[op].end = next++;
  });
}

LiveRange Positions::getRange(ArrayRef<Operation *> ops, Block *block) const {
  LiveRange range = get(block->findAncestorOpInBlock(*ops.front()));
  for (Operation *op : ops.drop_front())
    range = range.join(get(block->findAncestorOpInBlock(*op)));
  return range;
}

SmallVector<Operation *> mlir::tile::collectBufferUsers(Value buffer) {
  SmallVector<Operation *> users;
  SmallVector<Value> views{buffer};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        views.push_back(user->getResult(0));
      else
        users.push_back(user);
    }
  return users;
}

bool mlir::tile::redefines(Operation *op, Value buffer,
                           function_ref<bool(const BufferRegion &)> isAll) {
  SmallVector<Access> accesses;
  (void)collectAccesses(op, accesses);
  bool isWritten = false;
  for (const Access &access : accesses) {
    if (getBaseBuffer(access.region.buffer) != buffer)
      continue;
    if (access.kind != AccessKind::Write || !isAll(access.region))
      return false;
    isWritten = true;
  }
  return isWritten;
}

void mlir::tile::placeLowest(Placement &item, ArrayRef<Placement *> placed) {
  SmallVector<Placement *> others;
  for (Placement *other : placed)
    if (other->range.overlaps(item.range))
      others.push_back(other);
  llvm::sort(others,
             [](Placement *a, Placement *b) { return a->offset < b->offset; });
  item.offset = 0;
  for (Placement *other : others) {
    if (item.offset + item.bytes <= other->offset)
      return;
    item.offset = std::max(
        item.offset,
        int64_t(llvm::alignTo(other->offset + other->bytes, item.align)));
  }
}
