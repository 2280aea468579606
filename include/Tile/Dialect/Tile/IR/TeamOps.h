//===- TeamOps.h - programs of teams ----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of TileTeamOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TEAMOPS_H
#define TILE_DIALECT_TILE_IR_TEAMOPS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileTeamOps.h.inc"

namespace mlir::tile {

/// The programs of its consumer, one for each team; empty if there is one.
inline SmallVector<TeamOp> getPrograms(WarpSpecializeOp partitions) {
  return llvm::to_vector(partitions.getConsumer().getOps<TeamOp>());
}

/// Those of one team or another that wait for stages of a pipeline.
inline llvm::SmallPtrSet<Operation *, 4> getReaders(Value pipeline) {
  llvm::SmallPtrSet<Operation *, 4> readers;
  for (Operation *user : pipeline.getUsers())
    if (isa<ConsumerWaitOp, ConsumerReleaseOp>(user))
      if (auto team = user->getParentOfType<TeamOp>())
        readers.insert(team);
  return readers;
}

/// The team that fills stages of a pipeline; null if the producer does.
inline TeamOp getFillingTeam(Value pipeline) {
  for (Operation *user : pipeline.getUsers())
    if (isa<ProducerAcquireOp>(user))
      return user->getParentOfType<TeamOp>();
  return {};
}

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_TEAMOPS_H
