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

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static_assert(MLIR_TILE_AXIS_COUNT == ::tile::layout::kNumAxes &&
                  int(MlirTileAxisReg) == int(::tile::layout::Axis::Reg) &&
                  int(MlirTileAxisLane) == int(::tile::layout::Axis::Lane) &&
                  int(MlirTileAxisWarp) == int(::tile::layout::Axis::Warp) &&
                  int(MlirTileAxisBlock) == int(::tile::layout::Axis::Block) &&
                  int(MlirTileAxisDevice) ==
                      int(::tile::layout::Axis::Device) &&
                  int(MlirTileAxisOffset) == int(::tile::layout::Axis::Offset),
              "Attributes.h and Layout.h differ");

static ::tile::layout::Layout getLayout(MlirAttribute attr) {
  return mlir::tile::getTileLayout(cast<mlir::tile::LayoutAttr>(unwrap(attr)));
}

static MlirAttribute
makeLayout(MlirLocation loc,
           const ::tile::layout::Result<::tile::layout::Layout> &layout) {
  Location where = unwrap(loc);
  MLIRContext *context = where.getContext();
  context->loadDialect<mlir::tile::TileDialect>();
  if (!layout) {
    emitError(where) << "invalid layout: " << layout.reason();
    return {nullptr};
  }
  return wrap(mlir::tile::getLayoutAttr([&] { return emitError(where); },
                                        context, *layout));
}

bool mlirTileAttributeIsALayout(MlirAttribute attr) {
  return isa<mlir::tile::LayoutAttr>(unwrap(attr));
}

MlirAttribute mlirTileLayoutAttrGetChecked(MlirLocation loc,
                                           MlirStringRef text) {
  return makeLayout(loc, ::tile::layout::Layout::parse(unwrap(text)));
}

MlirAttribute mlirTileLayoutAttrGetRowMajor(MlirLocation loc, intptr_t rank,
                                            const int64_t *shape) {
  return makeLayout(loc, ::tile::layout::Layout::rowMajor(
                             std::vector<int64_t>(shape, shape + rank)));
}

MlirStringRef mlirTileLayoutAttrGetText(MlirAttribute attr) {
  return wrap(cast<mlir::tile::LayoutAttr>(unwrap(attr)).getText());
}

intptr_t mlirTileLayoutAttrGetRank(MlirAttribute attr) {
  return getLayout(attr).rank();
}

int64_t mlirTileLayoutAttrGetDimSize(MlirAttribute attr, intptr_t dim) {
  ::tile::layout::Layout layout = getLayout(attr);
  return dim >= 0 && dim < layout.rank() ? layout.extent(int(dim)) : -1;
}

int64_t mlirTileLayoutAttrGetNumCopies(MlirAttribute attr) {
  return getLayout(attr).numCopies();
}

int64_t mlirTileLayoutAttrGetAxisSize(MlirAttribute attr, MlirTileAxis axis) {
  return getLayout(attr).axisSize(::tile::layout::Axis(axis));
}

bool mlirTileLayoutAttrGetPosition(MlirAttribute attr, intptr_t rank,
                                   const int64_t *coordinates,
                                   int64_t position[MLIR_TILE_AXIS_COUNT]) {
  ::tile::layout::Layout layout = getLayout(attr);
  if (rank != layout.rank())
    return false;
  for (int dim = 0; dim < layout.rank(); ++dim)
    if (coordinates[dim] < 0 || coordinates[dim] >= layout.extent(dim))
      return false;
  ::tile::layout::Position at = layout.at({coordinates, coordinates + rank});
  for (int axis = 0; axis < MLIR_TILE_AXIS_COUNT; ++axis)
    position[axis] = at[::tile::layout::Axis(axis)];
  return true;
}

MlirTypeID mlirTileLayoutAttrGetTypeID() {
  return wrap(mlir::tile::LayoutAttr::getTypeID());
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

bool mlirTileAttributeIsATarget(MlirAttribute attr) {
  return isa<mlir::tile::TargetAttr>(unwrap(attr));
}

MlirAttribute mlirTileTargetAttrGetChecked(MlirLocation loc,
                                           MlirStringRef chip) {
  Location where = unwrap(loc);
  MLIRContext *context = where.getContext();
  context->loadDialect<mlir::tile::TileDialect>();
  return wrap(mlir::tile::TargetAttr::getChecked(
      [&] { return emitError(where); }, context, unwrap(chip)));
}

MlirStringRef mlirTileTargetAttrGetChip(MlirAttribute attr) {
  return wrap(cast<mlir::tile::TargetAttr>(unwrap(attr)).getChip());
}

MlirTypeID mlirTileTargetAttrGetTypeID() {
  return wrap(mlir::tile::TargetAttr::getTypeID());
}

//===----------------------------------------------------------------------===//
// Instructions that a schedule has chosen
//===----------------------------------------------------------------------===//

/// Null, with an error, for a number that is no instruction.
static std::optional<mlir::tile::Instruction>
getInstruction(Location loc, MlirTileInstruction value) {
  auto known = mlir::tile::symbolizeInstruction(uint32_t(value));
  if (!known)
    emitError(loc) << "expected an instruction, got " << unsigned(value);
  loc.getContext()->loadDialect<mlir::tile::TileDialect>();
  return known;
}

bool mlirTileAttributeIsAMma(MlirAttribute attr) {
  return isa<mlir::tile::MmaAttr>(unwrap(attr));
}

MlirAttribute mlirTileMmaAttrGetChecked(MlirLocation loc, MlirTileMma value) {
  Location where = unwrap(loc);
  auto family = getInstruction(where, value.family);
  if (!family)
    return {nullptr};
  return wrap(mlir::tile::MmaAttr::getChecked(
      [&] { return emitError(where); }, where.getContext(), *family, value.m,
      value.n, value.k, value.warpsM, value.warpsN));
}

MlirTileMma mlirTileMmaAttrGetValue(MlirAttribute attr) {
  auto mma = cast<mlir::tile::MmaAttr>(unwrap(attr));
  return {MlirTileInstruction(mma.getFamily()),
          mma.getM(),
          mma.getN(),
          mma.getK(),
          mma.getWarpsM(),
          mma.getWarpsN()};
}

MlirTypeID mlirTileMmaAttrGetTypeID() {
  return wrap(mlir::tile::MmaAttr::getTypeID());
}

bool mlirTileAttributeIsATransfer(MlirAttribute attr) {
  return isa<mlir::tile::TransferAttr>(unwrap(attr));
}

MlirAttribute mlirTileTransferAttrGetChecked(MlirLocation loc,
                                             MlirTileTransfer value) {
  Location where = unwrap(loc);
  auto family = getInstruction(where, value.family);
  if (!family)
    return {nullptr};
  return wrap(mlir::tile::TransferAttr::getChecked(
      [&] { return emitError(where); }, where.getContext(), *family,
      value.bytes));
}

MlirTileTransfer mlirTileTransferAttrGetValue(MlirAttribute attr) {
  auto transfer = cast<mlir::tile::TransferAttr>(unwrap(attr));
  return {MlirTileInstruction(transfer.getFamily()), transfer.getBytes()};
}

MlirTypeID mlirTileTransferAttrGetTypeID() {
  return wrap(mlir::tile::TransferAttr::getTypeID());
}
