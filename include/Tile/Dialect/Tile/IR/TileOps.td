//===- TileOps.td - all ops -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEOPS
#define TILE_DIALECT_TILE_IR_TILEOPS

include "Tile/Dialect/Tile/IR/TileControlOps.td"
include "Tile/Dialect/Tile/IR/TileMemoryOps.td"
include "Tile/Dialect/Tile/IR/TileComputeOps.td"
include "Tile/Dialect/Tile/IR/TileHintOps.td"
include "Tile/Dialect/Tile/IR/TileParameterOps.td"
include "Tile/Dialect/Tile/IR/TileScheduleOps.td"
include "Tile/Dialect/Tile/IR/TileLaunch.td"

#endif // TILE_DIALECT_TILE_IR_TILEOPS
