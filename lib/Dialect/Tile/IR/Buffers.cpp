//===- Buffers.cpp - sizes of buffers and of their regions ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

int64_t mlir::tile::getElementBits(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  int64_t bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  return bits == 4 ? bits : llvm::PowerOf2Ceil(std::max<int64_t>(8, bits));
}

int64_t mlir::tile::getBufferBytes(MemRefType type) {
  return llvm::divideCeil(type.getNumElements() * getElementBits(type), 8);
}

int64_t mlir::tile::getSharedBytes(AllocOp alloc) {
  int64_t consumers = getConsumers(alloc);
  LayoutAttr layout = alloc.getLayoutAttr();
  if (!layout)
    return consumers *
           getBufferBytes(cast<MemRefType>(alloc.getBuffer().getType()));
  int64_t elements =
      getTileLayout(layout).axisSize(::tile::layout::Axis::Offset);
  return consumers *
         llvm::divideCeil(elements * getElementBits(alloc.getBuffer()), 8);
}

bool mlir::tile::isWhole(const BufferRegion &region) {
  return ArrayRef<int64_t>(region.sizes) == region.getType().getShape() &&
         (!region.map ||
          llvm::all_of(region.map.getResults(),
                       [](AffineExpr offset) { return offset == 0; }));
}
