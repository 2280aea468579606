//===- Consumers.h - what teams of threads can run --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_CONSUMERS_H
#define TILE_TRANSFORMS_CONSUMERS_H

#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Layout/Result.h"
#include "Tile/Target/Target.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::tile {

/// By pipeline, the loops around each commit of a point: their trips multiplied
/// are the stages that the commit fills, as many in all points.
using PointCommits =
    llvm::MapVector<Value, SmallVector<SmallVector<PipelinedOp>>>;

/// Those of the producer, or why points may differ.
::tile::layout::Result<PointCommits> collectCommits(WarpSpecializeOp partitions);

/// Whether `teams` teams of the kernel's threads may run the consumer.
::tile::layout::Status checkConsumers(WarpSpecializeOp partitions,
                                      int64_t teams,
                                      const ::tile::target::GPUSpec &gpu);

/// Whether each team has the shared buffers of the consumer for itself.
::tile::layout::Status checkBuffers(WarpSpecializeOp partitions, int64_t teams,
                                    const ::tile::target::GPUSpec &gpu);

/// The registers that a block of the kernel around `op` can have, where as many
/// share a processor as `tile.resident_blocks` says.
int64_t getRegistersOfBlock(Operation *op, const ::tile::target::GPUSpec &gpu);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_CONSUMERS_H
