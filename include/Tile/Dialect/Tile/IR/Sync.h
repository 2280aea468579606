//===- Sync.h - what ops of a schedule order --------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_SYNC_H
#define TILE_DIALECT_TILE_IR_SYNC_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// What an op of a schedule orders.
struct SyncEffect {
  enum class Kind {
    Barrier,      // of the threads that reach it; with `isAsync`, the
                  // asynchronous proxy sees what they did to shared memory,
                  // with `isGlobal` to global memory, too
    CommitCopies, // closes a group of asynchronous copies of threads
    WaitCopies,   // until at most `count` groups are in flight
    WaitStores,   // until at most `count` tensor copies read shared memory;
                  // with `isGlobal`, or write global memory
    WaitGemms,    // until at most `count` gemms are in flight
    AcquireStage, // of `pipeline`, for `count` bytes
    CommitStage,
    WaitStage,
    ReleaseStage,
    EnterOrdered, // what warpgroups run through one after another
    LeaveOrdered
  };
  Kind kind;
  int64_t count = 0;
  bool isAsync = false;
  Value pipeline = {};
  bool isGlobal = false;
};

/// Gives the ops of the dialect their models; for its initialisation.
void attachSyncModels(MLIRContext &context);

} // namespace mlir::tile

#include "Tile/Dialect/Tile/IR/TileSyncInterface.h.inc"

#endif // TILE_DIALECT_TILE_IR_SYNC_H
