//===- PadOperands.h - operands whose rows begin anywhere ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_PADOPERANDS_H
#define TILE_LIB_TRANSFORMS_PADOPERANDS_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

/// Whether the copy loads an operand of a product that several blocks share and
/// that a kernel before this one may copy to a workspace.
bool canPad(CopyOp copy, KernelOp kernel);

/// Lets such copies of an argument read whole tiles of a workspace, which a
/// kernel at `before` fills where `version` is the one that runs. `fast` are the facts
/// of the versions before it.
void padOperand(BlockArgument argument, KernelOp version, ArrayAttr fast,
                Operation *before, const ::tile::target::GPUSpec &gpu);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_PADOPERANDS_H
