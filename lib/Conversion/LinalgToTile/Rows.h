//===- Rows.h - reductions over the rows of a kernel ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_ROWS_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_ROWS_H

#include "Kernels.h"

namespace mlir::tile {

/// The most columns of a tile where rows are those of a matrix product.
constexpr int64_t kColumnTile = 64;

/// Writes the reductions of a group for the rows of one block. Afterwards an
/// element of their results is one of a tile of rows.
///
/// Where the group has matrix products, their columns are those of the
/// reductions, and a tile of each is computed before the elements of a tile of
/// columns are: once if one tile has all columns, and otherwise once more for
/// each reduction and for what is behind them.
class RowStages {
public:
  RowStages(const RowGroup &group, ElementBuilder &elements,
            ArrayRef<Value> rowOffsets, const Choice &rowTile, bool tf32,
            const Choice &columnTile = kColumnTile);

  /// The loops of an op that are no rows, as one index.
  struct Columns {
    SmallVector<unsigned> loops;
    SmallVector<OpFoldResult> sizes; ///< of all loops
    SmallVector<OpFoldResult> shape;
    OpFoldResult volume;
    Choice width;   ///< of a tile
    bool isSingle;  ///< one tile has all columns
    bool isPartial; ///< the tile may have more
  };
  /// Of a group with products, `width` is that of the tiles of these.
  static Columns getColumns(const RowGroup &group, linalg::LinalgOp op,
                            ElementBuilder &elements,
                            const Choice &width = kColumnTile);

  void emitReductions(OpBuilder &b);
  /// Computes products for the columns from `offset` on, if there are any.
  void prepare(OpBuilder &b, linalg::LinalgOp reader, Value offset);
  /// Says which element of the tiles code is written for.
  void setPlace(OpBuilder &b, Value row, Value column);

  const Columns &getColumns(linalg::LinalgOp op) const {
    return columnsOf.find(op)->second;
  }
  /// The loops of an op at the place, and at a column.
  SmallVector<Value> getIvs(OpBuilder &b, linalg::LinalgOp op,
                            Value column) const;
  /// Runs the body for tiles of columns, at an offset.
  void forTiles(OpBuilder &b, linalg::LinalgOp op,
                function_ref<void(OpBuilder &, Value)> body);
  /// The row, in its last loop.
  Value getRow() const { return rowIvs.empty() ? Value() : rowIvs.back(); }

  //===--------------------------------------------------------------------===//
  // For those who write the loop over tiles of columns themselves
  //===--------------------------------------------------------------------===//

  const RowGroup &getGroup() const { return group; }
  ElementBuilder &getElements() const { return elements; }
  bool useTF32() const { return tf32; }
  /// Allows getIvs for an element-wise op of the group.
  void addColumns(linalg::LinalgOp op);
  /// A tile of rows, with what combines with any value to that value.
  Value createTarget(OpBuilder &b, const Reduction &r);
  /// Combines a tile of columns with `target`; `tile` holds its elements.
  void combine(OpBuilder &b, const Reduction &r, Value tile, Value target,
               Value offset);
  /// What the result was before is combined, too.
  void combineInit(OpBuilder &b, const Reduction &r, Value target);
  /// Elements of a result are those of a tile.
  void bindReduction(const Reduction &r, Value target);
  void bindProduct(const Contraction &product, Value tile);
  SmallVector<Value> getOffsets(const Contraction &product, Value column) const;
  /// The type of the tiles of a reduction: truth values are integers, and sums
  /// of narrow floats are wide.
  static Type getTileType(const Reduction &r);

private:
  void emitReduction(OpBuilder &b, const Reduction &r);
  void emitProducts(OpBuilder &b, Value offset);
  void keepOperand(const Reduction &r, Value tile);

  const RowGroup &group;
  ElementBuilder &elements;
  SmallVector<Value> rowOffsets;
  Choice rowTile, columnTile;
  bool tf32;
  Location loc;
  DenseMap<Operation *, Columns> columnsOf;
  bool hasProducts = false;
  /// Coordinates in the tiles, and those of the row.
  Value localRow, localColumn;
  SmallVector<Value> rowIvs;
};

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_ROWS_H
