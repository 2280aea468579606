//===- AscendOps.td - all ops ------------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDOPS
#define TILE_DIALECT_ASCEND_IR_ASCENDOPS

include "Tile/Dialect/Ascend/IR/AscendMoveOps.td"
include "Tile/Dialect/Ascend/IR/AscendVectorOps.td"
include "Tile/Dialect/Ascend/IR/AscendSortOps.td"
include "Tile/Dialect/Ascend/IR/AscendCubeOps.td"
include "Tile/Dialect/Ascend/IR/AscendSyncOps.td"

#endif // TILE_DIALECT_ASCEND_IR_ASCENDOPS
