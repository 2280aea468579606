//===- Async.h - copies by the tensor copy engine ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_ASYNC_H
#define TILE_LIB_CONVERSION_TILETOSIMT_ASYNC_H

#include "Lowering.h"

namespace mlir::tile::simt {

/// Whether the copy was given to the tensor copy engine.
bool isTensorCopy(CopyOp copy);
LogicalResult emitTensorCopy(CopyOp copy, KernelLowering &l);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_ASYNC_H
