//===- Pipeline.cpp - from tile to the LLVM dialect on a CPU --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/CPU/Pipeline.h"

#include "Tile/Conversion/Passes.h"
#include "Tile/Conversion/TileToCPU/Passes.h"
#include "Tile/Transforms/IndexedPasses.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

// Declared here because the header of the linalg passes includes
// SCF/Utils/Utils.h, whose function mlir::tile has the name of our namespace.
namespace mlir {
std::unique_ptr<Pass> createConvertLinalgToLoopsPass();
} // namespace mlir

using namespace mlir;
using namespace mlir::tile;

void mlir::tile::buildLoopsToLLVMPipeline(OpPassManager &pm) {
  addSmallFloatPasses(pm);
  pm.addPass(createExpandMathPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createSCFToControlFlowPass({/*allowPatternRollback=*/false}));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createReplaceBF16Pass());
  pm.addPass(createCanonicalizerPass());
}

void mlir::tile::buildTileToLoopsPipeline(
    OpPassManager &pm, const TileToCPUPipelineOptions &options,
    StringRef defaultChip) {
  buildTileFrontEnd(pm, {options.chip, defaultChip.str(), "CPU"});
  pm.addPass(createExpandIndexedPass({/*rows=*/true, /*windows=*/false}));
  pm.addPass(createExpandSparsePass());
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  pm.addPass(createPrefetchBlocksPass());
  ConvertTileToCPUPassOptions convert;
  convert.checkAssumptions = options.checkAssumptions;
  convert.poisonTiles = options.poisonTiles;
  pm.addPass(createConvertTileToCPUPass(convert));
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createPackSubBytePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCheckAllocationsPass());
  if (options.threads)
    pm.addPass(createOutlineParallelPass());
}

void mlir::tile::registerCPUPasses() {
  registerTileToCPUPasses();
  PassPipelineRegistration<TileToCPUPipelineOptions>(
      "tile-to-cpu-pipeline", "from tile ops to the LLVM dialect, for the CPU",
      [](OpPassManager &pm, const TileToCPUPipelineOptions &options) {
        buildTileToLoopsPipeline(pm, options, "x86-64-v3");
        buildLoopsToLLVMPipeline(pm);
      });
}
