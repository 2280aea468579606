//===- Bounds.cpp - bounds of accesses ------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Bounds.h"

#include "Tile/Analysis/AccessSystem.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether `expr` is at least 0 in all the executions.
static bool isNeverNegative(const AccessSystem &executions, AffineExpr expr) {
  if (!expr)
    return false;
  AccessSystem negative = executions;
  negative.addNonNegative(-expr - 1);
  return negative.isEmpty();
}

// The executions know loops, guards and assumptions; ValueBounds knows more
// ops.
SmallVector<OpenBounds> tile::findOpenBounds(Operation *op,
                                             const BufferRegion &region) {
  using Bounds = ValueBoundsConstraintSet;
  SmallVector<OpenBounds> open;
  Builder b(op->getContext());
  AccessSystem executions(op->getContext());
  executions.addDomain(op, 0);
  for (unsigned dim = 0, e = region.sizes.size(); dim < e; ++dim) {
    // All of a dimension that only the run time knows.
    if (ShapedType::isDynamic(region.sizes[dim]))
      continue;
    AffineMap first = getOffset(region, dim);
    AffineMap last = AffineMap::get(
        first.getNumDims(), first.getNumSymbols(),
        first.getResult(0) + (region.sizes[dim] - 1), b.getContext());
    AffineExpr lastExpr = executions.getExpr(last, region.operands, 0);
    AffineExpr extent = executions.getExtent(region.buffer, dim);
    bool lower =
        isNeverNegative(executions,
                        executions.getExpr(first, region.operands, 0)) ||
        Bounds::compare({first, region.operands}, Bounds::GE,
                        {b.getIndexAttr(0)});
    bool upper =
        isNeverNegative(executions, lastExpr && extent ? extent - 1 - lastExpr
                                                       : AffineExpr()) ||
        Bounds::compare({last, region.operands}, Bounds::LT,
                        {region.buffer, static_cast<int64_t>(dim)});
    if (!lower || !upper)
      open.push_back({dim, !lower, !upper});
  }
  return open;
}

LogicalResult tile::verifyDimensionNumbers(Operation *root) {
  bool ok = true;
  root->walk([&](memref::DimOp dim) {
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!type || !index || (*index >= 0 && *index < type.getRank()))
      return;
    dim.emitOpError() << "expected a dimension from 0 to "
                      << type.getRank() - 1 << ", got " << *index;
    ok = false;
  });
  return success(ok);
}

SmallVector<bool> tile::findProvenDims(Operation *op,
                                       const BufferRegion &region) {
  SmallVector<bool> proven(region.sizes.size(), true);
  for (const OpenBounds &open : findOpenBounds(op, region))
    proven[open.dim] = false;
  return proven;
}

Value tile::findPaddingValue(KernelOp kernel, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  for (Value shown = buffer; shown;) {
    for (auto hint : kernel.getBody().getOps<PaddingValueOp>())
      if (hint.getBuffer() == shown)
        return hint.getValue();
    auto view = shown.getDefiningOp<ViewLikeOpInterface>();
    shown = view ? view.getViewSource() : Value();
    auto type = shown ? dyn_cast<MemRefType>(shown.getType()) : MemRefType();
    if (!type || type.getElementType() != element)
      return {};
  }
  return {};
}
