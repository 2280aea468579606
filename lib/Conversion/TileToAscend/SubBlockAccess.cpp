//===- SubBlockAccess.cpp - accesses of GM by two cores
//--------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SubBlockAccess.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::ascend;

/// Adds that the element is one that the core touches; false if it touches
/// none.
static bool addShare(AccessSystem &system, const SubBlockAccess &use,
                     ArrayRef<AffineExpr> element, unsigned instance,
                     unsigned core) {
  if (use.share == SubBlockAccess::Both)
    return true;
  if (use.share == SubBlockAccess::First)
    return core == 0;
  AffineExpr row;
  if (use.variable) {
    row = system.getExpr(use.variable, instance);
  } else {
    AffineExpr first = system.getExpr(getOffset(use.region, use.dim),
                                      use.region.operands, instance);
    if (first && element[use.dim])
      row = element[use.dim] - first;
  }
  // Where the row is not known, all of them may be meant.
  int64_t half = llvm::divideCeil(use.rows, 2);
  if (row)
    system.addNonNegative(core == 0 ? half - 1 - row : row - half);
  return true;
}

/// Whether `a` on one core and `c` on the other one, in any iterations, may
/// touch the same element.
static bool mayShareElement(const SubBlockAccess &a, const SubBlockAccess &c,
                            unsigned core) {
  auto kernel = a.op->getParentOfType<KernelOp>();
  AccessSystem system(kernel.getContext(), &kernel.getBody());
  system.addDomain(a.op, 0);
  system.addDomain(c.op, 1);
  // Both are of one block.
  for (BlockArgument block : kernel.getBody().getArguments())
    system.addZero(system.getExpr(block, 0) - system.getExpr(block, 1));
  SmallVector<AffineExpr> x = system.addElement(a.region, 0),
                          y = system.addElement(c.region, 1);
  if (!addShare(system, a, x, 0, core) || !addShare(system, c, y, 1, 1 - core))
    return false;
  ElementAddress p = system.getAddress(a.region.buffer, x, 0),
                 q = system.getAddress(c.region.buffer, y, 1);
  if (p.base != q.base)
    return true;
  system.addSameElement(p, q);
  return !system.isEmpty();
}

bool mlir::tile::ascend::mayConflict(const SubBlockAccess &a,
                                     const SubBlockAccess &c) {
  if ((!a.writes && !c.writes) ||
      getBaseBuffer(a.region.buffer) != getBaseBuffer(c.region.buffer))
    return false;
  return mayShareElement(a, c, 0) || mayShareElement(a, c, 1);
}
