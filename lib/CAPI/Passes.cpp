//===- Passes.cpp - passes and pipelines, from C --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile-c/Passes.h"

#include "Tile/Conversion/Passes.h"
#include "Tile/InitAll.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/CAPI/Pass.h"

using namespace mlir;
using namespace mlir::tile;

#include "Tile-c/ConversionPasses.capi.cpp.inc"
#include "Tile-c/TransformsPasses.capi.cpp.inc"

void mlirTileRegisterPasses() {
  // MLIR's registry has no lock and refuses to register a pipeline twice.
  static const bool once = (mlir::tile::registerTilePasses(), true);
  (void)once;
}
