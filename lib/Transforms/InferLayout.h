//===- InferLayout.h - parts of tile-infer-layout ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_INFERLAYOUT_H
#define TILE_LIB_TRANSFORMS_INFERLAYOUT_H

#include "Tile/Transforms/LayoutState.h"

namespace mlir::tile {

/// Gives a layout to the shared tiles that no op has a say in, from who reads
/// and writes them.
void chooseSharedLayouts(KernelOp kernel, LayoutState &state);

/// Takes the tensor copies back that cannot fill the layout of their tile; an
/// error where they were asked for.
LogicalResult checkTensorCopies(KernelOp kernel, const LayoutState &state);

/// Moves tiles to registers where shared memory has no room for all.
LogicalResult fitShared(KernelOp kernel, const ::tile::target::Target &target);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_INFERLAYOUT_H
