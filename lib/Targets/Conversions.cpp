//===- Conversions.cpp - registration of conversions ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void tile::registerTileConversions() {
  registerTileConversionPasses();
  PassPipelineRegistration<TileToCPUPipelineOptions>(
      "tile-to-cpu-pipeline",
      "from tile ops to the LLVM dialect, for the CPU",
      buildTileToCPUPipeline);
  PassPipelineRegistration<GPUToNVVMPipelineOptions>(
      "tile-gpu-to-nvvm-pipeline",
      "from the code of threads to the NVVM dialect, in gpu.modules",
      buildGPUToNVVMPipeline);
  PassPipelineRegistration<TileToGPUPipelineOptions>(
      "tile-to-gpu-pipeline", "from tile ops to the code of threads of a GPU",
      buildTileToGPUPipeline);
  PassPipelineRegistration<TileToGPUPipelineOptions>(
      "tile-to-nvvm-pipeline",
      "from tile ops to the NVVM dialect, for NVIDIA GPUs",
      [](OpPassManager &pm, const TileToGPUPipelineOptions &options) {
        buildTileToGPUPipeline(pm, options);
        buildGPUToNVVMPipeline(pm, GPUToNVVMPipelineOptions());
      });
}
