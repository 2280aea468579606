//===- Passes.h - from tile to Ascend instructions --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOASCEND_PASSES_H
#define TILE_CONVERSION_TILETOASCEND_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;

namespace tile {

#define GEN_PASS_DECL
#include "Tile/Conversion/TileToAscend/Passes.h.inc"

/// From tile ops to Ascend instructions with addresses and flags:
/// `tile-to-ascend-pipeline`. Without a chip, that of the module, or 910B.
void buildTileToAscendPipeline(OpPassManager &pm, StringRef chip = "");

#define GEN_PASS_REGISTRATION
#include "Tile/Conversion/TileToAscend/Passes.h.inc"

/// Passes, those over the `ascend` dialect too, and the pipeline.
void registerTileToAscend();

} // namespace tile
} // namespace mlir

#endif // TILE_CONVERSION_TILETOASCEND_PASSES_H
