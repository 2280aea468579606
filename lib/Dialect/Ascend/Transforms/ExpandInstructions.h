//===- ExpandInstructions.h - parts of ascend-expand-instructions -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_EXPANDINSTRUCTIONS_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_EXPANDINSTRUCTIONS_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/IR/Builders.h"

namespace mlir::tile::ascend {

/// The calls that load an operand of the cube, before the op.
void expandLoadL0A(LoadL0AOp op, OpBuilder &b);
void expandLoadL0B(LoadL0BOp op, OpBuilder &b);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_TRANSFORMS_EXPANDINSTRUCTIONS_H
