//===- KernelBuffers.h - the buffers of a lowered kernel --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_KERNELBUFFERS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_KERNELBUFFERS_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Target/Target.h"

#include "mlir/IR/Builders.h"

namespace mlir::tile::ascend {

/// Makes and finds the buffers of one kernel. Every tile in UB becomes a
/// matrix: its extents of 1 are dropped, all but the last dimension are one,
/// and rows begin at whole blocks.
class KernelBuffers {
public:
  KernelBuffers(KernelOp kernel, OpBuilder &b);

  /// A new buffer in UB; a view where rows are padded. No rows: one dimension.
  Value createMatrix(Location loc, std::optional<int64_t> rows, int64_t columns,
                     Type element);
  /// A new matrix of the shape of another one.
  Value createLike(Location loc, Value matrix, Type element);
  /// The matrix of a buffer in UB; null, with an error at `op`, if it has none.
  Value getMatrixOf(Operation *op, Value buffer);
  /// Where an element of a tile is in its matrix.
  FailureOr<SmallVector<Value>> getMatrixIndices(Operation *op, Value buffer,
                                                 ValueRange indices,
                                                 Value &matrix);
  /// Part of a matrix; `rowOffset` and `columnOffset` are indices.
  Value createPart(Location loc, Value matrix, OpFoldResult rowOffset,
                   OpFoldResult columnOffset, int64_t rows, int64_t columns);
  /// One row of a matrix, or all of a vector.
  Value createRow(Location loc, Value matrix, OpFoldResult row);
  /// Whether the matrix is part of a tile in UB whose rows go on in the block
  /// in which those of the part end.
  bool endsInBlock(Value matrix) const;

  /// A new buffer in a memory of the cube core.
  Value createCubeBuffer(ArrayRef<int64_t> shape, Type element,
                         MemorySpace space);

  /// 0, 1, 2, … in i32, made once at the beginning of the kernel.
  Value createIndexSequence(Location loc, int64_t count);
  /// Zeros in L1, made once at the beginning of the kernel.
  Value createZeros(int64_t rows, int64_t columns, Type element);

private:
  /// The matrix of a reshaped tile: the same one, or a view with other rows
  /// where neither has padding behind its rows; null, with an error at `op`,
  /// otherwise.
  Value reshapeMatrix(Operation *op, ReshapeOp reshape, Value source);

  KernelOp kernel;
  OpBuilder &b;
  const ::tile::target::AscendSpec &spec;
  DenseMap<Value, Value> matrices; // of tiles
  DenseMap<int64_t, Value> sequences;
  DenseMap<std::tuple<int64_t, int64_t, Type>, Value> zeros;
};

/// The extents that are not 1; one extent of 1 if there is no other.
SmallVector<int64_t> dropUnits(ArrayRef<int64_t> shape);

/// A constant of the element type, at the insertion point.
Value createConstant(OpBuilder &b, Location loc, Type element, double value);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_KERNELBUFFERS_H
