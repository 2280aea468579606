//===- Pipeline.cpp - from tile ops to the code of threads ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/Pipeline.h"

#include "Tile/Conversion/TileToSIMT/Passes.h"
#include "Tile/Dialect/World/Transforms/Passes.h"
#include "Tile/Transforms/ClusterPasses.h"
#include "Tile/Transforms/GemmPasses.h"
#include "Tile/Transforms/IndexedPasses.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tile::buildTileToSIMTPipeline(OpPassManager &pm,
                                   const SetTargetPassOptions &target) {
  buildTileFrontEnd(pm, target);
  pm.addPass(createExpandIndexedPass({/*rows=*/false, /*windows=*/true}));
  pm.addPass(createExpandSparsePass());
  pm.addPass(createUnrollLaunchesPass());
  pm.addPass(createSumInClustersPass());
  pm.addPass(createSplitConversionsPass());
  pm.addPass(createDeferScalesPass());
  pm.addPass(createSinkLoadsPass());
  pm.addPass(createSpreadRowsPass());
  pm.addPass(createVersionKernelsPass());
  pm.addPass(createSelectInstructionsPass());
  pm.addPass(createInferLayoutPass());
  pm.addPass(createSpecializeMasksPass());
  pm.addPass(createPersistentPass());
  pm.addPass(createSchedulePass());
  pm.addPass(world::createWorldDeferSignalsPass());
  pm.addPass(createInsertBarriersPass());
  pm.addPass(createPlanSharedPass());
  pm.addPass(createVerifySchedulePass());
  pm.addPass(createConvertTileToSIMTPass());
}

void tile::addThreadCleanup(OpPassManager &pm) {
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void tile::registerGPUPasses() {
  static const bool once = [] {
    registerTileToSIMTPasses();
    PassPipelineRegistration<TargetPipelineOptions>(
        "tile-to-gpu-pipeline", "from tile ops to the code of threads of a GPU",
        [](OpPassManager &pm, const TargetPipelineOptions &options) {
          buildTileToSIMTPipeline(pm, {options.chip, "sm_90a", "GPU"});
          addThreadCleanup(pm);
        });
    return true;
  }();
  (void)once;
}
