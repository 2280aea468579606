//===- Gathers.h - loops that copy the rows a list names --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLang has no op for these: a `T.Parallel` loads each element at an index
// that it reads from a list. Said as `tile.gather`, such a loop can run ahead in
// a pipeline, and no element reads the list for itself.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_GATHERS_H
#define TILE_LIB_IMPORT_TILELANG_GATHERS_H

#include "mlir/IR/Operation.h"

namespace mlir::tile::tilelang {

/// Replaces each `tile.parallel` below `root` that does nothing else.
void raiseGathers(Operation *root);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_GATHERS_H
