//===- Liveness.h - live ranges of buffers and their packing ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What planners of memory have in common: positions of ops, ranges of positions
// in which buffers are live, and the first fit of buffers into a memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_LIVENESS_H
#define TILE_ANALYSIS_LIVENESS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// Positions in program order, both included.
struct LiveRange {
  int64_t begin, end;

  bool overlaps(const LiveRange &other) const {
    return begin <= other.end && other.begin <= end;
  }
  /// The smallest range around both.
  LiveRange join(const LiveRange &other) const {
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
};

/// Numbers the ops of a kernel. An op with regions extends over them.
class Positions {
public:
  explicit Positions(Operation *root);

  LiveRange get(Operation *op) const { return positions.lookup(op); }
  /// From the first to the last of the ops that hold `ops` in `block`.
  LiveRange getRange(ArrayRef<Operation *> ops, Block *block) const;

private:
  DenseMap<Operation *, LiveRange> positions;
};

/// The ops that use the buffer or a view of it, in no order; views are not
/// among them.
SmallVector<Operation *> collectBufferUsers(Value buffer);

/// Whether the op leaves nothing of what was in the buffer before: it writes
/// regions for which `isAll` holds, and reads none.
bool redefines(Operation *op, Value buffer,
               function_ref<bool(const BufferRegion &)> isAll);

/// A part of a memory that something needs while it is live.
struct Placement {
  Operation *op;
  int64_t bytes, align;
  LiveRange range{0, 0};
  int64_t offset = -1; // -1: none yet
};

/// Gives the lowest offset at which nothing is placed that is live at the same
/// time.
void placeLowest(Placement &item, ArrayRef<Placement *> placed);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_LIVENESS_H
