//===- Pipeline.cpp - from tile to verified Ascend instructions -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/Ascend/Pipeline.h"

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Ascend/Transforms/Passes.h"
#include "Tile/Transforms/IndexedPasses.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
namespace ascend = mlir::tile::ascend;

void mlir::tile::buildTileToAscendPipeline(OpPassManager &pm, StringRef chip) {
  buildTileFrontEnd(pm, {chip.str(), "910B", "Ascend"});
  pm.addPass(createAscendConvertAffineLoopsPass());
  pm.addPass(createAscendWidenBitsPass());
  pm.addPass(createExpandIndexedPass(
      {/*rows=*/true, /*windows=*/false, /*lists=*/true}));
  pm.addPass(createExpandSparsePass());
  pm.addPass(createAscendExpandColumnsPass());
  pm.addPass(createAscendBoundExtentsPass());
  pm.addPass(createAscendFoldGuardsPass());
  pm.addPass(createAscendMergeBranchesPass());
  pm.addPass(createAscendFoldGuardsPass());
  pm.addPass(createSpecializeMasksPass());
  pm.addPass(createAscendUnpackCodesPass());
  pm.addPass(createAscendInferMemoryPass());
  pm.addPass(createAscendTileSubBlocksPass());
  pm.addPass(createAscendSplitParallelPass());
  pm.addPass(createConvertTileToAscendPass());
  pm.addPass(createAscendPipelineLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(ascend::createAscendOrderVectorsPass());
  pm.addPass(ascend::createAscendPlanMemoryPass());
  pm.addPass(ascend::createAscendInsertSyncPass());
  // Of both cores at once the flags are found, and proven when each has its
  // own.
  pm.addPass(createAscendSplitMixKernelsPass());
  pm.addPass(ascend::createAscendExpandInstructionsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(ascend::createAscendHoistScalarsPass());
  pm.addPass(createCSEPass());
  pm.addPass(ascend::createAscendVerifySyncPass());
}

void mlir::tile::registerAscendPasses() {
  registerTileToAscendPasses();
  ascend::registerAscendTransformsPasses();
  PassPipelineRegistration<TargetPipelineOptions>(
      "tile-to-ascend-pipeline",
      "from tile ops to Ascend instructions with addresses and flags",
      [](OpPassManager &pm, const TargetPipelineOptions &options) {
        buildTileToAscendPipeline(pm, options.chip);
      });
}
