//===- Buffers.h - sizes of buffers and of their regions --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_BUFFERS_H
#define TILE_DIALECT_TILE_IR_BUFFERS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// The bits of an element in memory, of an element type or a buffer's: 4, or
/// whole bytes. What is not an integer or a float counts as 64 bits.
int64_t getElementBits(Type type);
inline int64_t getElementBits(Value buffer) {
  return getElementBits(buffer.getType());
}

/// The bytes of a buffer of static shape without padding.
int64_t getBufferBytes(MemRefType type);

/// The bytes that a shared buffer occupies in the arena, with the padding of
/// its layout.
int64_t getSharedBytes(AllocOp alloc);

/// Whether the region is all of its buffer.
bool isWhole(const BufferRegion &region);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_BUFFERS_H
