//===- Multicast.h - tiles that blocks of a cluster share -*- C++ -* -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_MULTICAST_H
#define TILE_LIB_TRANSFORMS_MULTICAST_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

/// Processors of a chip are pairs: larger clusters leave some of them idle.
inline constexpr int64_t kPair = 2;

/// Why blocks that stay cannot be those of the kernel's cluster, where `group`
/// points along `dim` follow each other; empty if they can.
std::string findClusterObstacle(KernelOp kernel, unsigned dim, int64_t group);

/// Marks the pipelined tensor copies of tiles that all blocks of the kernel's
/// cluster need: each block brings a part of them to all.
void shareCopies(KernelOp kernel, const ::tile::target::Target &target);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_MULTICAST_H
