//===- Passes.h - conversion passes and pipelines ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_PASSES_H
#define TILE_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

#include <memory>

namespace mlir {
class ModuleOp;
class OpPassManager;
class RewritePatternSet;

namespace tile {

#define GEN_PASS_DECL
#include "Tile/Conversion/Passes.h.inc"

/// What the CPU pipeline is told about the machine and the caller.
struct TileToCPUPipelineOptions
    : public PassPipelineOptions<TileToCPUPipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the CPU (docs/targets.md)"),
                             llvm::cl::init("x86-64-v3")};
  Option<bool> threads{
      *this, "threads",
      llvm::cl::desc("spread the grid over the runtime's threads"),
      llvm::cl::init(true)};
  Option<bool> checkAssumptions{*this, "check-assumptions",
                                llvm::cl::desc("test what tile.assume states"),
                                llvm::cl::init(false)};
};

/// From tile ops to the LLVM dialect: `tile-to-cpu-pipeline`.
void buildTileToCPUPipeline(OpPassManager &pm,
                            const TileToCPUPipelineOptions &options);

/// What the pipelines for GPUs are told.
struct TileToGPUPipelineOptions
    : public PassPipelineOptions<TileToGPUPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("the chip: a name of docs/targets.md"),
                           llvm::cl::init("sm_90a")};
};

/// From tile ops to the code of threads: gpu.modules with the attributes
/// `tile.target`, whose kernels have `tile.launch`.
void buildTileToGPUPipeline(OpPassManager &pm,
                            const TileToGPUPipelineOptions &options);

/// What the lower half of the pipelines for NVIDIA GPUs is told.
struct GPUToNVVMPipelineOptions
    : public PassPipelineOptions<GPUToNVVMPipelineOptions> {
  Option<unsigned> indexBitwidth{*this, "index-bitwidth",
                                 llvm::cl::desc("bits of an index: 32 or 64"),
                                 llvm::cl::init(64)};
};

/// From the code of threads in gpu.modules (gpu, scf, arith, math, vector …) to
/// the LLVM and NVVM dialects in them: `tile-gpu-to-nvvm-pipeline`.
void buildGPUToNVVMPipeline(OpPassManager &pm,
                            const GPUToNVVMPipelineOptions &options);

/// Computes on small floats in f32. With `keepBF16`, conversions of bf16 are left
/// to the machine.
void addSmallFloatPasses(OpPassManager &pm, bool keepBF16);

/// Patterns that compute math.exp and math.exp2 on f32 by polynomials; see
/// `tile-expand-math`.
void populateExpandExponentialPatterns(RewritePatternSet &patterns,
                                       bool hasLdexp);

#define GEN_PASS_REGISTRATION
#include "Tile/Conversion/Passes.h.inc"

/// Passes and pipelines.
void registerTileConversions();

} // namespace tile
} // namespace mlir

#endif // TILE_CONVERSION_PASSES_H
