//===- ClusterSum.cpp - sums over the blocks of a cluster -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/ClusterSum.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Transforms/LayoutState.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;

AllocOp mlir::tile::getClusterSummand(ParallelOp loop) {
  llvm::SmallSetVector<Value, 1> fragments;
  loop.getBody().walk([&](memref::LoadOp load) {
    if (getMemorySpace(load.getMemRef()) == MemorySpace::Fragment)
      fragments.insert(load.getMemRef());
  });
  return fragments.size() == 1 ? fragments[0].getDefiningOp<AllocOp>()
                               : AllocOp();
}

bool mlir::tile::addsUpInCluster(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return op->hasAttr(kClusterSumAttrName) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t mlir::tile::getClusterRoomBytes(ParallelOp loop,
                                        const ::tile::target::Target &target) {
  AllocOp summand = getClusterSummand(loop);
  if (!summand || !summand.getLayoutAttr())
    return 0;
  auto threads = getThreads(loop->getParentOfType<KernelOp>(), target);
  return getTileLayout(summand.getLayoutAttr())
             .axisSize(::tile::layout::Axis::Reg) *
         threads.lanes * threads.warps *
         llvm::divideCeil(getElementBits(summand.getBuffer()), 8);
}
