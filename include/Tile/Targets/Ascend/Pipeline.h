//===- Pipeline.h - the way to Ascend NPUs ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_ASCEND_PIPELINE_H
#define TILE_TARGETS_ASCEND_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace tile {

/// From tile ops to Ascend instructions with addresses and flags:
/// `tile-to-ascend-pipeline`.
void buildTileToAscendPipeline(OpPassManager &pm, StringRef chip = "");

/// Passes, those over the `ascend` dialect too, and the pipeline.
void registerAscendPasses();

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_ASCEND_PIPELINE_H
