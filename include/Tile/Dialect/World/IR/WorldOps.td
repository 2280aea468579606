//===- WorldOps.td - all ops of the dialect ----------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_IR_WORLDOPS
#define TILE_DIALECT_WORLD_IR_WORLDOPS

include "Tile/Dialect/World/IR/WorldCollectiveOps.td"
include "Tile/Dialect/World/IR/WorldOrderOps.td"
include "Tile/Dialect/World/IR/WorldRankOps.td"

#endif // TILE_DIALECT_WORLD_IR_WORLDOPS
