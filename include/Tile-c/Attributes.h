//===-- Tile-c/Attributes.h - attributes of the tile dialect ------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of an enumeration are those of the td files; Attributes.cpp
// compares them when it is compiled. Functions named ...Get make an attribute,
// those named ...GetValue and the like take one for which ...IsA... is true.
// What passes decide, layouts, targets, and instructions, is in Decisions.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_ATTRIBUTES_H
#define TILE_C_ATTRIBUTES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// MemorySpace: where a buffer lives
//===----------------------------------------------------------------------===//

typedef enum MlirTileMemorySpace {
  MlirTileMemorySpaceGlobal = 0,
  MlirTileMemorySpaceShared = 1,
  MlirTileMemorySpaceFragment = 2,
  MlirTileMemorySpaceLocal = 3,
  MlirTileMemorySpaceTmem = 4,
  MlirTileMemorySpaceL1 = 5,
  MlirTileMemorySpaceUB = 6,
  MlirTileMemorySpaceL0A = 7,
  MlirTileMemorySpaceL0B = 8,
  MlirTileMemorySpaceL0C = 9,
  MlirTileMemorySpaceBT = 10
} MlirTileMemorySpace;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTileMemorySpaceToString(MlirTileMemorySpace value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool
mlirTileMemorySpaceFromString(MlirStringRef text, MlirTileMemorySpace *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAMemorySpace(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileMemorySpaceAttrGet(MlirContext context, MlirTileMemorySpace value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileMemorySpace
mlirTileMemorySpaceAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileMemorySpaceAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// ReduceKind: how a reduction combines two values
//===----------------------------------------------------------------------===//

typedef enum MlirTileReduceKind {
  MlirTileReduceKindSum = 0,
  MlirTileReduceKindMax = 1,
  MlirTileReduceKindMin = 2,
  MlirTileReduceKindAbsSum = 3,
  MlirTileReduceKindAbsMax = 4,
  MlirTileReduceKindAnd = 5,
  MlirTileReduceKindOr = 6,
  MlirTileReduceKindXor = 7
} MlirTileReduceKind;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTileReduceKindToString(MlirTileReduceKind value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileReduceKindFromString(MlirStringRef text,
                                                     MlirTileReduceKind *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAReduceKind(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileReduceKindAttrGet(MlirContext context, MlirTileReduceKind value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileReduceKind
mlirTileReduceKindAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileReduceKindAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// ScanKind: how a scan combines two values
//===----------------------------------------------------------------------===//

typedef enum MlirTileScanKind {
  MlirTileScanKindSum = 0,
  MlirTileScanKindMax = 1
} MlirTileScanKind;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTileScanKindToString(MlirTileScanKind value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileScanKindFromString(MlirStringRef text,
                                                   MlirTileScanKind *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAScanKind(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileScanKindAttrGet(MlirContext context, MlirTileScanKind value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileScanKind
mlirTileScanKindAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileScanKindAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// AtomicKind: what an atomic update does
//===----------------------------------------------------------------------===//

typedef enum MlirTileAtomicKind {
  MlirTileAtomicKindAdd = 0,
  MlirTileAtomicKindMax = 1,
  MlirTileAtomicKindMin = 2,
  MlirTileAtomicKindOr = 3
} MlirTileAtomicKind;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTileAtomicKindToString(MlirTileAtomicKind value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAtomicKindFromString(MlirStringRef text,
                                                     MlirTileAtomicKind *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAAtomicKind(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileAtomicKindAttrGet(MlirContext context, MlirTileAtomicKind value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileAtomicKind
mlirTileAtomicKindAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileAtomicKindAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// WarpPolicy: how the warps of a block divide a gemm tile
//===----------------------------------------------------------------------===//

typedef enum MlirTileWarpPolicy {
  MlirTileWarpPolicySquare = 0,
  MlirTileWarpPolicyFullRow = 1,
  MlirTileWarpPolicyFullCol = 2
} MlirTileWarpPolicy;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTileWarpPolicyToString(MlirTileWarpPolicy value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileWarpPolicyFromString(MlirStringRef text,
                                                     MlirTileWarpPolicy *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAWarpPolicy(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileWarpPolicyAttrGet(MlirContext context, MlirTileWarpPolicy value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileWarpPolicy
mlirTileWarpPolicyAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileWarpPolicyAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// Precision: how f32 operands enter a gemm
//===----------------------------------------------------------------------===//

typedef enum MlirTilePrecision {
  MlirTilePrecisionIEEE = 0,
  MlirTilePrecisionTF32 = 1
} MlirTilePrecision;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTilePrecisionToString(MlirTilePrecision value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTilePrecisionFromString(MlirStringRef text,
                                                    MlirTilePrecision *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAPrecision(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTilePrecisionAttrGet(MlirContext context, MlirTilePrecision value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTilePrecision
mlirTilePrecisionAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTilePrecisionAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// Instruction: an instruction family that a hint asks for
//===----------------------------------------------------------------------===//

typedef enum MlirTileInstruction {
  MlirTileInstructionSync = 0,
  MlirTileInstructionCpAsync = 1,
  MlirTileInstructionBulk = 2,
  MlirTileInstructionTMA = 3,
  MlirTileInstructionLdMatrix = 4,
  MlirTileInstructionFMA = 5,
  MlirTileInstructionMMA = 6,
  MlirTileInstructionWGMMA = 7,
  MlirTileInstructionTCGen05 = 8,
  MlirTileInstructionMFMA = 9,
  MlirTileInstructionWMMA = 10,
  MlirTileInstructionCube = 11
} MlirTileInstruction;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTileInstructionToString(MlirTileInstruction value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool
mlirTileInstructionFromString(MlirStringRef text, MlirTileInstruction *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsAInstruction(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileInstructionAttrGet(MlirContext context, MlirTileInstruction value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileInstruction
mlirTileInstructionAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileInstructionAttrGetTypeID(void);

//===----------------------------------------------------------------------===//
// RasterOrder: the order in which blocks walk over a group
//===----------------------------------------------------------------------===//

typedef enum MlirTileRasterOrder {
  MlirTileRasterOrderRow = 0,
  MlirTileRasterOrderColumn = 1
} MlirTileRasterOrder;

/// The keyword of the value as the IR spells it, "" for a number that is none.
/// Static. Available since: 0.1
MLIR_CAPI_EXPORTED MlirStringRef
mlirTileRasterOrderToString(MlirTileRasterOrder value);

/// False, and `value` unchanged, for a text that is no keyword.
/// Available since: 0.1
MLIR_CAPI_EXPORTED bool
mlirTileRasterOrderFromString(MlirStringRef text, MlirTileRasterOrder *value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED bool mlirTileAttributeIsARasterOrder(MlirAttribute attr);

/// Null for a number that is no value. Available since: 0.1
MLIR_CAPI_EXPORTED MlirAttribute
mlirTileRasterOrderAttrGet(MlirContext context, MlirTileRasterOrder value);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileRasterOrder
mlirTileRasterOrderAttrGetValue(MlirAttribute attr);

/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTypeID mlirTileRasterOrderAttrGetTypeID(void);

/// The memory space of a memref type: Global where it has none of the dialect.
/// Available since: 0.1
MLIR_CAPI_EXPORTED MlirTileMemorySpace
mlirTileMemRefTypeGetMemorySpace(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_ATTRIBUTES_H
