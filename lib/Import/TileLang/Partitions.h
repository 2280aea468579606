//===- Partitions.h - groups of warps that wait for one another -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of warps that wait for one another at barriers become one sequence:
// one of the orders that the barriers allow. A program without a race computes
// the same in all of them. The order is found by executing the barriers: each
// partition goes on until it must wait, and loops in which several wait for one
// another become one loop. What was found is executed for all iterations.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_PARTITIONS_H
#define TILE_LIB_IMPORT_TILELANG_PARTITIONS_H

#include "Importer.h"

namespace mlir::tile::tilelang {

/// A condition and whether it holds.
using Condition = std::pair<Node, bool>;

/// What one partition does, or a loop that several run together.
struct Step {
  /// The conditions of the partition, and those inside of it.
  SmallVector<Condition> partition, guards;
  Node statement;
  /// The loops that are one, and their body. Nothing where there is a
  /// statement.
  SmallVector<Node> loops;
  std::vector<Step> body;
};

/// The order for neighbouring branches by the number of a thread.
struct Schedule {
  size_t count = 1; ///< how many statements it replaces
  std::vector<Step> steps;
};

/// By the first branch.
using Schedules = llvm::DenseMap<unsigned, Schedule>;

/// The schedules of a kernel, none if its partitions do not wait for one
/// another. A failure has a reason.
struct Scheduling {
  Schedules schedules;
  bool waits = false;
  Node failedAt;
  std::string reason;
};

Scheduling schedulePartitions(Node body, const ThreadUse &use);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_PARTITIONS_H
