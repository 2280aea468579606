//===- TileHintOps.cpp - hints, assumptions and debugging -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

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

ParseResult AssumeOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseCondition(parser, result);
}

void AssumeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition();
  printer.printOptionalAttrDict((*this)->getAttrs());
}

ParseResult DeviceAssertOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseCondition(parser, result,
                        result.getOrAddProperties<Properties>().message);
}

void DeviceAssertOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition() << ", ";
  printer.printAttributeWithoutType(getMessageAttr());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"message"});
}

ParseResult PaddingValueOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseBufferAndValue(parser, result);
}

void PaddingValueOp::print(OpAsmPrinter &printer) {
  printBufferAndValue(printer, *this);
}

LogicalResult AnnotateLayoutOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  // tile.annotate_layout C1
  if (!type.hasStaticShape() || getMemorySpace(type) == MemorySpace::Global)
    return emitOpError()
           << "expected a tile of static shape that is not global, got "
           << type;
  // tile.annotate_layout C2
  std::vector<int64_t> shape = getTileLayout(getLayout()).shape();
  if (ArrayRef<int64_t>(shape) != type.getShape())
    return emitOpError() << "expected a layout of "
                         << formatShape(type.getShape()) << ", got one of "
                         << formatShape(shape);
  // tile.annotate_layout C3
  return verifyPlaces(*this, getLayout());
}

LogicalResult PaddingValueOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  // tile.padding_value C1
  if (getMemorySpace(type) != MemorySpace::Global)
    return emitOpError() << "expected a buffer in global memory, got '"
                         << stringifyMemorySpace(getMemorySpace(type)) << "'";
  // tile.padding_value C2
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError(
        "expected to be directly in the body of a 'tile.kernel'");
  for (auto other : kernel.getBody().getOps<PaddingValueOp>()) {
    if (other == *this)
      break;
    if (other.getBuffer() != getBuffer())
      continue;
    InFlightDiagnostic diag =
        emitOpError("the buffer has a padding value already");
    diag.attachNote(other.getLoc()) << "it is given here";
    return diag;
  }
  // tile.padding_value C3
  if (kernel.getBody().isAncestor(getValue().getParentRegion()) &&
      !matchPattern(getValue(), m_Constant()))
    return emitOpError(
        "expected a constant or a value that is defined outside of the kernel");
  return success();
}

LogicalResult RasterizeOp::verify() {
  // tile.rasterize C1
  auto group = static_cast<int64_t>(getGroup());
  if (group < 1)
    return emitOpError() << "expected a positive 'group', got " << group;
  // tile.rasterize C2
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError(
        "expected to be directly in the body of a 'tile.kernel'");
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
  return emitOpError() << "expected a number or a buffer of static shape, got "
                       << type;
}
