//===- Pipeline.cpp - from tile ops to the code of threads ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/Pipeline.h"

#include "Tile/Conversion/TileToSIMT/Passes.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tile::buildTileToGPUPipeline(OpPassManager &pm,
                                  const TileToGPUPipelineOptions &options) {
  pm.addPass(createVerifySemanticsPass());
  pm.addPass(createLegalizeAccessesPass());
  SelectInstructionsPassOptions select;
  select.target = options.chip;
  pm.addPass(createSelectInstructionsPass(select));
  InferLayoutPassOptions infer;
  infer.target = options.chip;
  pm.addPass(createInferLayoutPass(infer));
  PersistentPassOptions persistent;
  persistent.target = options.chip;
  pm.addPass(createPersistentPass(persistent));
  SchedulePassOptions schedule;
  schedule.target = options.chip;
  pm.addPass(createSchedulePass(schedule));
  pm.addPass(createInsertBarriersPass());
  PlanSharedPassOptions plan;
  plan.target = options.chip;
  pm.addPass(createPlanSharedPass(plan));
  pm.addPass(createVerifySchedulePass());
  ConvertTileToGPUPassOptions convert;
  convert.target = options.chip;
  pm.addPass(createConvertTileToGPUPass(convert));
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void tile::registerGPUPasses() {
  static const bool once = [] {
    registerTileToSIMTPasses();
    PassPipelineRegistration<TileToGPUPipelineOptions>(
        "tile-to-gpu-pipeline", "from tile ops to the code of threads of a GPU",
        buildTileToGPUPipeline);
    return true;
  }();
  (void)once;
}
