//===- Cube.cpp - products on the cube ------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

LogicalResult KernelLowering::lowerGemm(tl::GemmOp op) {
  return op.emitError("'tile.gemm' cannot be lowered to Ascend");
}

LogicalResult KernelLowering::lowerCubeFill(tl::FillOp op) {
  return op.emitError("'tile.fill' of 'l0c' cannot be lowered to Ascend");
}
