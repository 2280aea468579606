//===- FromLinalg.cpp - the pipeline --------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/LinalgToTile/Passes.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

// Declared here because the header of the linalg passes includes
// SCF/Utils/Utils.h, whose function mlir::tile has the name of our namespace.
namespace mlir {
std::unique_ptr<Pass> createLinalgInlineScalarOperandsPass();
std::unique_ptr<Pass> createLinalgFoldUnitExtentDimsPass();
} // namespace mlir

using namespace mlir;
using namespace mlir::tile;

bool tile::hasTensorFunctions(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    return !function.isExternal() &&
           (llvm::any_of(function.getArgumentTypes(), isTensor) ||
            llvm::any_of(function.getResultTypes(), isTensor));
  });
}

LogicalResult tile::convertTensorFunctions(ModuleOp module) {
  if (!hasTensorFunctions(module))
    return success();
  PassManager pm(module.getContext());
  buildFromLinalgPipeline(pm, FromLinalgPipelineOptions());
  return pm.run(module);
}

static void addBufferization(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  bufferization::BufferResultsToOutParamsPassOptions results;
  results.hoistStaticAllocs = true;
  results.hoistDynamicAllocs = true;
  results.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(results));
}

void tile::buildFromLinalgPipeline(OpPassManager &pm,
                                   const FromLinalgPipelineOptions &options) {
  pm.addPass(createVerifyDialectsPass());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createLinalgInlineScalarOperandsPass());
  pm.addPass(createLinalgFoldUnitExtentDimsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createFuseLinalgPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Fusion has moved reshapes, and unit dimensions with them, through ops.
  pm.addPass(createLinalgFoldUnitExtentDimsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  ConvertLinalgToTilePassOptions convert;
  convert.tf32 = options.tf32;
  convert.approximate = options.approximate;
  pm.addPass(createConvertLinalgToTilePass(convert));
  // So that an extent of a cast is one of what is cast.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addBufferization(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  PlaceWorkspacesPassOptions place;
  place.workspaceArguments = options.workspaceArguments;
  pm.addNestedPass<func::FuncOp>(createPlaceWorkspacesPass(place));
}

void tile::registerLinalgToTile() {
  registerLinalgToTilePasses();
  PassPipelineRegistration<FromLinalgPipelineOptions>(
      "tile-from-linalg", "from linalg on tensors to tile kernels on memrefs",
      [](OpPassManager &pm, const FromLinalgPipelineOptions &options) {
        buildFromLinalgPipeline(pm, options);
      });
}
