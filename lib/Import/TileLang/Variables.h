//===- Variables.h - variables of a block as values -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `T.alloc_var` is memory of one element. Where only the block writes it, what
// it holds is a value, from which a producer can compute the offsets of copies.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_VARIABLES_H
#define TILE_LIB_IMPORT_TILELANG_VARIABLES_H

#include "mlir/IR/Operation.h"

namespace mlir::tile::tilelang {

/// Replaces the variables below `root` that are written in straight code,
/// branches and counted loops of the block only.
void promoteVariables(Operation *root);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_VARIABLES_H
