//===- IterationBuffers.h - buffers of iterations ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_ITERATIONBUFFERS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_ITERATIONBUFFERS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile::ascend {

/// Gives each `tile.parallel` that writes a buffer in `#tile.local`, of which
/// each iteration has its own, a tile of UB with the elements of all
/// iterations.
LogicalResult expandIterationBuffers(KernelOp kernel);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_ITERATIONBUFFERS_H
