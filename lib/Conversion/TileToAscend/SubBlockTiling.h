//===- SubBlockTiling.h - rows, between two vector cores --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_SUBBLOCKTILING_H
#define TILE_LIB_CONVERSION_TILETOASCEND_SUBBLOCKTILING_H

#include "SubBlockAccess.h"

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile::ascend {

/// The tiles of one kernel of which each of the two vector cores of a block has
/// half of the rows. All tiles of UB are at first; the models of the ops then
/// reject those that they cannot work on by halves, until nothing changes, and
/// rewrite their ops for the rest.
class SubBlockTiling {
public:
  explicit SubBlockTiling(KernelOp kernel)
      : b(kernel.getContext()), kernel(kernel) {}
  void run();

  bool isTiled(Value buffer) const { return dims.contains(buffer); }
  /// The dimension of the rows of a tile, and their number in the whole tile.
  unsigned getRowDim(Value buffer) const { return dims.lookup(buffer); }
  int64_t getRows(Value buffer) const {
    return cast<MemRefType>(buffer.getType()).getDimSize(getRowDim(buffer));
  }

  /// The tile stays whole, for a reason that `op` has.
  void reject(Value buffer, Operation *op, const char *reason);
  /// So do the operands of the op.
  void rejectOperands(Operation *op, const char *reason);
  /// So does every tile that the op or its body touches, by a view or not.
  void rejectAll(Operation *op, const char *reason);
  /// Both have the same halves, or stay whole.
  void tie(Value a, Value c, Operation *op);

  /// The first row of this core, of a tile of so many rows.
  Value getFirstRow(int64_t rows);

  OpBuilder b;

private:
  void findRejected();
  SmallVector<SubBlockAccess> getGlobalAccesses();
  void rejectConflicts();
  bool needsOneCore();
  void remark(Value buffer);

  KernelOp kernel;
  llvm::MapVector<Value, unsigned> dims; // of tiles: that of the rows
  llvm::MapVector<Value, std::pair<Operation *, const char *>> rejected;
  DenseMap<int64_t, Value> firstRows;
  Value subBlock;
  bool changed = false;
};

/// The first dimension that is not 1: that of the rows.
std::optional<unsigned> findRowDim(ArrayRef<int64_t> shape);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_SUBBLOCKTILING_H
