//===- Teams.h - consumers that take turns ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_TEAMS_H
#define TILE_CONVERSION_TILETOSIMT_TEAMS_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::simt {

/// Of the partition that is lowered: the teams of threads that run it.
struct Teams {
  int64_t count = 1;
  Value number; // i32, of the thread's team; null if there is one
  /// Whether they divide the points of one program.
  bool sharePoints = false;
  /// Whether the team has a program of its own.
  bool isAlone() const { return number && !sharePoints; }
  /// The last place where threads exchanged elements in bytes that all teams
  /// would share.
  std::optional<Location> exchange;
};

/// The hardware barrier, an i32, at which the threads of the group meet; null
/// if it is that of the block.
Value getMeetingBarrier(KernelLowering &l, Location loc);

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_TEAMS_H
