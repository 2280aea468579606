//===- InsertBarriers.h - insertion of barriers -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_INSERTBARRIERS_H
#define TILE_LIB_TRANSFORMS_INSERTBARRIERS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// Inserts the missing barriers and announces each under the name of a pass.
void insertMissingBarriers(KernelOp kernel, StringRef pass);

/// Lets each warpgroup of a persistent kernel's consumer store its rows of a
/// result, with barriers of its own.
void divideStores(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_INSERTBARRIERS_H
