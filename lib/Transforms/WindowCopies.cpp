//===- WindowCopies.cpp - windows that are boxes of the image -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Transforms/Windows.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class WindowCopy {
public:
  explicit WindowCopy(Im2ColOp op)
      : op(op), image(cast<MemRefType>(op.getImage().getType())),
        tile(cast<MemRefType>(op.getTarget().getType())),
        height(op.getOutputExtent(0)), width(op.getOutputExtent(1)),
        channels(image.getDimSize(3)),
        columns(op.getKernel()[0] * op.getKernel()[1] * channels) {}

  bool isBox();
  void create();

private:
  bool findBox();
  bool isMultiple(unsigned offset, int64_t factor);
  bool staysInColumns();
  AffineMap getOffsets();

  Im2ColOp op;
  MemRefType image, tile;
  int64_t height, width, channels, columns;
  /// Images, lines, pixels and channels.
  SmallVector<int64_t> box;
};
} // namespace

/// Whether the offset is a multiple of `factor` in all executions.
bool WindowCopy::isMultiple(unsigned offset, int64_t factor) {
  AccessSystem system(op->getContext());
  system.addDomain(op, 0);
  AffineExpr first = system.getExpr(op.getImageMap().getSubMap({offset}),
                                    op.getImageIndices(), 0);
  if (!first)
    return false;
  AffineExpr quotient = system.addVariable(), rest = system.addVariable();
  system.addZero(first - quotient * factor - rest);
  system.addNonNegative(rest - 1);
  system.addNonNegative(-rest + (factor - 1));
  return system.isEmpty();
}

/// Whether the tile has no columns that the matrix has not.
bool WindowCopy::staysInColumns() {
  auto leaves = [&](bool below) {
    AccessSystem system(op->getContext());
    system.addDomain(op, 0);
    AffineExpr first = system.getExpr(op.getImageMap().getSubMap({1}),
                                      op.getImageIndices(), 0);
    if (!first)
      return true;
    system.addNonNegative(below ? -first - 1
                                : first + tile.getDimSize(1) - 1 - columns);
    return !system.isEmpty();
  };
  return !leaves(/*below=*/true) && !leaves(/*below=*/false);
}

bool WindowCopy::findBox() {
  int64_t rows = tile.getDimSize(0);
  if (width % rows == 0)
    box = {1, 1, rows};
  else if (rows % width == 0 && height % (rows / width) == 0)
    box = {1, rows / width, width};
  else if (rows % (height * width) == 0)
    box = {rows / (height * width), height, width};
  else
    return false;
  box.push_back(tile.getDimSize(1));
  return true;
}

bool WindowCopy::isBox() {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || op.getStride() != 1 || height < 1 || width < 1 ||
      channels % tile.getDimSize(1) != 0)
    return false;
  // Outside of the image, windows have zeros, copies the padding value.
  for (auto hint : kernel.getBody().getOps<PaddingValueOp>())
    if (hint.getBuffer() == op.getImage())
      return false;
  return findBox() && isMultiple(0, tile.getDimSize(0)) &&
         isMultiple(1, tile.getDimSize(1)) && staysInColumns();
}

AffineMap WindowCopy::getOffsets() {
  AffineMap first = op.getImageMap();
  AffineExpr p = first.getResult(0), q = first.getResult(1);
  AffineExpr tap = q.floorDiv(channels);
  int64_t pad = op.getPad(), dilation = op.getDilation();
  int64_t taps = op.getKernel()[1];
  AffineExpr line =
      (p.floorDiv(width)) % height + tap.floorDiv(taps) * dilation;
  AffineExpr pixel = p % width + tap % taps * dilation;
  return simplifyAffineMap(AffineMap::get(
      first.getNumDims(), first.getNumSymbols(),
      {p.floorDiv(height * width), line - pad, pixel - pad, q % channels},
      op.getContext()));
}

void WindowCopy::create() {
  OpBuilder b(op);
  Value target = op.getTarget();
  if (box[1] > 1)
    target = ReshapeOp::create(
        b, op.getLoc(), MemRefType(MemRefType::Builder(tile).setShape(box)),
        target);
  CopyOp::create(b, op.getLoc(), op.getImage(), op.getImageIndices(), target,
                 ValueRange(), AffineMapAttr::get(getOffsets()),
                 b.getDenseI64ArrayAttr(box), AffineMapAttr(),
                 DenseI64ArrayAttr(), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), /*signal=*/Value());
  op.erase();
}

LogicalResult mlir::tile::createWindowCopy(Im2ColOp op) {
  WindowCopy copy(op);
  if (!copy.isBox())
    return failure();
  copy.create();
  return success();
}
