//===- TileHintOps.cpp - hints, assumptions and debugging -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tile;

/// Drops an op whose condition is known to hold.
template <typename OpTy>
static LogicalResult dropIfTrue(OpTy op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AssumeOp::canonicalize(AssumeOp op, PatternRewriter &rewriter) {
  return dropIfTrue(op, rewriter);
}

LogicalResult DeviceAssertOp::canonicalize(DeviceAssertOp op,
                                           PatternRewriter &rewriter) {
  return dropIfTrue(op, rewriter);
}

LogicalResult AnnotateLayoutOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  // tile.annotate_layout C1
  if (!type.hasStaticShape() || getMemorySpace(type) == MemorySpace::Global)
    return emitOpError()
           << "expected a tile of static shape that is not global, got "
           << type;
  // tile.annotate_layout C2
  if (getLayout().getNumDims() != type.getRank())
    return emitOpError() << "expected a layout of " << type.getRank()
                         << " dimensions for " << formatShape(type.getShape())
                         << ", got one of " << getLayout().getNumDims();
  if (getLayout().getNumSymbols() != 0)
    return emitOpError() << "expected a layout without symbols, got "
                         << getLayout().getNumSymbols();
  return success();
}

LogicalResult SafeValueOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  // tile.safe_value C1
  if (getMemorySpace(type) != MemorySpace::Global)
    return emitOpError() << "expected a buffer in global memory, got '"
                         << stringifyMemorySpace(getMemorySpace(type)) << "'";
  // tile.safe_value C2
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError(
        "expected to stand directly in the body of a 'tile.kernel'");
  for (auto other : kernel.getBody().getOps<SafeValueOp>()) {
    if (other == *this)
      break;
    if (other.getBuffer() != getBuffer())
      continue;
    InFlightDiagnostic diag =
        emitOpError("the buffer has a safe value already");
    diag.attachNote(other.getLoc()) << "it is given here";
    return diag;
  }
  // tile.safe_value C3
  if (kernel.getBody().isAncestor(getValue().getParentRegion()) &&
      !matchPattern(getValue(), m_Constant()))
    return emitOpError(
        "expected a constant or a value that is defined outside of the kernel");
  return success();
}

LogicalResult UseSwizzleOp::verify() {
  // tile.use_swizzle C1
  auto panel = static_cast<int64_t>(getPanel());
  if (panel < 1)
    return emitOpError() << "expected a positive 'panel', got " << panel;
  // tile.use_swizzle C2
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError(
        "expected to stand directly in the body of a 'tile.kernel'");
  if (kernel.getStaticGrid().size() < 2)
    return emitOpError() << "expected a grid of at least 2 dimensions, got "
                         << kernel.getStaticGrid().size();
  return success();
}

LogicalResult PrintOp::verify() {
  Type type = getValue().getType();
  auto memref = dyn_cast<MemRefType>(type);
  Type element = memref ? memref.getElementType() : type;
  // tile.print C1
  if (element.isIntOrIndexOrFloat() && (!memref || memref.hasStaticShape()))
    return success();
  return emitOpError()
         << "expected a number or a buffer of static shape, got " << type;
}
