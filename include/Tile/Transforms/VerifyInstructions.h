//===- VerifyInstructions.h - instructions that the IR names ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_VERIFYINSTRUCTIONS_H
#define TILE_TRANSFORMS_VERIFYINSTRUCTIONS_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

namespace mlir::tile {

/// The memories that a kernel allocates, and the instructions that its gemms and
/// copies name already, are such as the GPU has.
LogicalResult verifyInstructions(KernelOp kernel,
                                 const ::tile::target::Target &chip);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_VERIFYINSTRUCTIONS_H
