//===- LayoutPlacement.h - placement of operands ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an op cannot use a tile as it is, a second buffer and copies around the
// op take its place.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_LAYOUTPLACEMENT_H
#define TILE_LIB_TRANSFORMS_LAYOUTPLACEMENT_H

#include "Tile/Transforms/LayoutState.h"

namespace mlir::tile {

/// Inserts buffers and copies, and keeps the hand-written schedules of loops
/// complete: a copy is scheduled with the op that it is for.
class TileReplacer {
public:
  explicit TileReplacer(KernelOp kernel);

  /// Lets `op`, and its nested ops, use a copy of `buffer` in `space`:
  /// filled before the op if that may read it or not write all of it, and
  /// written back after it if it writes. Returns the copy.
  Value replace(Operation *op, Value buffer, MemorySpace space);

  /// Gives the loops with a hand-written schedule entries for the new copies.
  void updateSchedules();

private:
  void insertCopy(OpBuilder &b, Operation *anchor, Value source, Value target);

  struct SchedulePosition {
    int64_t order, stage;
  };
  KernelOp kernel;
  DenseMap<Operation *, SchedulePosition> positions;
};

/// Lets elements be read in the global memory that a tile is a copy of, while
/// the kernel does not write it: those of a fragment that the block reads, which
/// are single threads' and which no producer has, and those of a shared tile
/// that registers could hold as well.
void forwardLoads(KernelOp kernel);

/// Has loops that name a part of a fragment, moved by an offset of the block, go
/// over the elements of the fragment: each is in the thread that has it then.
void alignLoops(KernelOp kernel);

/// Copies operands to the memory space that their op needs.
void placeOperands(KernelOp kernel, TileReplacer &replacer);

/// Lets accesses that single threads make to fragments go through shared memory
/// where the element may be another thread's: in tile.parallel unless the
/// iteration names its own element, and everywhere outside of it; and where a
/// loop has more iterations for a thread than that has registers.
void placeAccesses(KernelOp kernel, const ::tile::target::Target &target,
                   TileReplacer &replacer);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_LAYOUTPLACEMENT_H
