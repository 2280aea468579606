//===- SameTiles.h - tiles that hold the same -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_SAMETILES_H
#define TILE_LIB_IMPORT_TILELANG_SAMETILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::tilelang {

/// Two tiles that copies of one region fill, and nothing else, are one: each
/// partition of warps had its own.
void joinSameTiles(func::FuncOp function);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_SAMETILES_H
