//===-- Tile-c/Types.h - types of the tile dialect ----------------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are memrefs with a memory space of the dialect (Tile-c/Attributes.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_TYPES_H
#define TILE_C_TYPES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether it is a pipeline: stages through which one partition hands tiles to
/// another. Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileTypeIsAPipeline(MlirType type);

/// The pipeline of so many stages. Null, with an error at `loc`, for a number
/// that a pipeline cannot have. Available since: 0.1
MLIR_CAPI_EXPORTED MlirType mlirTilePipelineTypeGetChecked(MlirLocation loc,
                                                       int64_t stages);

/// Available since: 0.1
MLIR_CAPI_EXPORTED int64_t mlirTilePipelineTypeGetStages(MlirType type);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTilePipelineTypeGetTypeID(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_TYPES_H
