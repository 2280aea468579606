//===- CubeOperands.h - operands of the cube core ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_CUBEOPERANDS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_CUBEOPERANDS_H

#include "LoweringInterface.h"

namespace mlir::tile::ascend {

/// The memory that a use of a tile has to lie in; nothing if any will do. An op
/// without a model is one of the vector unit.
std::optional<MemorySpace> getOperandMemory(OpOperand &use);

/// For a tile of the vector unit that ops of the cube read: each takes a copy
/// in L1.
void createCubeOperands(AllocOp alloc);

/// For a tile of the vector unit that ops of the cube accumulate into: they
/// take an accumulator in L0C, over as many loops as touch the tile in no other
/// way, and the tile takes the result.
void createAccumulators(AllocOp alloc);

/// Whether the elements of an accumulator are rounded sums, which L0C does not
/// hold.
bool isNarrow(Value accumulator);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_CUBEOPERANDS_H
