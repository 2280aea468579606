//===-- Tile-c/Dialects.h - registration of the dialects ----------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_DIALECTS_H
#define TILE_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// mlirGetDialectHandle__tile__, the handle of the tile dialect.
/// Available since: 0.1
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);

/// Adds the dialects of the project, all upstream dialects, the extensions that
/// the passes need and the translations to LLVM IR. Available since: 0.1
MLIR_CAPI_EXPORTED void
mlirTileRegisterAllDialects(MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_DIALECTS_H
