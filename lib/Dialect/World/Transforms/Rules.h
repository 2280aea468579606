//===- Rules.h - what all ranks have to do alike ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_WORLD_TRANSFORMS_RULES_H
#define TILE_LIB_DIALECT_WORLD_TRANSFORMS_RULES_H

#include "Tile/Dialect/World/IR/World.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tile::world {

/// All ranks reach a barrier: no branch, loop or grid around it asks which rank
/// runs it.
LogicalResult verifyUniform(BarrierOp barrier);

/// No wait of a function is fulfilled by the signals of an earlier round.
LogicalResult verifyRounds(FunctionOpInterface function);

} // namespace mlir::tile::world

#endif // TILE_LIB_DIALECT_WORLD_TRANSFORMS_RULES_H
