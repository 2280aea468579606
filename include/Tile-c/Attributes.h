//===-- Tile-c/Attributes.h - attributes of the tile dialect ------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enums.capi.h.inc declares the enumerations of TileEnums.td, with their numbers:
//
//   MlirTile<Name>                    the type; MlirTile<Name><Case> its values
//   mlirTile<Name>ToString            the keyword of a value
//   mlirTile<Name>FromString          the value of a keyword
//   mlirTileAttributeIsA<Name>, mlirTile<Name>AttrGet, ...AttrGetValue,
//   ...AttrGetTypeID                  the attribute that holds one
//
// Functions named ...Get make an attribute, those named ...GetValue and the
// like take one for which ...IsA... is true.
// What passes decide, layouts, targets, and instructions, is in Decisions.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_ATTRIBUTES_H
#define TILE_C_ATTRIBUTES_H

#include "Tile-c/Support.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GET_TILE_ENUMS
#include "Tile-c/Enums.capi.h.inc"

/// The memory space of a memref type: Global where it has none of the dialect.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileMemorySpace
mlirTileMemRefTypeGetMemorySpace(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_ATTRIBUTES_H
