//===- ApplyPatterns.cpp - patterns on the ops that they name -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/ApplyPatterns.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

LogicalResult tile::applyPatternsToNamed(Operation *root,
                                         RewritePatternSet patterns) {
  FrozenRewritePatternSet frozen(std::move(patterns));
  assert(frozen.getMatchAnyOpNativePatterns().empty() &&
         "a pattern for any op names none");
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (op != root &&
        frozen.getOpSpecificNativePatterns().contains(op->getName()))
      ops.push_back(op);
  });
  if (ops.empty())
    return success();
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(ops, frozen, config);
}
