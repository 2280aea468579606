//===- Parallel.cpp - tile.parallel ---------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

namespace {
struct ParallelModel : LoweringModel<ParallelModel, tl::ParallelOp> {
  void rejectTiles(Operation *op, SubBlockTiling &tiling) const;
  bool shareAccess(Operation *op, const SubBlockTiling &tiling,
                   SubBlockAccess &access) const;
  void tileRows(Operation *op, SubBlockTiling &tiling) const;
  bool ownsBody(Operation *) const { return true; }
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const {
    return vectorize(l, cast<tl::ParallelOp>(op));
  }
};
} // namespace

/// The index that goes over the rows of a tile.
static Value getRowIndex(Operation *access, unsigned dim) {
  if (auto load = dyn_cast<memref::LoadOp>(access))
    return load.getIndices()[dim];
  return cast<memref::StoreOp>(access).getIndices()[dim];
}

static Value getAccessed(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  return {};
}

/// The iteration variable that goes over the rows of tiles.
static std::optional<unsigned> getRowVariable(const SubBlockTiling &tiling,
                                              tl::ParallelOp op) {
  std::optional<unsigned> variable;
  op.getBody().walk([&](Operation *access) {
    Value buffer = getAccessed(access);
    if (variable || !buffer || !tiling.isTiled(buffer))
      return;
    auto arg =
        dyn_cast<BlockArgument>(getRowIndex(access, tiling.getRowDim(buffer)));
    if (arg && arg.getOwner() == &op.getBody().front())
      variable = arg.getArgNumber();
  });
  return variable;
}

void ParallelModel::rejectTiles(Operation *self, SubBlockTiling &tiling) const {
  auto op = cast<tl::ParallelOp>(self);
  std::optional<unsigned> variable = getRowVariable(tiling, op);
  auto result = op.getBody().walk([&](Operation *access) {
    Value buffer = getAccessed(access);
    if (!buffer) {
      // Of branches and loops, the walk sees the bodies.
      if (isPure(access) || isa<scf::ForOp, scf::IfOp>(access) ||
          access->hasTrait<OpTrait::IsTerminator>())
        return WalkResult::advance();
      tiling.rejectAll(op,
                       "not all ops of the loop are known to work row by row");
      return WalkResult::interrupt();
    }
    if (tiling.isTiled(buffer)) {
      unsigned dim = tiling.getRowDim(buffer);
      Value index = getRowIndex(access, dim);
      if (!variable || index != op.getBody().getArgument(*variable) ||
          op.getStaticExtents()[*variable] != tiling.getRows(buffer))
        tiling.reject(buffer, access,
                      "the index of its rows is not the variable of "
                      "the loop that goes over them");
      return WalkResult::advance();
    }
    // Rows that the second core has beyond the last one must not be seen.
    bool isOdd = variable && op.getStaticExtents()[*variable] % 2 != 0;
    bool isStore = isa<memref::StoreOp>(access);
    if (tl::getMemorySpace(buffer) == MemorySpace::Global ? isStore && isOdd
                                                          : isStore || isOdd)
      tiling.rejectAll(op, "the loop also works on what cannot be halved");
    return WalkResult::advance();
  });
  (void)result;
}

bool ParallelModel::shareAccess(Operation *self, const SubBlockTiling &tiling,
                                SubBlockAccess &access) const {
  auto op = cast<tl::ParallelOp>(self);
  std::optional<unsigned> variable = getRowVariable(tiling, op);
  if (!variable)
    return false;
  access.rows = op.getStaticExtents()[*variable];
  access.variable = op.getBody().getArgument(*variable);
  access.share = SubBlockAccess::Halves;
  return true;
}

void ParallelModel::tileRows(Operation *self, SubBlockTiling &tiling) const {
  auto op = cast<tl::ParallelOp>(self);
  OpBuilder &b = tiling.b;
  std::optional<unsigned> variable = getRowVariable(tiling, op);
  if (!variable)
    return;
  SmallVector<int64_t> extents(op.getStaticExtents());
  int64_t rows = extents[*variable];
  extents[*variable] = llvm::divideCeil(rows, 2);
  Value first = tiling.getFirstRow(rows);
  BlockArgument own = op.getBody().getArgument(*variable);
  b.setInsertionPointToStart(&op.getBody().front());
  auto row = arith::AddIOp::create(b, op.getLoc(), own, first);
  own.replaceUsesWithIf(row, [&](OpOperand &use) {
    if (use.getOwner() == row)
      return false;
    Value buffer = getAccessed(use.getOwner());
    if (!buffer || !tiling.isTiled(buffer))
      return true;
    unsigned firstIndex = isa<memref::StoreOp>(use.getOwner()) ? 2 : 1;
    return use.getOperandNumber() != firstIndex + tiling.getRowDim(buffer);
  });
  if (row->use_empty())
    row.erase();
  op.setStaticExtents(extents);
  op.removeLayoutAttr();
  op.removeCoalescedWidthAttr();
  op->setAttr(AscendDialect::kSubBlockTiledAttr, b.getUnitAttr());
}

void mlir::tile::ascend::attachParallelModels(MLIRContext *context) {
  tl::ParallelOp::attachInterface<ParallelModel>(*context);
}
