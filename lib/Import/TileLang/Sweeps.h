//===- Sweeps.h - loops over the parts of tiles -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_SWEEPS_H
#define TILE_LIB_IMPORT_TILELANG_SWEEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::tilelang {

/// A loop that copies neighbouring parts one by one is one copy. A loop that
/// sums products of the parts of two shared tiles, which together are all of
/// them, is one product of the tiles.
void joinSweeps(func::FuncOp function);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_SWEEPS_H
