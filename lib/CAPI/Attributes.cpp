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

#include "Tile-c/Enums.capi.h.inc"

MlirTileMemorySpace mlirTileMemRefTypeGetMemorySpace(MlirType type) {
  return MlirTileMemorySpace(
      mlir::tile::getMemorySpace(cast<MemRefType>(unwrap(type))));
}
