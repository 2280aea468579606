//===- Decisions.cpp - decisions of passes, from C ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile-c/Decisions.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

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

static const ::tile::layout::Layout &getLayout(MlirAttribute attr) {
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
