//===- LaunchGrid.cpp - how the blocks of a grid are launched -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/LaunchGrid.h"

using namespace mlir;
using namespace mlir::tile;

bool mlir::tile::flattensGrid(KernelOp kernel,
                              const ::tile::target::GPUSpec &gpu) {
  if (kernel.getPersistentGrid() || kernel.getCluster())
    return false;
  std::optional<SmallVector<int64_t>> extents =
      getConstantIntValues(kernel.getMixedGrid());
  return extents && llvm::any_of(ArrayRef(*extents).drop_front(),
                                 [&](int64_t n) { return n > gpu.maxGridYZ; });
}
