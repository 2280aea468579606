//===- VerifySchedule.h - the checks of tile-verify-schedule ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_VERIFYSCHEDULE_H
#define TILE_LIB_TRANSFORMS_VERIFYSCHEDULE_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// Runs the steps of pipelines in both partitions; see the pass.
LogicalResult verifyPipelines(KernelOp kernel);

/// Whether each warpgroup has rows for itself where it copies for itself.
LogicalResult verifyWarpgroups(KernelOp kernel);

/// Whether teams of threads that run one consumer keep out of each other's way.
LogicalResult verifyConsumers(KernelOp kernel);

/// Whether what asynchronous gemms use is left alone.
LogicalResult verifyGemms(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_VERIFYSCHEDULE_H
