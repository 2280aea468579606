//===- IndexRanges.cpp - ranges of indices that come from data ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/IndexRanges.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::tile;

bool IndexRanges::close(const BufferRegion &region, OpenBounds &bounds) {
  AffineMap offset = getOffset(region, bounds.dim);
  auto input = dyn_cast<AffineDimExpr>(offset.getResult(0));
  int64_t extent = region.getType().getDimSize(bounds.dim);
  if (!input || ShapedType::isDynamic(extent))
    return false;
  if (!hasRun) {
    hasRun = true;
    // Upstream's analysis crashes on affine loops whose bound is a minimum.
    if (root->walk([](affine::AffineForOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return false;
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(root)))
      return false;
  }
  auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(
      region.operands[input.getPosition()]);
  if (!state || state->getValue().isUninitialized())
    return false;
  const ConstantIntRanges &range = state->getValue().getValue();
  int64_t last = extent - region.sizes[bounds.dim];
  bounds.lower &= range.smin().isNegative();
  bounds.upper &= range.smax().sgt(last);
  return !bounds.lower && !bounds.upper;
}
