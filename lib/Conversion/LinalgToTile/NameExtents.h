//===- NameExtents.h - extents that must be the same ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_NAMEEXTENTS_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_NAMEEXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile {

/// Gives dynamic extents of arguments and results one name in `tile.shape` if
/// linalg ops want them to be equal: a launch checks that.
void nameExtents(func::FuncOp function);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_NAMEEXTENTS_H
