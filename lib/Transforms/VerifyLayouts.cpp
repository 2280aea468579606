//===- VerifyLayouts.cpp - what ops need of layouts ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts that a kernel has against what its ops need. Code of threads is
// the same for all of them: a thread that looks for an element in a register
// where another one lies would compute with that, and nobody would see it.
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Layout/Algebra.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

std::string mlir::tile::describe(const std::optional<Layout> &layout) {
  if (!layout)
    return "a layout hidden by a view";
  Result<Layout> canonical = layout->canonical();
  return canonical ? canonical->str() : layout->str();
}

bool LayoutRequirement::isMetBy(const std::optional<Layout> &has) const {
  if (!has)
    return false;
  if (kind == Exact) {
    Result<bool> same = equivalent(*has, layout);
    return same && *same;
  }
  bool isReadable = static_cast<bool>(containsInRegisters(*has, layout));
  if (kind == Readers)
    return isReadable;
  return isReadable && contains(layout, *has, kThreadAxes);
}

static LogicalResult verifyRequirements(TileLayoutOpInterface op,
                                        const LayoutState &state) {
  SmallVector<LayoutRequirement> requirements;
  // The lowering of a gemm reads the form off its tiles.
  if (!isa<GemmOp>(op))
    op.getRequirements(state, requirements);
  for (const LayoutRequirement &requirement : requirements) {
    std::optional<Layout> has = state.get(requirement.buffer);
    if (!has || requirement.isMetBy(has))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError() << "needs the layout "
                          << mlir::tile::describe(requirement.layout)
                          << " of a tile that has " << mlir::tile::describe(has)
                          << "; run 'tile-infer-layout', which converts it";
    diag.attachNote(requirement.buffer.getLoc()) << "the tile is here";
    return diag;
  }
  return success();
}

/// Single elements of fragments are found by the variables of a loop.
static LogicalResult verifyElements(Operation *op, const LayoutState &state) {
  SmallVector<Access> accesses;
  if (isCollective(op) || failed(collectAccesses(op, accesses)))
    return success();
  for (const Access &access : accesses) {
    if (!state.isFragment(access.region.buffer))
      continue;
    auto loop = op->getParentOfType<ParallelOp>();
    if (!loop || !matchFragmentAccess(loop, op))
      return op->emitOpError(
          "names an element of a fragment that another thread may own; run "
          "'tile-infer-layout', or go through a shared buffer");
    if (!loop.getLayoutAttr())
      return loop.emitOpError("accesses fragments and has no layout; run "
                              "'tile-infer-layout'");
  }
  return success();
}

/// An iteration that updates memory runs in one thread.
static LogicalResult verifyCopies(ParallelOp loop) {
  LayoutAttr attr = loop.getLayoutAttr();
  if (!attr || getTileLayout(attr).numCopies() == 1 || !updatesMemory(loop))
    return success();
  return loop.emitOpError() << "expected a layout without copies of the "
                               "iterations, which read a buffer and write it, "
                               "got "
                            << attr;
}

LogicalResult
mlir::tile::verifyLayouts(KernelOp kernel,
                          const ::tile::target::Target &target) {
  LayoutState state(kernel, target);
  WalkResult result = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    if (auto laidOut = dyn_cast<TileLayoutOpInterface>(op))
      if (failed(verifyRequirements(laidOut, state)))
        return failure();
    if (auto loop = dyn_cast<ParallelOp>(op); loop && failed(verifyCopies(loop)))
      return failure();
    return verifyElements(op, state);
  });
  return failure(result.wasInterrupted());
}
