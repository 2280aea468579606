//===- Indexed.h - rows by a list, positions of extrema ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of TileIndexedOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_INDEXED_H
#define TILE_DIALECT_TILE_IR_INDEXED_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileIndexedOps.h.inc"

namespace mlir::tile {

/// A gather or scatter: rows of a region of a global buffer, whose positions a
/// list has.
struct RowCopy {
  bool isGather;
  BufferRegion global; ///< the number of rows is its size in `dim`
  unsigned dim;
  BufferRegion list;
  Value tile;

  int64_t getNumRows() const { return global.sizes[dim]; }
  /// The dimension of the matched sizes that counts rows; none if there is one
  /// row.
  std::optional<unsigned> getTileDim() const;
  static RowCopy get(GatherOp op);
  static RowCopy get(ScatterOp op);
};

/// The pipeline whose stage a copy or gather fills; null if it fills none.
Value getSignal(Operation *op);
/// The operand that is the stage.
OpOperand &getFilledTile(Operation *op);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_INDEXED_H
