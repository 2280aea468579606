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

/// Whether it is a ring: slots through which one role hands tiles to another.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileTypeIsARing(MlirType type);

/// The ring of so many slots. Null, with an error at `loc`, for a number that a
/// ring cannot have. Available since: 0.1
MLIR_CAPI_EXPORTED MlirType mlirTileRingTypeGetChecked(MlirLocation loc,
                                                       int64_t stages);

/// Available since: 0.1
MLIR_CAPI_EXPORTED int64_t mlirTileRingTypeGetStages(MlirType type);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileRingTypeGetTypeID(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_TYPES_H
