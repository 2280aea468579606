//===- InitAll.cpp - registration of dialects and passes ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/InitAll.h"

#include "Tile/Conversion/GPUToROCDL/Passes.h"
#include "Tile/Conversion/Passes.h"
#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void mlir::tile::registerTileDialects(DialectRegistry &registry) {
  registry.insert<TileDialect>();
  registerLayoutModels(registry);
  registry.insert<ascend::AscendDialect>();
}

void mlir::tile::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerTileDialects(registry);
}

void mlir::tile::registerTilePasses() {
  registerTileConversions();
  registerGPUToROCDL();
  registerTileTransformsPasses();
  registerTileToAscend();
}

void mlir::tile::registerAllPasses() {
  mlir::registerAllPasses();
  registerTilePasses();
}
