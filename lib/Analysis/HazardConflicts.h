//===- HazardConflicts.h - when two accesses conflict -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the analysis of hazards that looks at a pair of accesses.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_ANALYSIS_HAZARDCONFLICTS_H
#define TILE_LIB_ANALYSIS_HAZARDCONFLICTS_H

#include "Tile/Analysis/Hazards.h"

#include <map>

namespace mlir::tile {

/// An iteration of a loop.
struct Trip {
  static constexpr int64_t kUnknown = -1;

  Operation *loop;
  /// 0 for the first one.
  int64_t number;
  /// Stands for all later iterations as well.
  bool isLater = false;

  bool operator==(const Trip &other) const {
    return loop == other.loop && number == other.number;
  }
};

/// An access that no barrier has settled.
struct Pending {
  static constexpr int64_t kArrived = -1, kOpen = -2;

  const MemoryAccess *access;
  SmallVector<Trip> trips;
  /// A barrier followed, but no fence between the proxies.
  bool isOrdered = false;
  /// So far as ops go in which each warpgroup keeps to its rows of the tile: a
  /// barrier of each warpgroup followed, with a fence between the proxies.
  bool isOrderedInGroup = false, isFencedInGroup = false;
  /// Of an asynchronous copy: how many groups were closed after its own. Each
  /// tensor copy out of shared memory is a group of a second sequence.
  int64_t group = kArrived;
  bool isUnderWay() const { return group != kArrived; }

  bool operator==(const Pending &other) const {
    return access == other.access && trips == other.trips &&
           isOrdered == other.isOrdered &&
           isOrderedInGroup == other.isOrderedInGroup &&
           isFencedInGroup == other.isFencedInGroup && group == other.group;
  }
};

/// What must come between two accesses.
struct Conflict {
  Operation *loop;
  /// All threads must meet; else each waits for its own copies alone.
  bool meets;
  bool isAsync, isGlobal, waits, commits, waitsForStores, completesStores;
};

/// A loop around ops of a schedule: not a kernel, not `tile.parallel`.
bool isScheduledLoop(Operation *op);

/// How often a loop runs, if that is a constant.
std::optional<int64_t> getConstantTrips(Operation *loop);

class ConflictAnalysis {
public:
  explicit ConflictAnalysis(KernelOp kernel);

  /// The accesses of memory that an op of the schedule does.
  ArrayRef<MemoryAccess> getAccesses(Operation *anchor) const;

  /// `trips` are the loops around `second`.
  std::optional<Conflict> find(const Pending &first, const MemoryAccess &second,
                               ArrayRef<Trip> trips);

private:
  void collectWritten(KernelOp kernel);
  bool isTracked(Value buffer) const;
  void collect(Operation *op, Operation *anchor);
  void collectPipelines(KernelOp kernel);
  void collectGemmWaits(KernelOp kernel);
  void dropHarmlessReads();
  void add(Operation *op, Operation *anchor, const Access &access);
  bool mayOverlap(const Pending &first, const MemoryAccess &second,
                  ArrayRef<Trip> trips, unsigned common);
  bool mayShareElement(const Pending &first, const MemoryAccess &second,
                       ArrayRef<Trip> trips, unsigned common, bool isCarried);

  GPUSyncModel model;
  /// Global buffers, without their views, that the kernel may write.
  DenseSet<Value> written;
  DenseMap<Operation *, std::vector<MemoryAccess>> accesses;
  /// Answers that took a while: of two accesses in given iterations.
  std::map<std::vector<int64_t>, bool> known;
};

} // namespace mlir::tile

#endif // TILE_LIB_ANALYSIS_HAZARDCONFLICTS_H
