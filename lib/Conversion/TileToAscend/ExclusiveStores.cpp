//===- ExclusiveStores.cpp - stores that may keep old values --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Where some iterations store to GM and others do not, a row is loaded, changed
// and stored. Elements that are not changed must be nobody else's.
//
//===----------------------------------------------------------------------===//

#include "ParallelParts.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Analysis/Bounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

static std::optional<tl::Access> getOnlyAccess(Operation *op) {
  SmallVector<tl::Access> accesses;
  if (failed(tl::collectAccesses(op, accesses)) || accesses.size() != 1)
    return std::nullopt;
  return accesses.front();
}

/// Whether executions at different points of `scope` never touch one element.
static bool areDisjoint(Region &scope, ValueRange point, Operation *a,
                        const tl::BufferRegion &aRegion, Operation *c,
                        const tl::BufferRegion &cRegion) {
  tl::AccessSystem same(a->getContext(), &scope);
  same.addDomain(a, 0);
  same.addDomain(c, 1);
  same.addSameElement(
      same.getAddress(aRegion.buffer, same.addElement(aRegion, 0), 0),
      same.getAddress(cRegion.buffer, same.addElement(cRegion, 1), 1));
  SmallVector<AffineExpr> first, second;
  for (Value value : point) {
    first.push_back(same.getExpr(value, 0));
    second.push_back(same.getExpr(value, 1));
  }
  for (unsigned dim = 0, e = first.size(); dim < e; ++dim)
    for (int sign : {1, -1}) {
      tl::AccessSystem ordered = same;
      for (unsigned before = 0; before < dim; ++before)
        ordered.addZero(second[before] - first[before]);
      ordered.addNonNegative((second[dim] - first[dim]) * sign - 1);
      if (!ordered.isEmpty())
        return false;
    }
  return true;
}

/// How far one step of the iteration variable goes along an index, if that is
/// the same everywhere.
static std::optional<int64_t> getStep(tl::ParallelOp op, Value index,
                                      BlockArgument variable) {
  if (index == variable)
    return 1;
  if (!getDependence(op, index).test(variable.getArgNumber()))
    return 0;
  Operation *def = index.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(def)) {
    std::optional<int64_t> a = getStep(op, def->getOperand(0), variable),
                           c = getStep(op, def->getOperand(1), variable);
    if (!a || !c)
      return std::nullopt;
    return isa<arith::AddIOp>(def) ? *a + *c : *a - *c;
  }
  auto apply = dyn_cast_or_null<affine::AffineApplyOp>(def);
  if (!apply)
    return std::nullopt;
  AffineMap map = apply.getAffineMap();
  AffineExpr expr = map.getResult(0);
  SmallVector<AffineExpr> dims, symbols;
  for (auto [i, operand] : llvm::enumerate(apply.getMapOperands())) {
    std::optional<int64_t> own = getStep(op, operand, variable);
    if (!own)
      return std::nullopt;
    bool isDim = i < map.getNumDims();
    AffineExpr place =
        isDim ? getAffineDimExpr(i, op.getContext())
              : getAffineSymbolExpr(i - map.getNumDims(), op.getContext());
    (isDim ? dims : symbols).push_back(place + *own);
  }
  AffineExpr step =
      simplifyAffineExpr(expr.replaceDimsAndSymbols(dims, symbols) - expr,
                         map.getNumDims(), map.getNumSymbols());
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// Whether the innermost variable goes along rows of the buffer.
static bool isAlongRows(tl::ParallelOp op, memref::StoreOp store) {
  std::optional<BlockArgument> last;
  for (BlockArgument variable : op.getBody().getArguments())
    if (op.getStaticExtents()[variable.getArgNumber()] != 1)
      last = variable;
  if (!last || store.getIndices().empty())
    return false;
  for (auto [i, index] : llvm::enumerate(store.getIndices()))
    if (getStep(op, index, *last) != int64_t(i + 1 == store.getIndices().size()))
      return false;
  return true;
}

bool mlir::tile::ascend::isExclusive(memref::StoreOp store) {
  auto op = store->getParentOfType<tl::ParallelOp>();
  auto kernel = op->getParentOfType<tl::KernelOp>();
  std::optional<tl::Access> own = getOnlyAccess(store);
  if (!own || !isAlongRows(op, store) ||
      !areDisjoint(op.getBody(), op.getBody().getArguments(), store,
                   own->region, store, own->region))
    return false;
  Value base = tl::getBaseBuffer(store.getMemRef());
  auto result = kernel.getBody().walk([&](Operation *inner) {
    // Vector cores of one block are not told apart.
    if (auto alloc = dyn_cast<tl::AllocOp>(inner)) {
      MemorySpace space = tl::getMemorySpace(alloc.getBuffer());
      return space == MemorySpace::L1 || space == MemorySpace::L0C
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    }
    SmallVector<tl::Access> accesses;
    if (failed(tl::collectAccesses(inner, accesses)))
      return WalkResult::interrupt();
    for (const tl::Access &access : accesses)
      if (access.kind != tl::AccessKind::Read &&
          tl::getBaseBuffer(access.region.buffer) == base &&
          !areDisjoint(kernel.getBody(), kernel.getBody().getArguments(), store,
                       own->region, inner, access.region))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}
