//===-- Tile-c/Decisions.h - attributes that passes decide -------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts, targets, and the instructions of a schedule. As in Attributes.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_DECISIONS_H
#define TILE_C_DECISIONS_H

#include "Tile-c/Attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Layout: where every element of a tile lives
//===----------------------------------------------------------------------===//

/// The axes that a layout sends digits to.
typedef enum MlirTileAxis TILE_C_ENUM {
  MlirTileAxisReg = 0,
  MlirTileAxisLane = 1,
  MlirTileAxisWarp = 2,
  MlirTileAxisBlock = 3,
  MlirTileAxisDevice = 4,
  MlirTileAxisOffset = 5
} MlirTileAxis;

enum { MLIR_TILE_AXIS_COUNT = 6 };

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsALayout(MlirAttribute attr);

/// The layout that a text describes, without the "#tile.layout<" and ">" around
/// it. Null, with an error at `loc`, for a text that is none.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileLayoutAttrGetChecked(MlirLocation loc, MlirStringRef text);

/// The dense layout of a memory, last dimension fastest. Null, with an error at
/// `loc`, for a shape that has none. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute mlirTileLayoutAttrGetRowMajor(
    MlirLocation loc, intptr_t rank, const int64_t *shape);

/// The canonical text. It lives as long as the context. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef mlirTileLayoutAttrGetText(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED intptr_t mlirTileLayoutAttrGetRank(MlirAttribute attr);

/// -1 for a dimension that the layout has not. Available since: 0.1
MLIR_CAPI_EXPORTED int64_t mlirTileLayoutAttrGetDimSize(MlirAttribute attr,
                                                        intptr_t dim);

/// How many positions each element lives at. Available since: 0.1
MLIR_CAPI_EXPORTED int64_t mlirTileLayoutAttrGetNumCopies(MlirAttribute attr);

/// One more than the largest position on the axis. Available since: 0.1
MLIR_CAPI_EXPORTED int64_t mlirTileLayoutAttrGetAxisSize(MlirAttribute attr,
                                                         MlirTileAxis axis);

/// Writes the position of the first copy of an element, one number for each
/// axis. False for coordinates that are out of range. Available since: 0.1
MLIR_CAPI_EXPORTED bool
mlirTileLayoutAttrGetPosition(MlirAttribute attr, intptr_t rank,
                              const int64_t *coordinates,
                              int64_t position[MLIR_TILE_AXIS_COUNT]);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileLayoutAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// Target: the chip that code is made for
//===----------------------------------------------------------------------===//

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsATarget(MlirAttribute attr);

/// Null, with an error at `loc` that names similar chips, for an unknown chip.
/// Tile-c/Targets.h lists the chips. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileTargetAttrGetChecked(MlirLocation loc, MlirStringRef chip);

/// The name of the chip. It lives as long as the context. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef mlirTileTargetAttrGetChip(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileTargetAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// Mma and Transfer: instructions that a schedule has chosen
//===----------------------------------------------------------------------===//

/// The matrix instruction of a gemm, its extents, and how many warps stand
/// along M and along N.
typedef struct MlirTileMma {
  MlirTileInstruction family;
  int64_t m, n, k, warpsM, warpsN;
} MlirTileMma;

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAMma(MlirAttribute attr);

/// Null, with an error at `loc`, for what is no such instruction.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute mlirTileMmaAttrGetChecked(MlirLocation loc,
                                                           MlirTileMma value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileMma mlirTileMmaAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileMmaAttrGetTypeID(void);

/// The instruction of a copy, and the bytes that one of them moves; 0 where it
/// has no such number.
typedef struct MlirTileTransfer {
  MlirTileInstruction family;
  int64_t bytes;
} MlirTileTransfer;

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsATransfer(MlirAttribute attr);

/// Null, with an error at `loc`, for what is no such instruction.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileTransferAttrGetChecked(MlirLocation loc, MlirTileTransfer value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileTransfer
mlirTileTransferAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileTransferAttrGetTypeID(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_DECISIONS_H
