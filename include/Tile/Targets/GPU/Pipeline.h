//===- Pipeline.h - the way to the threads of a GPU -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_GPU_PIPELINE_H
#define TILE_TARGETS_GPU_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace tile {

/// What the pipelines for GPUs are told.
struct TileToGPUPipelineOptions
    : public PassPipelineOptions<TileToGPUPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("the chip: a name of docs/targets.md"),
                           llvm::cl::init("sm_90a")};
};

/// From tile ops to the code of threads: gpu.modules with the attributes
/// `tile.target` and `tile.function`, whose kernels have `tile.launch`.
void buildTileToGPUPipeline(OpPassManager &pm,
                            const TileToGPUPipelineOptions &options);

/// Passes and the pipeline; safe to call again, since the GPUs of several
/// vendors do.
void registerGPUPasses();

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_GPU_PIPELINE_H
