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

/// Whether the copy loads an operand of a product that several blocks share and
/// that a kernel before this one may copy to a workspace.
bool canPad(CopyOp copy, KernelOp kernel);

/// Lets versions of a kernel read copies of operands in workspaces of whole
/// tiles, which kernels before them fill.
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
  /// Adds the kernels that copy, each for the versions that read its copy.
  void addKernels();

private:
  Value getWorkspace(BlockArgument argument, KernelOp version);
  void addKernel(BlockArgument argument, Value workspace);

  KernelOp first;
  ArrayAttr fast;
  const ::tile::target::GPUSpec &gpu;
  llvm::MapVector<BlockArgument, Value> workspaces;
  SmallVector<std::pair<ArrayAttr, SmallVector<BlockArgument>>> versions;
};

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_PADOPERANDS_H
