//===- Pipeline.cpp - from threads to the LLVM dialect on AMD GPUs --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/AMD/Pipeline.h"

#include "Tile/Conversion/GPUToROCDL/Passes.h"
#include "Tile/Conversion/Passes.h"
#include "Tile/Targets/GPU/Pipeline.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tile;

void tile::buildGPUToROCDLPipeline(OpPassManager &pm,
                                   const GPUToROCDLPipelineOptions &options) {
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  // LLVM would round an fma of bf16 to f32 first.
  addSmallFloatPasses(device, {/*keepBF16=*/true, /*keepBF16Fma=*/false});
  device.addPass(createLowerROCDLMathPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createSCFToControlFlowPass({/*allowPatternRollback=*/false}));
  ConvertGPUModuleToROCDLPassOptions convert;
  convert.indexBitwidth = options.indexBitwidth;
  device.addPass(createConvertGPUModuleToROCDLPass(convert));
  device.addPass(createReconcileUnrealizedCastsPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
}

void tile::registerAMDPasses() {
  registerGPUPasses();
  registerTileGPUToROCDLPasses();
  PassPipelineRegistration<GPUToROCDLPipelineOptions>(
      "tile-gpu-to-rocdl-pipeline",
      "from the code of threads to the ROCDL dialect, in gpu.modules",
      [](OpPassManager &pm, const GPUToROCDLPipelineOptions &options) {
        pm.nest<gpu::GPUModuleOp>().addPass(createLowerAffinePass());
        buildGPUToROCDLPipeline(pm, options);
      });
  PassPipelineRegistration<TargetPipelineOptions>(
      "tile-to-rocdl-pipeline",
      "from tile ops to the ROCDL dialect, for AMD GPUs",
      [](OpPassManager &pm, const TargetPipelineOptions &options) {
        buildTileToSIMTPipeline(pm, {options.chip, "gfx942", "AMD"});
        addThreadCleanup(pm);
        buildGPUToROCDLPipeline(pm, GPUToROCDLPipelineOptions());
      });
}
