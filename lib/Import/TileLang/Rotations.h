//===- Rotations.h - loops that begin the next iteration --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_ROTATIONS_H
#define TILE_LIB_IMPORT_TILELANG_ROTATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::tilelang {

/// A loop whose iterations load tiles for the next one, as a software pipeline
/// by hand does, loads its own instead, where nothing in between has to do with
/// that. The copies can run ahead then, as far as the compiler likes.
///
///   a(0)                             pipelined k:
///   for k:                             a(k)
///     b(k)                      =>     b(k)
///     if (k + 1 < n) a(k + 1)          c(k)
///     c(k)
void undoRotations(func::FuncOp function);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_ROTATIONS_H
