//===- GuardedRows.h - rows that are copied on a condition ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_GUARDEDROWS_H
#define TILE_LIB_IMPORT_TILELANG_GUARDEDROWS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::tile::tilelang {

/// The entry of a global list that is loaded in the loop and that an index is;
/// null if it is none.
memref::LoadOp getListEntry(Value index, ParallelOp loop);

/// Whether a condition bounds an entry of a list by what is known outside of the
/// loop, or excludes negative ones.
bool isRowGuard(Value condition, ParallelOp loop);

/// Whether a flag that is stored says what the conditions say together.
bool saysWhichRows(Value flag, ArrayRef<Value> guards, ParallelOp loop);

/// Whether the bounds of such conditions can be computed once.
bool canGuardRows(ArrayRef<Value> guards, ParallelOp loop);

/// The part of a buffer in which all rows, counted in `dim`, satisfy the
/// conditions.
Value guardRows(Value buffer, unsigned dim, ArrayRef<Value> guards,
                ParallelOp loop);

/// The only load in the loop that a value is computed from; null if there is
/// none, or more than arithmetic.
memref::LoadOp findComputedFrom(Value value, ParallelOp loop);

/// Computes a value again, from another value of the load.
Value cloneComputed(OpBuilder &b, Value value, memref::LoadOp load, Value with);

/// Where a variable of a thread says which row of a global buffer is copied, is
/// written once in the loop and is used nowhere else: puts its value in the
/// place of what is loaded from it.
void forwardLocals(ParallelOp loop);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_GUARDEDROWS_H
