//===- Types.cpp - types of the tile dialect, from C ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile-c/Types.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

bool mlirTileTypeIsAPipeline(MlirType type) {
  return isa<tile::PipelineType>(unwrap(type));
}

MlirType mlirTilePipelineTypeGetChecked(MlirLocation loc, int64_t stages) {
  Location where = unwrap(loc);
  where.getContext()->loadDialect<tile::TileDialect>();
  return wrap(tile::PipelineType::getChecked([&] { return emitError(where); },
                                         where.getContext(), stages));
}

int64_t mlirTilePipelineTypeGetStages(MlirType type) {
  return cast<tile::PipelineType>(unwrap(type)).getStages();
}

MlirTypeID mlirTilePipelineTypeGetTypeID() {
  return wrap(tile::PipelineType::getTypeID());
}
