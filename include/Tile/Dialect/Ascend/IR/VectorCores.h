//===- VectorCores.h - vector cores of a block ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_VECTORCORES_H
#define TILE_DIALECT_ASCEND_IR_VECTORCORES_H

#include "mlir/IR/Operation.h"

namespace mlir::tile::ascend {

/// On a `tile.kernel` with instructions of the cube: how many vector cores a
/// block has, if not all of the chip's.
inline constexpr llvm::StringLiteral kVectorCoresAttr = "ascend.vector_cores";

/// The vector cores of a block of the kernel around an op, or of the op itself.
int64_t getNumVectorCores(Operation *op);

} // namespace mlir::tile::ascend

#endif // TILE_DIALECT_ASCEND_IR_VECTORCORES_H
