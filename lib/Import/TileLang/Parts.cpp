//===- Parts.cpp - tiles that are used in parts ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;

// More elements than threads hold in registers along with the rest.
static constexpr int64_t kMostRegisters = 128;

namespace {
/// A part of a tile, with constant bounds.
struct Box {
  SmallVector<int64_t> begin, sizes;

  bool operator==(const Box &other) const {
    return begin == other.begin && sizes == other.sizes;
  }
  bool isDisjoint(const Box &other) const {
    for (auto [a, m, b, n] :
         llvm::zip(begin, sizes, other.begin, other.sizes))
      if (a + m <= b || b + n <= a)
        return true;
    return false;
  }
};

/// A copy that reads or writes a part.
struct PartUse {
  CopyOp copy;
  bool isSource;
  unsigned box;
};
} // namespace

static std::optional<Box> getBox(const BufferRegion &region) {
  if (ShapedType::isDynamicShape(region.sizes))
    return std::nullopt;
  Box box;
  box.sizes = region.sizes;
  if (!region.map) {
    box.begin.assign(region.sizes.size(), 0);
    return box;
  }
  for (AffineExpr expr : region.map.getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant)
      return std::nullopt;
    box.begin.push_back(constant.getValue());
  }
  return box;
}

/// The parts of a tile and who copies them; false if there are other users, or
/// parts that overlap.
static bool findParts(AllocOp alloc, SmallVectorImpl<Box> &boxes,
                      SmallVectorImpl<PartUse> &uses) {
  Value tile = alloc.getBuffer();
  ArrayRef<int64_t> shape = cast<MemRefType>(tile.getType()).getShape();
  for (Operation *user : tile.getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (!copy || (copy.getSource() == tile) == (copy.getTarget() == tile))
      return false;
    bool isSource = copy.getSource() == tile;
    std::optional<Box> box =
        getBox(isSource ? copy.getSourceRegion() : copy.getTargetRegion());
    if (!box || box->begin.size() != shape.size())
      return false;
    for (auto [begin, size, extent] : llvm::zip(box->begin, box->sizes, shape))
      if (begin < 0 || begin + size > extent)
        return false;
    auto *known = llvm::find(boxes, *box);
    if (known == boxes.end()) {
      if (llvm::any_of(boxes, [&](const Box &other) {
            return !box->isDisjoint(other);
          }))
        return false;
      boxes.push_back(*box);
      known = std::prev(boxes.end());
    }
    uses.push_back({copy, isSource, unsigned(known - boxes.begin())});
  }
  return boxes.size() > 1;
}

static void split(AllocOp alloc) {
  SmallVector<Box> boxes;
  SmallVector<PartUse> uses;
  if (!findParts(alloc, boxes, uses))
    return;
  OpBuilder b(alloc);
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  SmallVector<Value> tiles;
  for (const Box &box : boxes)
    tiles.push_back(AllocOp::create(
        b, alloc.getLoc(),
        MemRefType::get(box.sizes, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace()),
        LayoutAttr(), IntegerAttr()));
  for (const PartUse &use : uses) {
    CopyOp copy = use.copy;
    if (use.isSource) {
      copy.getSourceMutable().assign(tiles[use.box]);
      copy.getSourceIndicesMutable().clear();
      copy.removeSourceMapAttr();
      copy.removeSourceSizesAttr();
    } else {
      copy.getTargetMutable().assign(tiles[use.box]);
      copy.getTargetIndicesMutable().clear();
      copy.removeTargetMapAttr();
      copy.removeTargetSizesAttr();
    }
  }
  alloc.erase();
}

/// Whether an op, or one in its regions, writes the tile.
static bool writes(Operation *op, Value tile) {
  return op
      ->walk([&](Operation *nested) {
        SmallVector<Access> accesses;
        bool isKnown = succeeded(collectAccesses(nested, accesses));
        bool isWrite = llvm::any_of(accesses, [&](const Access &access) {
          return access.kind != AccessKind::Read &&
                 getBaseBuffer(access.region.buffer) == tile;
        });
        bool isHidden = !isKnown && nested->getNumRegions() == 0 &&
                        llvm::is_contained(nested->getOperands(), tile);
        return isWrite || isHidden ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether registers gain nothing over the shared tile that they are a copy of:
/// a thread reads what others hold, or reads once, and more than it can hold.
static bool isBetterShared(CopyOp copy) {
  int64_t numReads = 0, steps = 0;
  bool isAcross = false;
  for (Operation *user : copy.getTarget().getUsers()) {
    if (user == copy)
      continue;
    auto load = dyn_cast<memref::LoadOp>(user);
    auto loop = user->getParentOfType<ParallelOp>();
    if (!load || !loop)
      return false;
    isAcross |= llvm::any_of(load.getIndices(), [&](Value index) {
      auto coordinate = dyn_cast<BlockArgument>(index);
      return !coordinate || coordinate.getOwner() != &loop.getBody().front();
    });
    ++numReads;
    if (!ShapedType::isDynamicShape(loop.getStaticExtents()))
      steps = ShapedType::getNumElements(loop.getStaticExtents()) /
              int64_t(loop->getParentOfType<KernelOp>().getThreads());
  }
  return isAcross || (numReads == 1 && steps > kMostRegisters);
}

/// A copy of a whole shared tile, which nothing else writes, while nothing
/// writes the tile that it is of until the copy was read for the last time.
static bool isAlias(CopyOp copy) {
  auto source = copy.getSource().getDefiningOp<AllocOp>();
  auto target = copy.getTarget().getDefiningOp<AllocOp>();
  if (!source || !target || source == target || copy.getSourceMap() ||
      copy.getTargetMap() ||
      getMemorySpace(copy.getSource()) != MemorySpace::Shared)
    return false;
  auto from = cast<MemRefType>(copy.getSource().getType());
  auto to = cast<MemRefType>(copy.getTarget().getType());
  MemorySpace space = getMemorySpace(to);
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType() ||
      (space != MemorySpace::Shared &&
       (space != MemorySpace::Fragment || !isBetterShared(copy))))
    return false;
  Block *block = copy->getBlock();
  Operation *last = copy;
  for (Operation *user : copy.getTarget().getUsers()) {
    Operation *place = block->findAncestorOpInBlock(*user);
    if (user != copy && (!place || !copy->isBeforeInBlock(place) ||
                         isa<ViewLikeOpInterface>(user) ||
                         writes(user, copy.getTarget())))
      return false;
    if (place && last->isBeforeInBlock(place))
      last = place;
  }
  for (Operation *next = copy; next != last;) {
    next = next->getNextNode();
    if (writes(next, copy.getSource()))
      return false;
  }
  return true;
}

void tilelang::splitTiles(func::FuncOp function) {
  SmallVector<AllocOp> tiles;
  function.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared)
      tiles.push_back(alloc);
  });
  for (AllocOp alloc : tiles) {
    divideLoads(alloc);
    split(alloc);
  }
  SmallVector<CopyOp> copies;
  function.walk([&](CopyOp copy) {
    if (isAlias(copy))
      copies.push_back(copy);
  });
  for (CopyOp copy : copies) {
    Operation *target = copy.getTarget().getDefiningOp();
    Value source = copy.getSource();
    copy.erase();
    target->getResult(0).replaceAllUsesWith(source);
    target->erase();
  }
}
