//===- SeparateCores.h - tiles that both cores need -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_SEPARATECORES_H
#define TILE_LIB_CONVERSION_TILETOASCEND_SEPARATECORES_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile::ascend {

/// A tile of the vector unit that is an operand of gemms: each gemm takes a copy
/// in L1.
void separateOperand(AllocOp alloc);

/// A tile of the vector unit that gemms add to: they add to an accumulator, over
/// as many loops as touch the tile in no other way, and the tile takes the
/// result.
LogicalResult separateAccumulator(AllocOp alloc);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_SEPARATECORES_H
