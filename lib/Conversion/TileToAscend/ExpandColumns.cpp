//===- ExpandColumns.cpp - copies of elements that are apart --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Bounds.h"
#include "Tile/Conversion/Cast.h"
#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDEXPANDCOLUMNSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether elements of the region that follow each other in the tile are apart
/// in memory: behind the last of its dimensions that are not 1, the buffer has
/// more than one element. The rows of a tile of one column are copied as such,
/// where they are not converted.
static bool isStrided(const BufferRegion &region, MemRefType tile) {
  auto shape = region.getType().getShape();
  unsigned kept = 0, last = 0;
  for (auto [dim, size] : llvm::enumerate(region.sizes))
    if (size != 1)
      ++kept, last = dim;
  bool converts = region.getType().getElementType() != tile.getElementType();
  int64_t least = converts ? 1 : std::min<int64_t>(2, tile.getRank());
  return kept >= least && kept > 0 &&
         !llvm::all_of(shape.drop_front(last + 1),
                       [](int64_t extent) { return extent == 1; });
}

static bool isExpanded(CopyOp copy) {
  auto source = cast<MemRefType>(copy.getSource().getType()),
       target = cast<MemRefType>(copy.getTarget().getType());
  bool loads = getMemorySpace(source) == MemorySpace::Global;
  if (loads == (getMemorySpace(target) == MemorySpace::Global) ||
      source.getElementTypeBitWidth() < 8 ||
      target.getElementTypeBitWidth() < 8)
    return false;
  return isStrided(loads ? copy.getSourceRegion() : copy.getTargetRegion(),
                   loads ? target : source);
}

namespace {
/// An element of a region in the body of the loop.
struct Element {
  SmallVector<Value> indices;
  Value inside; ///< null: it is known to be
};
} // namespace

static Element getElement(OpBuilder &b, CopyOp copy, const BufferRegion &region,
                          ValueRange ivs) {
  Location loc = copy.getLoc();
  Element element;
  AffineMap map = region.map; // null: at the first element
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    SmallVector<Value> operands(region.operands);
    AffineExpr index = map ? map.getResult(dim) : b.getAffineConstantExpr(0);
    unsigned dims = map ? map.getNumDims() : 0,
             symbols = map ? map.getNumSymbols() : 0;
    if (size != 1) {
      index = index + b.getAffineDimExpr(dims);
      operands.insert(operands.begin() + dims++, ivs.front());
      ivs = ivs.drop_front();
    }
    element.indices.push_back(affine::AffineApplyOp::create(
        b, loc, AffineMap::get(dims, symbols, index), operands));
  }
  if (getMemorySpace(region.buffer) != MemorySpace::Global)
    return element;
  auto require = [&](arith::CmpIPredicate predicate, Value index, Value bound) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, index, bound);
    element.inside =
        element.inside
            ? arith::AndIOp::create(b, loc, element.inside, holds).getResult()
            : holds;
  };
  for (OpenBounds open : findOpenBounds(copy, region)) {
    Value index = element.indices[open.dim];
    if (open.lower)
      require(arith::CmpIPredicate::sge, index,
              arith::ConstantIndexOp::create(b, loc, 0));
    if (!open.upper)
      continue;
    int64_t extent = region.getType().getDimSize(open.dim);
    Value end;
    if (ShapedType::isDynamic(extent))
      end = memref::DimOp::create(b, loc, region.buffer, open.dim);
    else
      end = arith::ConstantIndexOp::create(b, loc, extent);
    require(arith::CmpIPredicate::slt, index, end);
  }
  return element;
}

static void expand(CopyOp copy) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  BufferRegion from = copy.getSourceRegion(), to = copy.getTargetRegion();
  SmallVector<int64_t> shape = from.getMatchedSizes();
  auto loop = ParallelOp::create(b, loc, ValueRange(), shape, IntegerAttr(),
                                 LayoutAttr());
  SmallVector<Type> types(shape.size(), b.getIndexType());
  Block *body = b.createBlock(&loop.getBody(), {}, types,
                              SmallVector<Location>(shape.size(), loc));
  Element source = getElement(b, copy, from, body->getArguments());
  Element target = getElement(b, copy, to, body->getArguments());
  Type type = from.getType().getElementType();
  auto load = [&]() -> Value {
    return memref::LoadOp::create(b, loc, from.buffer, source.indices);
  };
  Value value;
  if (!source.inside) {
    value = load();
  } else {
    auto branch = scf::IfOp::create(b, loc, type, source.inside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, load());
    b.setInsertionPointToStart(branch.elseBlock());
    Value padding =
        findPaddingValue(copy->getParentOfType<KernelOp>(), from.buffer);
    if (!padding)
      padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    scf::YieldOp::create(b, loc, padding);
    value = branch.getResult(0);
  }
  if (target.inside)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, loc, target.inside, /*withElseRegion=*/false)
            .thenBlock());
  value = castElement(b, loc, value, to.getType().getElementType(),
                      {copy.getIsUnsigned(), copy.getSaturate()});
  memref::StoreOp::create(b, loc, value, to.buffer, target.indices);
  copy.erase();
}

namespace {
struct AscendExpandColumns
    : tile::impl::AscendExpandColumnsPassBase<AscendExpandColumns> {
  void runOnOperation() override {
    SmallVector<CopyOp> copies;
    getOperation()->walk([&](CopyOp copy) {
      if (copy->getParentOfType<KernelOp>() && isExpanded(copy))
        copies.push_back(copy);
    });
    for (CopyOp copy : copies)
      expand(copy);
  }
};
} // namespace
