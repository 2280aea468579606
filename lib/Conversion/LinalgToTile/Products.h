//===- Products.h - code for tiles of matrix products -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_PRODUCTS_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_PRODUCTS_H

#include "Kernels.h"

namespace mlir::tile {

/// A tile for an extent: the next power of two that covers it, from 16 on.
int64_t chooseExtent(OpFoldResult extent, int64_t most);

/// Whether the ops change shapes and elements but no order.
bool keepsOrder(const Chain &chain);

/// Whether what the op adds to is 0.
bool startsAtZero(linalg::LinalgOp op);

/// The part of a buffer with one place in all dimensions but those of `kept`.
Value getPart(OpBuilder &b, Location loc, Value buffer, ArrayRef<Value> places,
              const llvm::SmallBitVector &kept);

/// A tensor of which batches, and one matrix each, are views.
struct MatrixView {
  Value tensor;
  /// The dimensions that each one of the view is made of.
  SmallVector<ReassociationIndices> groups;
  bool transposed = false; ///< what is summed over comes before rows or columns
};

/// Whether the tensor, or what it is a reshape of, has a buffer.
bool isInMemory(Value tensor);
/// Recognises an operand that is a matrix in memory, or a batch of them. Orders
/// the loops of its rows or columns, and those summed over.
bool matchMatrix(linalg::LinalgOp op, Value value, ArrayRef<unsigned> batch,
                 SmallVector<unsigned> &outer, SmallVector<unsigned> &inner,
                 MatrixView &view);
/// The buffer with a dimension for each batch loop and two for the matrix.
Value getMatrixView(ElementBuilder &elements, Location loc,
                    const MatrixView &view);

/// Writes the loop that accumulates one tile of a contraction.
class ProductEmitter {
public:
  ProductEmitter(const Contraction &c, ElementBuilder &elements, bool tf32);

  /// What to do in an iteration of the loop before the left operand is read,
  /// and where an element of its tile is.
  struct Hooks {
    std::function<void(OpBuilder &, Value kOffset)> prepare;
    std::function<void(OpBuilder &, Value row, Value k)> place;
  };

  /// `offsets` are those of the batch loops, of the rows and of the columns.
  void emit(OpBuilder &b, ArrayRef<Value> offsets, Value accumulator,
            const Hooks &hooks = {});

  /// One operand of tile.gemm: a part of a matrix in memory that is copied, or
  /// elements that are gathered.
  struct Side {
    Value value;              ///< in the body
    ArrayRef<unsigned> outer; ///< rows or columns
    Choice outerTile;
    bool transposed; ///< in the tile, what is summed over comes first
    bool copied;
    Value tile;
  };
  Side getLeft();
  Side getRight();
  /// Makes the tile of a side, in shared memory.
  void allocate(OpBuilder &b, Side &side);
  void load(OpBuilder &b, const Side &side, ArrayRef<Value> offsets,
            Value kOffset, const Hooks &hooks = {});
  /// Adds the product of two tiles to the accumulator, or clears it first.
  void multiply(OpBuilder &b, const Side &lhs, const Side &rhs,
                Value accumulator, bool clear);

  /// The coordinates of an element of the tile, without those summed over.
  SmallVector<Value> getIvs(OpBuilder &b, ArrayRef<Value> offsets, Value m,
                            Value n) const;

  /// The element that the chain makes of a sum, and where it is stored.
  Value finish(OpBuilder &b, const Chain &chain, Value sum, ValueRange ivs,
               SmallVector<Value> &at);
  /// The tile of what the chain makes of a tile of sums, which is the same one
  /// where its elements fit. `getIvs` says where an element of the tile is.
  Value
  finishTile(OpBuilder &b, const Chain &chain, Value sum,
             ArrayRef<Choice> shape,
             function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> getIvs);

  SmallVector<OpFoldResult> sizes; ///< of the loops
  OpFoldResult volumeM, volumeN, volumeK;
  Choice tileM, tileN, tileK;

  SmallVector<OpFoldResult> select(ArrayRef<unsigned> loops) const {
    return llvm::map_to_vector(loops, [&](unsigned l) { return sizes[l]; });
  }

private:
  SmallVector<Value> getBatchIvs(ArrayRef<Value> offsets) const;
  void place(OpBuilder &b, ArrayRef<unsigned> loops, Value index,
             SmallVector<Value> &ivs) const;
  std::optional<std::pair<Value, AffineMap>> getMatrix(const Side &side);
  bool isCopied(Side &side);
  void copy(OpBuilder &b, const Side &side, SmallVector<Value> ivs,
            Value outerOffset, Value kOffset);
  SmallVector<Choice> getTileShape(const Side &side) const;
  void gather(OpBuilder &b, const Side &side, ArrayRef<Value> batch,
              Value outerOffset, Value kOffset, const Hooks &hooks);

  const Contraction &c;
  linalg::LinalgOp op;
  ElementBuilder &elements;
  bool tf32;
  Location loc;
};

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_PRODUCTS_H
