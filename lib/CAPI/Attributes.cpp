//===- Attributes.cpp - attributes of the tile dialect, from C -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile-c/Attributes.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// The functions of an enumeration. MemorySpace is an AttrDef of its own, the
/// others are EnumAttrs; both have get and getValue.
#define TILE_ENUM(NAME)                                                        \
  MlirStringRef mlirTile##NAME##ToString(MlirTile##NAME value) {               \
    return wrap(mlir::tile::stringify##NAME(mlir::tile::NAME(value)));         \
  }                                                                            \
  bool mlirTile##NAME##FromString(MlirStringRef text, MlirTile##NAME *value) { \
    auto known = mlir::tile::symbolize##NAME(unwrap(text));                    \
    if (known)                                                                 \
      *value = MlirTile##NAME(*known);                                         \
    return known.has_value();                                                  \
  }                                                                            \
  bool mlirTileAttributeIsA##NAME(MlirAttribute attr) {                        \
    return isa<mlir::tile::NAME##Attr>(unwrap(attr));                          \
  }                                                                            \
  MlirAttribute mlirTile##NAME##AttrGet(MlirContext context,                   \
                                        MlirTile##NAME value) {                \
    auto known = mlir::tile::symbolize##NAME(uint32_t(value));                 \
    MLIRContext *ctx = unwrap(context);                                        \
    ctx->loadDialect<mlir::tile::TileDialect>();                               \
    return wrap(known ? mlir::tile::NAME##Attr::get(ctx, *known)               \
                      : Attribute());                                          \
  }                                                                            \
  MlirTile##NAME mlirTile##NAME##AttrGetValue(MlirAttribute attr) {            \
    return MlirTile##NAME(                                                     \
        cast<mlir::tile::NAME##Attr>(unwrap(attr)).getValue());                \
  }                                                                            \
  MlirTypeID mlirTile##NAME##AttrGetTypeID() {                                 \
    return wrap(mlir::tile::NAME##Attr::getTypeID());                          \
  }

#define TILE_CASE(NAME, CASE)                                                  \
  static_assert(int(MlirTile##NAME##CASE) == int(mlir::tile::NAME::CASE),      \
                "Attributes.h and the td differ");

TILE_ENUM(MemorySpace)
TILE_CASE(MemorySpace, Global)
TILE_CASE(MemorySpace, Shared)
TILE_CASE(MemorySpace, Fragment)
TILE_CASE(MemorySpace, Local)
TILE_CASE(MemorySpace, Tmem)
TILE_CASE(MemorySpace, L1)
TILE_CASE(MemorySpace, UB)
TILE_CASE(MemorySpace, L0A)
TILE_CASE(MemorySpace, L0B)
TILE_CASE(MemorySpace, L0C)
TILE_CASE(MemorySpace, BT)
static_assert(mlir::tile::getMaxEnumValForMemorySpace() == 10,
              "Attributes.h lacks values of the td");

TILE_ENUM(ReduceKind)
TILE_CASE(ReduceKind, Sum)
TILE_CASE(ReduceKind, Max)
TILE_CASE(ReduceKind, Min)
TILE_CASE(ReduceKind, AbsSum)
TILE_CASE(ReduceKind, AbsMax)
TILE_CASE(ReduceKind, And)
TILE_CASE(ReduceKind, Or)
TILE_CASE(ReduceKind, Xor)
static_assert(mlir::tile::getMaxEnumValForReduceKind() == 7,
              "Attributes.h lacks values of the td");

TILE_ENUM(ScanKind)
TILE_CASE(ScanKind, Sum)
TILE_CASE(ScanKind, Max)
static_assert(mlir::tile::getMaxEnumValForScanKind() == 1,
              "Attributes.h lacks values of the td");

TILE_ENUM(AtomicKind)
TILE_CASE(AtomicKind, Add)
TILE_CASE(AtomicKind, Max)
TILE_CASE(AtomicKind, Min)
TILE_CASE(AtomicKind, Or)
static_assert(mlir::tile::getMaxEnumValForAtomicKind() == 3,
              "Attributes.h lacks values of the td");

TILE_ENUM(WarpPolicy)
TILE_CASE(WarpPolicy, Square)
TILE_CASE(WarpPolicy, FullRow)
TILE_CASE(WarpPolicy, FullCol)
static_assert(mlir::tile::getMaxEnumValForWarpPolicy() == 2,
              "Attributes.h lacks values of the td");

TILE_ENUM(Precision)
TILE_CASE(Precision, IEEE)
TILE_CASE(Precision, TF32)
static_assert(mlir::tile::getMaxEnumValForPrecision() == 1,
              "Attributes.h lacks values of the td");

TILE_ENUM(Instruction)
TILE_CASE(Instruction, Sync)
TILE_CASE(Instruction, CpAsync)
TILE_CASE(Instruction, Bulk)
TILE_CASE(Instruction, TMA)
TILE_CASE(Instruction, LdMatrix)
TILE_CASE(Instruction, FMA)
TILE_CASE(Instruction, MMA)
TILE_CASE(Instruction, WGMMA)
TILE_CASE(Instruction, TCGen05)
TILE_CASE(Instruction, MFMA)
TILE_CASE(Instruction, WMMA)
TILE_CASE(Instruction, Cube)
static_assert(mlir::tile::getMaxEnumValForInstruction() == 11,
              "Attributes.h lacks values of the td");

TILE_ENUM(RasterOrder)
TILE_CASE(RasterOrder, Row)
TILE_CASE(RasterOrder, Column)
static_assert(mlir::tile::getMaxEnumValForRasterOrder() == 1,
              "Attributes.h lacks values of the td");

#undef TILE_CASE
#undef TILE_ENUM

MlirTileMemorySpace mlirTileMemRefTypeGetMemorySpace(MlirType type) {
  return MlirTileMemorySpace(
      mlir::tile::getMemorySpace(cast<MemRefType>(unwrap(type))));
}
