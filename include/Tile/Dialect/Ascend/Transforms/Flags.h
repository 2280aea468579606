//===- Flags.h - ids of flags -----------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_TRANSFORMS_FLAGS_H
#define TILE_DIALECT_ASCEND_TRANSFORMS_FLAGS_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

namespace mlir::tile::ascend {

/// From the pipe that sets a flag to the one that waits for it.
using PipePair = std::pair<Pipe, Pipe>;

/// The pipes between which `ascend-insert-sync` runs out of ids in the kernel,
/// so that flags far from each other become one, or a barrier; nothing if the
/// ids are enough.
std::optional<PipePair> findFlagShortage(KernelOp kernel);

} // namespace mlir::tile::ascend

#endif // TILE_DIALECT_ASCEND_TRANSFORMS_FLAGS_H
