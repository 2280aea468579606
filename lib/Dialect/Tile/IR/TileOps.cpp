//===- TileOps.cpp - generated definitions of the ops ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"

#include "Tile/Dialect/BytecodeProperties.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileOps.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileOpsBytecode.cpp.inc"
