//===- Passes.h - from threads to AMD GPUs ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_GPUTOROCDL_PASSES_H
#define TILE_CONVERSION_GPUTOROCDL_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace tile {

#define GEN_PASS_DECL
#include "Tile/Conversion/GPUToROCDL/Passes.h.inc"

/// What the lower half of the pipeline for AMD GPUs is told.
struct GPUToROCDLPipelineOptions
    : public PassPipelineOptions<GPUToROCDLPipelineOptions> {
  Option<unsigned> indexBitwidth{*this, "index-bitwidth",
                                 llvm::cl::desc("bits of an index: 32 or 64"),
                                 llvm::cl::init(64)};
};

/// From the code of threads in gpu.modules (gpu, scf, arith, math, vector …) to
/// the LLVM and ROCDL dialects in them: `tile-gpu-to-rocdl-pipeline`.
void buildGPUToROCDLPipeline(OpPassManager &pm,
                             const GPUToROCDLPipelineOptions &options);

#define GEN_PASS_REGISTRATION
#include "Tile/Conversion/GPUToROCDL/Passes.h.inc"

/// Passes and pipelines, with `tile-to-rocdl-pipeline` from tile ops on.
void registerGPUToROCDL();

} // namespace tile
} // namespace mlir

#endif // TILE_CONVERSION_GPUTOROCDL_PASSES_H
