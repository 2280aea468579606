//===- Parts.h - tiles that are used in parts -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_PARTS_H
#define TILE_LIB_IMPORT_TILELANG_PARTS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::tilelang {

/// A shared tile that is only copied in parts which do not overlap becomes a
/// tile for each part. Then a copy of such a tile, for a gemm, is the tile, and
/// so is a copy in registers that are no better.
void splitTiles(func::FuncOp function);

/// Where a tile is loaded as a whole and otherwise copied in parts that are all
/// of it, side by side, each part is loaded by a copy of its own.
void divideLoads(AllocOp alloc);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_PARTS_H
