//===- LayoutShared.cpp - shared tiles that no instruction reads ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InferLayout.h"
#include "LayoutModels.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

void mlir::tile::chooseSharedLayouts(KernelOp kernel, LayoutState &state) {
  kernel.walk([&](AllocOp alloc) {
    Value buffer = alloc.getBuffer();
    if (state.isShared(buffer) && !state.has(buffer))
      state.propose(buffer, Layout::rowMajor(getShapeOf(buffer)), alloc,
                    LayoutLevel::Default);
  });
}
