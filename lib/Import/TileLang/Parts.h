//===- Parts.h - tiles that are used in parts -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_PARTS_H
#define TILE_LIB_IMPORT_TILELANG_PARTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::tilelang {

/// A shared tile that is only copied in parts which do not overlap becomes a
/// tile for each part. Then a copy of such a tile, for a gemm, is the tile, and
/// so is a copy in registers that are no better.
void splitTiles(func::FuncOp function);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_PARTS_H
