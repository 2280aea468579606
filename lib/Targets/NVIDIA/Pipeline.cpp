//===- Pipeline.cpp - from threads to the LLVM dialect on NVIDIA GPUs -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/NVIDIA/Pipeline.h"

#include "Tile/Conversion/GPUToNVVM/Passes.h"
#include "Tile/Conversion/Passes.h"
#include "Tile/Targets/GPU/Pipeline.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tile;

void tile::buildGPUToNVVMPipeline(OpPassManager &pm,
                                  const GPUToNVVMPipelineOptions &options) {
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  // Remainders of what is never negative need no correction. The ranges of a
  // function depend on no other one.
  OpPassManager &functions = device.nestAny();
  functions.addPass(arith::createArithUnsignedWhenEquivalentPass());
  functions.addPass(createNarrowComparisonsPass());
  device.addPass(createLowerNVVMSmallFloatsPass());
  addSmallFloatPasses(device, {/*keepBF16=*/true, /*keepBF16Fma=*/true});
  device.addPass(createLowerGPUMathPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createSCFToControlFlowPass({/*allowPatternRollback=*/false}));
  ConvertGPUModuleToNVVMPassOptions convert;
  convert.indexBitwidth = options.indexBitwidth;
  device.addPass(createConvertGPUModuleToNVVMPass(convert));
  device.addPass(createConvertNVVMToLLVMPass());
  device.addPass(createReconcileUnrealizedCastsPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
}

void tile::registerNVIDIAPasses() {
  registerGPUPasses();
  registerTileGPUToNVVMPasses();
  PassPipelineRegistration<GPUToNVVMPipelineOptions>(
      "tile-gpu-to-nvvm-pipeline",
      "from the code of threads to the NVVM dialect, in gpu.modules",
      [](OpPassManager &pm, const GPUToNVVMPipelineOptions &options) {
        pm.nest<gpu::GPUModuleOp>().addPass(createLowerAffinePass());
        buildGPUToNVVMPipeline(pm, options);
      });
  PassPipelineRegistration<TargetPipelineOptions>(
      "tile-to-nvvm-pipeline",
      "from tile ops to the NVVM dialect, for NVIDIA GPUs",
      [](OpPassManager &pm, const TargetPipelineOptions &options) {
        buildTileToSIMTPipeline(pm, {options.chip, "sm_90a", "NVIDIA"});
        addThreadCleanup(pm);
        buildGPUToNVVMPipeline(pm, GPUToNVVMPipelineOptions());
      });
}
