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

#include "llvm/ADT/MapVector.h"

namespace mlir::tile {

/// Whether a gemm reads what the copy loads.
bool isOperandOfGemm(CopyOp copy);
/// Whether the copy loads what several blocks of a product share and what a
/// kernel before this one may copy to a workspace.
bool canPad(CopyOp copy, KernelOp kernel);

/// An operand, its copy, and the blocks that make it: each copies a tile.
struct PaddedOperand {
  BlockArgument argument;
  Value workspace;
  SmallVector<int64_t> tile;
  SmallVector<Value> counts; ///< of tiles along each dimension
  Value count;               ///< of all
};

/// Lets versions of a kernel read copies of operands in workspaces of whole
/// tiles, which one kernel before them fills.
class OperandPadding {
public:
  /// `first` is the first version; `fast` are facts without which none of those
  /// runs that read their operands as they are.
  OperandPadding(KernelOp first, ArrayAttr fast,
                 const ::tile::target::GPUSpec &gpu)
      : first(first), fast(fast), gpu(gpu) {}

  /// Lets a version read copies of these arguments. Versions are tried in the
  /// order of the calls.
  void pad(KernelOp version, ArrayRef<BlockArgument> arguments);
  /// Adds the kernel that copies, whose versions are chosen as those that read
  /// the copies: it is empty where another one runs.
  void addKernels();

private:
  PaddedOperand &getOperand(BlockArgument argument, KernelOp version);
  void addVersion(ArrayAttr facts, ArrayRef<BlockArgument> arguments);

  KernelOp first;
  ArrayAttr fast;
  const ::tile::target::GPUSpec &gpu;
  llvm::MapVector<BlockArgument, PaddedOperand> operands;
  SmallVector<std::pair<ArrayAttr, SmallVector<BlockArgument>>> versions;
};

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_PADOPERANDS_H
