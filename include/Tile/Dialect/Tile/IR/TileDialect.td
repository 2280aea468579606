//===- TileDialect.td - all ops of the dialect -------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the reference is made from. Classes are generated from each of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEDIALECT
#define TILE_DIALECT_TILE_IR_TILEDIALECT

include "Tile/Dialect/Tile/IR/TileOps.td"
include "Tile/Dialect/Tile/IR/TileIndexedOps.td"
include "Tile/Dialect/Tile/IR/TileSparseOps.td"
include "Tile/Dialect/Tile/IR/TileTeamOps.td"

#endif // TILE_DIALECT_TILE_IR_TILEDIALECT
