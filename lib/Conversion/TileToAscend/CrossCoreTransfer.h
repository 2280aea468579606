//===- CrossCoreTransfer.h - tiles that go from core to core ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_CROSSCORETRANSFER_H
#define TILE_LIB_CONVERSION_TILETOASCEND_CROSSCORETRANSFER_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

namespace mlir::tile::ascend {

/// A tile in L0C to UB, or one in UB to L1, for `op`, at the insertion point.
/// `first` is the row of the cube's tile at which that in UB begins; null where
/// the two have the same shape, and all vector cores hold the same.
LogicalResult createCrossCoreTransfer(OpBuilder &b, Operation *op, Value target,
                             Value source, Value first);

/// Calls `build` for what one vector core of a block does for both.
void createOnce(OpBuilder &b, Location loc, llvm::function_ref<void()> build);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_CROSSCORETRANSFER_H
