//===- Pipeline.h - the way to a CPU ----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_CPU_PIPELINE_H
#define TILE_TARGETS_CPU_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace tile {

/// What the CPU pipeline is told about the machine and the caller.
struct TileToCPUPipelineOptions
    : public PassPipelineOptions<TileToCPUPipelineOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("the CPU: a name of docs/targets.md; by default that of "
                     "the module, or x86-64-v3")};
  Option<bool> threads{
      *this, "threads",
      llvm::cl::desc("spread the grid over the runtime's threads"),
      llvm::cl::init(true)};
  Option<bool> checkAssumptions{*this, "check-assumptions",
                                llvm::cl::desc("test what tile.assume states"),
                                llvm::cl::init(false)};
  Option<bool> poisonTiles{*this, "poison-tiles",
                           llvm::cl::desc("fill new buffers with NaN or -1"),
                           llvm::cl::init(false)};
};

/// From tile ops to loops over buffers. The target where neither an option nor
/// the module names one is `defaultChip`.
void buildTileToLoopsPipeline(OpPassManager &pm,
                              const TileToCPUPipelineOptions &options,
                              StringRef defaultChip);

/// From there to the LLVM dialect.
void buildLoopsToLLVMPipeline(OpPassManager &pm);

/// Passes, and both as `tile-to-cpu-pipeline`.
void registerCPUPasses();

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_CPU_PIPELINE_H
