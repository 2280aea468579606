//===- World.h - the world dialect ------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_IR_WORLD_H
#define TILE_DIALECT_WORLD_IR_WORLD_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "Tile/Dialect/World/IR/WorldDialect.h.inc"
#include "Tile/Dialect/World/IR/WorldEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/Dialect/World/IR/WorldAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/Dialect/World/IR/WorldTypes.h.inc"

namespace mlir::tile::world {

using tile::Collective;

/// The blocks of a kernel that meet at most: each has counters in the table of a
/// rank (TILE_RT_BARRIER_BLOCKS of the runtime).
constexpr int64_t kMaxMeetingBlocks = 4096;

/// The first words of the table of a rank: its number, that of all ranks, and the
/// addresses of the tables of all.
constexpr int64_t kTableRank = 0, kTableSize = 1, kTableOfRanks = 2;

/// The last words of the table of a rank, in which a wait on a GPU says that
/// nobody signalled (TileRtReportWord of the runtime).
enum class ReportWord : int64_t {
  Timeout, ///< nanoseconds after which a wait is in vain
  Claimed, ///< whether one was
  Line,
  Column,
  Wanted,
  Got,
  Condition ///< a SignalCondition
};
constexpr int64_t kNumReportWords = 8;

/// Whether other ranks reach the buffer: it is symmetric, or a peer's.
bool isReachable(MemRefType type);

/// What a launch passes for an argument: the table of a rank for !world.ranks;
/// other types as they are.
Type getLaunchType(Type type);

/// The type in plain global memory of a buffer that other ranks reach; other
/// types as they are.
Type getPlainType(Type type);

} // namespace mlir::tile::world

#define GET_OP_CLASSES
#include "Tile/Dialect/World/IR/WorldOps.h.inc"

#endif // TILE_DIALECT_WORLD_IR_WORLD_H
