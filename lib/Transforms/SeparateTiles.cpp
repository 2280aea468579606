//===- SeparateTiles.cpp - one tile for each of its contents --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs use a tile again behind a loop, for results on their way out. A
// producer cannot load a tile that others write, too: the results get a tile
// of their own, which takes the place of what nobody needs any more. Where a
// producer runs ahead into the next block's work, nothing else can lie in the
// place of its stages, so the tile stays one: only producers that gather do
// not run ahead like that.
//
//===----------------------------------------------------------------------===//

#include "SelectInstructions.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

/// The copy of the kernel's body that gives the whole tile new contents; null
/// if `op` does not.
static CopyOp getFilling(Operation *op, Value tile) {
  auto copy = dyn_cast<CopyOp>(op);
  return copy && copy.getTarget() == tile && copy.getSource() != tile &&
                 isa<KernelOp>(copy->getParentOp()) &&
                 isWhole(copy.getTargetRegion())
             ? copy
             : CopyOp();
}

/// Whether an op does nothing to the tile but read it.
static bool onlyReads(Operation *op, Value tile) {
  SmallVector<Access> accesses;
  return !isa<ViewLikeOpInterface, AnnotateLayoutOp>(op) &&
         succeeded(collectAccesses(op, accesses)) &&
         llvm::all_of(accesses, [&](const Access &access) {
           return access.kind == AccessKind::Read ||
                  getBaseBuffer(access.region.buffer) != tile;
         });
}

static void separate(AllocOp alloc, const ::tile::target::Target &target) {
  Value tile = alloc.getBuffer();
  Block *body = alloc->getBlock();
  SmallVector<std::pair<Operation *, Operation *>> users;
  for (Operation *user : tile.getUsers()) {
    if (isa<ViewLikeOpInterface, AnnotateLayoutOp>(user))
      return;
    users.emplace_back(body->findAncestorOpInBlock(*user), user);
  }
  llvm::stable_sort(users, [](const auto &a, const auto &b) {
    return a.first != b.first && a.first->isBeforeInBlock(b.first);
  });
  CopyOp first = users.empty() ? CopyOp() : getFilling(users[0].second, tile);
  if (!first || !isLoadedBesideGathers(first, target))
    return;
  auto *again = std::next(users.begin());
  while (again != users.end() && !getFilling(again->second, tile)) {
    if (!onlyReads(again->second, tile))
      return;
    ++again;
  }
  if (again == users.end())
    return;
  OpBuilder b(alloc);
  b.setInsertionPointAfter(alloc);
  auto own = cast<AllocOp>(b.clone(*alloc));
  for (auto [place, user] : llvm::make_range(again, users.end()))
    user->replaceUsesOfWith(tile, own.getBuffer());
}

void mlir::tile::separateTiles(KernelOp kernel,
                               const ::tile::target::Target &target) {
  SmallVector<AllocOp> allocs(kernel.getBody().getOps<AllocOp>());
  for (AllocOp alloc : allocs)
    if (getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared)
      separate(alloc, target);
}
