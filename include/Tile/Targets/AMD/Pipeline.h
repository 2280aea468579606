//===- Pipeline.h - the way to AMD GPUs -------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_AMD_PIPELINE_H
#define TILE_TARGETS_AMD_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace tile {

/// What the lower half of the pipeline for AMD GPUs is told.
struct GPUToROCDLPipelineOptions
    : public PassPipelineOptions<GPUToROCDLPipelineOptions> {
  Option<unsigned> indexBitwidth{*this, "index-bitwidth",
                                 llvm::cl::desc("bits of an index: 32 or 64"),
                                 llvm::cl::init(64)};
};

/// From the code of threads in gpu.modules (gpu, scf, arith, math, vector …, no
/// affine ops) to the LLVM and ROCDL dialects in them. Behind the lowering of
/// affine ops: `tile-gpu-to-rocdl-pipeline`.
void buildGPUToROCDLPipeline(OpPassManager &pm,
                             const GPUToROCDLPipelineOptions &options);

/// Passes and pipelines, with `tile-to-rocdl-pipeline` from tile ops on.
void registerAMDPasses();

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_AMD_PIPELINE_H
