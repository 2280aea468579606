//===- Launches.h - the launches of functions of a device ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_GPU_LAUNCHES_H
#define TILE_LIB_TARGETS_GPU_LAUNCHES_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

namespace mlir::tile::devicecode {

/// The launches of a function: its own first, then those of versions that have
/// its code.
SmallVector<LaunchAttr> getLaunches(Operation &kernel);

} // namespace mlir::tile::devicecode

#endif // TILE_LIB_TARGETS_GPU_LAUNCHES_H
