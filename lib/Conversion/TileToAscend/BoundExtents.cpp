//===- BoundExtents.cpp - loops of dynamic extents in static parts --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Accesses.h"
#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDBOUNDEXTENTSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
namespace tl = mlir::tile;

/// A loop from 0 to `extent`, whose body is next.
static Value createLoop(OpBuilder &b, Location loc, Value extent,
                        int64_t step) {
  auto loop = scf::ForOp::create(b, loc,
                                 arith::ConstantIndexOp::create(b, loc, 0),
                                 extent,
                                 arith::ConstantIndexOp::create(b, loc, step));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

/// The whole body behind a condition.
static void guardBody(ParallelOp op, Value first, BlockArgument variable,
                      Value extent) {
  Block &body = op.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Location loc = op.getLoc();
  auto place = arith::AddIOp::create(b, loc, first, variable);
  variable.replaceAllUsesExcept(place, place);
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place,
                                       extent);
  auto guard = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  Block *then = guard.thenBlock();
  then->getOperations().splice(then->getTerminator()->getIterator(),
                               body.getOperations(),
                               std::next(guard->getIterator()), body.end());
}

static void bound(ParallelOp op, int64_t columns) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  SmallVector<int64_t> bounded;
  unsigned last = extents.size() - 1;
  remark::passed(loc, remark::RemarkOpts::name("BoundedExtents")
                          .category("ascend-bound-extents"))
      << remark::metric("columns", int(columns));
  SmallVector<Value> firsts(extents.size());
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    bounded.push_back(known.value_or(dim == last ? columns : 1));
    if (known)
      continue;
    Value value = getValueOrCreateConstantIndexOp(b, loc, extent);
    firsts[dim] = createLoop(b, loc, value, bounded.back());
  }
  op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  for (unsigned dim = 0; dim < last; ++dim)
    if (firsts[dim])
      op.getBody().getArgument(dim).replaceAllUsesWith(firsts[dim]);
  if (firsts[last])
    guardBody(op, firsts[last], op.getBody().getArgument(last),
              getValueOrCreateConstantIndexOp(b, loc, extents[last]));
  op.getDynamicExtentsMutable().clear();
  op.setStaticExtents(bounded);
  op.removeLayoutAttr();
  op.removeCoalescedWidthAttr();
}

namespace {
struct AscendBoundExtents
    : tl::impl::AscendBoundExtentsPassBase<AscendBoundExtents> {
  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    SmallVector<ParallelOp> open;
    getOperation()->walk([&](ParallelOp op) {
      if (!op.getDynamicExtents().empty() && ascend::getChip(op))
        open.push_back(op);
    });
    for (ParallelOp op : open)
      bound(op, ascend::getSpec(op).repeatBytes);
  }
};
} // namespace
