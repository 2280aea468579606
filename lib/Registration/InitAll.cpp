//===- InitAll.cpp - registration of dialects and passes ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/InitAll.h"

#include "Tile/Conversion/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void tile::registerTileDialects(DialectRegistry &registry) {
  registry.insert<TileDialect>();
  registerLayoutModels(registry);
}

void tile::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerTileDialects(registry);
}

void tile::registerTilePasses() {
  registerTileConversions();
  registerTileTransformsPasses();
}

void tile::registerAllPasses() {
  mlir::registerAllPasses();
  registerTilePasses();
}
