//===- TileToGPUPipeline.cpp - from tile ops to the code of threads -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

void tile::buildTileToGPUPipeline(OpPassManager &pm,
                                  const TileToGPUPipelineOptions &) {
  pm.addPass(createVerifySemanticsPass());
  pm.addPass(createLegalizeAccessesPass());
}
