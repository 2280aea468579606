//===- TensorCopy.cpp - boxes of a tensor copy --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/TensorCopy.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::Result;
using ::tile::layout::TmaBox;
using ::tile::layout::TmaLimits;

// One thread issues an instruction for each box.
static constexpr int64_t kMaxBoxes = 64;

Value mlir::tile::getDescribedBuffer(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (isa<AllocOp>(op))
      return isa<FunctionOpInterface>(op->getParentOp()) ? buffer : Value();
    auto type = cast<MemRefType>(buffer.getType());
    if (!isa<ReshapeOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(op) ||
        !type.hasStaticShape() || !type.getLayout().isIdentity())
      return {};
    buffer = op->getOperand(0);
  }
  Operation *owner = cast<BlockArgument>(buffer).getOwner()->getParentOp();
  return isa<FunctionOpInterface>(owner) ? buffer : Value();
}

Result<TensorBoxes>
mlir::tile::matchTensorCopy(CopyOp copy, const Layout &layout,
                            const ::tile::target::TMASpec &tma) {
  BufferRegion source = copy.getSourceRegion(), target = copy.getTargetRegion();
  return getMemorySpace(copy.getSource()) == MemorySpace::Global
             ? matchTensor(source, target, layout, tma)
             : matchTensor(target, source, layout, tma);
}

Result<TensorBoxes>
mlir::tile::matchTensor(const BufferRegion &global, const BufferRegion &local,
                        const Layout &layout,
                        const ::tile::target::TMASpec &tma) {
  if (!isWhole(local))
    return fail("expected the whole tile, got a part");
  if (local.sizes.empty() || global.sizes.back() != local.sizes.back())
    return fail("expected the last dimension of the tile to be that of the "
                "tensor");
  if (int64_t(global.sizes.size()) > tma.maxRank)
    return fail("expected a tensor of 1 to ", tma.maxRank, " dimensions, got ",
                global.sizes.size());
  int64_t bits = getElementBits(local.buffer);
  Type element = local.getType().getElementType();
  int64_t width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : bits;
  if (width < 8)
    return fail("expected elements of whole bytes, got ", width, " bits");
  TmaLimits limits{tma.maxRank, tma.maxBox, tma.innerBoxMultiple,
                   tma.sharedAlign};
  Result<TmaBox> tile =
      ::tile::layout::matchTmaBox(layout, bits, limits);
  std::string shape = formatShape(local.sizes);
  if (!tile)
    return fail("tile of ", shape, ": ", tile.reason());
  TensorBoxes boxes;
  boxes.tile = *tile;
  if (boxes.numBoxes() > kMaxBoxes)
    return fail("tile of ", shape, ": expected at most ", kMaxBoxes,
                " boxes, got ", boxes.numBoxes());
  size_t dim = 0;
  for (int64_t size : global.sizes) {
    while (dim < local.sizes.size() && local.sizes[dim] == 1)
      ++dim;
    boxes.tileDims.push_back(size == 1 ? -1 : int(dim));
    boxes.box.push_back(size == 1 ? 1 : tile->box[dim++]);
  }
  return boxes;
}
