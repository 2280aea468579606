//===- Operands.h - what a product reads of its tiles -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOCPU_OPERANDS_H
#define TILE_LIB_CONVERSION_TILETOCPU_OPERANDS_H

#include "Lowering.h"

namespace mlir::tile::cpu {

/// The copy from global memory that alone fills `tile`, which nothing but `op`
/// reads; null if there is none.
CopyOp findTileCopy(GemmOp op, Value tile);

/// The steps along K past which both operands are padding of zeros: products of
/// them add nothing. K if that is not known.
Value getDepth(OpBuilder &b, GemmOp op);

/// The rows and columns of the accumulator past which nothing reads it but
/// products; null where that is not known.
struct UsedExtents {
  Value rows, columns;
};
UsedExtents getUsedExtents(OpBuilder &b, GemmOp op);

/// The left operand: its first `directRows` rows where they lie in global
/// memory, the others in a tile.
struct LeftOperand {
  Value tile;               // M x K, or K x M if transposed
  Value direct, directRows; // null: all rows are in the tile
  Value source;             // of which `direct` is a part
};

/// What a product of `depth` steps reads of a left operand that needs no tile,
/// and the rest of its copy, which ends up to `usedRows` (null: M) if that is
/// no multiple of `rowStep`. Null if the operand has to be a tile as a whole;
/// else its copy is gone.
std::optional<LeftOperand> readLeftDirectly(OpBuilder &b, GemmOp op,
                                            Value depth, Value usedRows,
                                            int64_t rowStep,
                                            const CPUTargetInfo &cpuInfo);

/// Where the last step of a loop writes its sums: blocks that lie in the first
/// `rows` and `columns` go to global memory, the others stay in the
/// accumulator.
struct DirectResult {
  Value isLast; // i1, in the loop
  Value view;   // of the target, with the indices of the accumulator
  Value rows, columns;
};

/// Lets the last step write the result that a copy behind the loop writes
/// otherwise, and leaves the rest to that copy. Blocks are of `rowStep` and
/// `columnStep`. Null if something between the product and the copy could tell
/// the difference. `left`: what the product reads of global memory while it
/// writes.
std::optional<DirectResult> writeResultDirectly(OpBuilder &b, GemmOp op,
                                                Value left, int64_t rowStep,
                                                int64_t columnStep,
                                                const CPUTargetInfo &cpuInfo);

/// i1: the first step of the loop around `op`, if all that its products are
/// added to are the zeros of a fill in front of it; null otherwise. The fill is
/// left to loops without a step.
Value replaceFill(OpBuilder &b, GemmOp op);

/// `matrix` as ? x ? with any distance between rows and in no memory space of a
/// tile.
Value withAnyRows(OpBuilder &b, Location loc, Value matrix);

} // namespace mlir::tile::cpu

#endif // TILE_LIB_CONVERSION_TILETOCPU_OPERANDS_H
