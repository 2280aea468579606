//===- Decompose.h - linalg ops that are several ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_DECOMPOSE_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_DECOMPOSE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile {

/// Replaces softmaxes, packs and unpacks by the ops that they consist of, and
/// branches in bodies by selections.
void decomposeLinalg(func::FuncOp function);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_DECOMPOSE_H
