//===-- Tile-c/Passes.h - passes and pipelines --------------------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A registered pass or pipeline, with its options, is added to a pass manager
// by the text that tile-opt takes, through mlir-c:
//
//   mlirTileRegisterPasses();
//   mlirOpPassManagerAddPipeline(pm, mlirStringRefCreateFromCString(
//       "tile-to-cpu-pipeline{threads=false}"), onError, data);
//
// The generated headers declare a function for each pass with its default
// options, and one that registers it alone.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_PASSES_H
#define TILE_C_PASSES_H

#include "mlir-c/Pass.h"

#include "Tile-c/ConversionPasses.capi.h.inc"
#include "Tile-c/TransformsPasses.capi.h.inc"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the passes and the pipelines of the project; mlirRegisterAllPasses
/// of mlir-c does so for upstream's. Safe to call again, and from several
/// threads. Available since: 0.1
MLIR_CAPI_EXPORTED void mlirTileRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_PASSES_H
