//===- Sparse.h - products with a sparse operand ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of TileSparseOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_SPARSE_H
#define TILE_DIALECT_TILE_IR_SPARSE_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileSparseOps.h.inc"

#endif // TILE_DIALECT_TILE_IR_SPARSE_H
