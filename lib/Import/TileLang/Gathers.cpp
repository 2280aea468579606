//===- Gathers.cpp - loops that copy the rows a list names ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gathers.h"

#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// An index in the body: an iteration, if any, plus what is known outside.
struct Index {
  std::optional<unsigned> iteration;
  AffineExpr offset;
};

/// The loop, and what it would be as a gather.
class Gather {
public:
  explicit Gather(ParallelOp loop) : loop(loop) {}

  bool match();
  void replace();

private:
  std::optional<Index> getIndex(Value value);
  bool matchBody();
  bool matchSource();
  bool matchList();

  ParallelOp loop;
  memref::LoadOp source, list;
  memref::StoreOp store;
  /// The operands of offsets, which are defined outside of the loop.
  SmallVector<Value> operands;
  SmallVector<AffineExpr> sourceOffsets, listOffsets;
  SmallVector<int64_t> sizes;
  unsigned dim = 0;
  std::optional<unsigned> rows; ///< the iteration that counts them
};
} // namespace

std::optional<Index> Gather::getIndex(Value value) {
  auto map = AffineMap::getMultiDimIdentityMap(1, loop.getContext());
  SmallVector<Value> parts = {value};
  affine::fullyComposeAffineMapAndOperands(&map, &parts);
  affine::canonicalizeMapAndOperands(&map, &parts);
  Index index;
  SmallVector<AffineExpr> dims, symbols;
  Block *body = &loop.getBody().front();
  AffineExpr expr = map.getResult(0);
  for (auto [i, part] : llvm::enumerate(parts)) {
    bool isDim = i < map.getNumDims();
    AffineExpr old =
        isDim ? getAffineDimExpr(i, loop.getContext())
              : getAffineSymbolExpr(i - map.getNumDims(), loop.getContext());
    AffineExpr made;
    if (part.getParentBlock() == body) {
      auto argument = dyn_cast<BlockArgument>(part);
      // Once, with a factor of 1: what is left does not depend on it.
      AffineExpr rest = simplifyAffineExpr(expr - old, map.getNumDims(),
                                           map.getNumSymbols());
      if (!argument || index.iteration || rest.isFunctionOfDim(i) || !isDim)
        return std::nullopt;
      index.iteration = argument.getArgNumber();
      expr = rest;
      made = getAffineConstantExpr(0, loop.getContext());
    } else {
      if (loop->isAncestor(part.getParentBlock()->getParentOp()))
        return std::nullopt;
      made = getAffineDimExpr(operands.size(), loop.getContext());
      operands.push_back(part);
    }
    (isDim ? dims : symbols).push_back(made);
  }
  index.offset = expr.replaceDimsAndSymbols(dims, symbols);
  return index;
}

/// Loads an element of a list, loads the element it leads to, and stores it.
bool Gather::matchBody() {
  for (Operation &op : loop.getBody().front().without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      (list ? source : list) = load;
    else if (auto made = dyn_cast<memref::StoreOp>(op); made && !store)
      store = made;
    else if (!isa<affine::AffineApplyOp, arith::ConstantOp,
                  arith::IndexCastOp>(op))
      return false;
  }
  if (!store || !source || store.getValue() != source.getResult() ||
      getMemorySpace(store.getMemref()) != MemorySpace::Shared ||
      getMemorySpace(source.getMemref()) != MemorySpace::Global)
    return false;
  // All elements of the tile, in their order.
  auto arguments = loop.getBody().getArguments();
  return llvm::equal(store.getIndices(), arguments) &&
         loop.getStaticExtents() ==
             cast<MemRefType>(store.getMemref().getType()).getShape();
}

bool Gather::matchSource() {
  unsigned next = 0;
  bool found = false;
  for (auto [i, value] : llvm::enumerate(source.getIndices())) {
    auto cast = value.getDefiningOp<arith::IndexCastOp>();
    if (cast && cast.getIn() == list.getResult()) {
      if (found)
        return false;
      found = true;
      dim = i;
      rows = next;
      sourceOffsets.push_back(getAffineConstantExpr(0, loop.getContext()));
    } else {
      std::optional<Index> index = getIndex(value);
      if (!index || (index->iteration && *index->iteration != next))
        return false;
      sourceOffsets.push_back(index->offset);
      if (!index->iteration) {
        sizes.push_back(1);
        continue;
      }
    }
    if (next == loop.getStaticExtents().size())
      return false;
    sizes.push_back(loop.getStaticExtents()[next++]);
  }
  return found && next == loop.getStaticExtents().size();
}

/// Entries past the end of a list are rows of padding, here they would be 0.
bool Gather::matchList() {
  MemorySpace space = getMemorySpace(list.getMemref());
  if (space != MemorySpace::Global && space != MemorySpace::Shared)
    return false;
  size_t rank = list.getIndices().size();
  SmallVector<int64_t> extents(rank, 1);
  for (auto [i, value] : llvm::enumerate(list.getIndices())) {
    std::optional<Index> index = getIndex(value);
    if (!index ||
        index->iteration != (i + 1 == rank ? rows : std::optional<unsigned>()))
      return false;
    listOffsets.push_back(index->offset);
  }
  if (rank == 0)
    return false;
  extents.back() = loop.getStaticExtents()[*rows];
  BufferRegion region = {
      list.getMemref(),
      AffineMap::get(operands.size(), 0, listOffsets, loop.getContext()),
      operands, extents};
  return llvm::all_of(findOpenBounds(loop, region),
                      [](OpenBounds open) { return !open.lower && !open.upper; });
}

bool Gather::match() {
  return loop.getDynamicExtents().empty() && matchBody() && matchSource() &&
         matchList();
}

void Gather::replace() {
  OpBuilder builder(loop);
  auto map = [&](ArrayRef<AffineExpr> offsets) {
    return AffineMap::get(operands.size(), 0, offsets, loop.getContext());
  };
  AffineMap sourceMap = map(sourceOffsets), listMap = map(listOffsets);
  SmallVector<Value> sourceOperands(operands), listOperands(operands);
  affine::canonicalizeMapAndOperands(&sourceMap, &sourceOperands);
  affine::canonicalizeMapAndOperands(&listMap, &listOperands);
  GatherOp::create(builder, source.getLoc(), source.getMemref(),
                   sourceOperands, list.getMemref(), listOperands,
                   store.getMemref(), /*signal=*/Value(), sourceMap,
                   builder.getDenseI64ArrayAttr(sizes), listMap, dim,
                   TransferAttr());
  loop.erase();
}

void tilelang::raiseGathers(Operation *root) {
  root->walk([](ParallelOp loop) {
    if (Gather gather(loop); gather.match())
      gather.replace();
  });
}
