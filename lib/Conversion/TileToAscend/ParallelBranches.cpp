//===- ParallelBranches.cpp - branches as selections ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Both sides of a branch are computed, and one of two values is taken: of a
// store, the new one or the old one. Where others may write an element of GM, it
// is not stored so: the dimensions that its condition depends on become loops,
// and then the condition is the same for all iterations.
//
//===----------------------------------------------------------------------===//

#include "ParallelParts.h"

#include "Tile/Analysis/Bounds.h"
#include "Tile/Conversion/TotalArithmetic.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

static bool isGlobal(Value buffer) {
  return tl::getMemorySpace(buffer) == MemorySpace::Global;
}

//===----------------------------------------------------------------------===//
// What is the same for all iterations
//===----------------------------------------------------------------------===//

/// The buffers that the loop writes.
static DenseSet<Value> getWritten(tl::ParallelOp op) {
  DenseSet<Value> written;
  op.getBody().walk([&](Operation *inner) {
    SmallVector<tl::Access> accesses;
    (void)tl::collectAccesses(inner, accesses);
    for (const tl::Access &access : accesses)
      if (access.kind != tl::AccessKind::Read)
        written.insert(tl::getBaseBuffer(access.region.buffer));
  });
  return written;
}

void mlir::tile::ascend::hoistUniform(tl::ParallelOp op) {
  DenseSet<Value> written = getWritten(op);
  moveLoopInvariantCode(
      {&op.getBody()},
      [](Value value, Region *body) {
        return !body->isAncestor(value.getParentRegion());
      },
      [&](Operation *inner, Region *) {
        auto mayMove = [&](Operation *part) {
          auto load = dyn_cast<memref::LoadOp>(part);
          return load ? !written.contains(tl::getBaseBuffer(load.getMemRef()))
                      : isPure(part);
        };
        if (auto branch = dyn_cast<scf::IfOp>(inner))
          return branch.getNumResults() != 0 && inner->getParentOp() == op &&
                 !branch
                      .walk([&](Operation *part) {
                        return part == branch || isa<scf::IfOp>(part) ||
                                       mayMove(part)
                                   ? WalkResult::advance()
                                   : WalkResult::interrupt();
                      })
                      .wasInterrupted();
        return inner->getNumRegions() == 0 && mayMove(inner) &&
               (inner->getParentOp() == op || !isa<memref::LoadOp>(inner));
      },
      [&](Operation *inner, Region *) {
        inner->moveBefore(op);
        tl::makeDivisionTotal(inner);
      });
}

llvm::SmallBitVector mlir::tile::ascend::getDependence(tl::ParallelOp op,
                                                       ValueRange values) {
  Block &body = op.getBody().front();
  llvm::SmallBitVector dims(body.getNumArguments());
  SmallVector<Value> work(values);
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second ||
        !op.getBody().isAncestor(value.getParentRegion()))
      continue;
    auto arg = dyn_cast<BlockArgument>(value);
    if (arg && arg.getOwner() == &body) {
      dims.set(arg.getArgNumber());
      continue;
    }
    Operation *def =
        arg ? arg.getOwner()->getParentOp() : value.getDefiningOp();
    def->walk([&](Operation *inner) {
      llvm::append_range(work, inner->getOperands());
    });
  }
  return dims;
}

/// Dimensions become loops around the loop.
static void peel(tl::ParallelOp op, const llvm::SmallBitVector &dims) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> extents(op.getStaticExtents());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned dim : dims.set_bits()) {
    if (extents[dim] == 1) {
      op.getBody().getArgument(dim).replaceAllUsesWith(zero);
      continue;
    }
    auto loop = scf::ForOp::create(
        b, loc, zero, arith::ConstantIndexOp::create(b, loc, extents[dim]),
        one);
    b.setInsertionPointToStart(loop.getBody());
    op->moveBefore(loop.getBody()->getTerminator());
    op.getBody().getArgument(dim).replaceAllUsesWith(loop.getInductionVar());
    extents[dim] = 1;
  }
  op.setStaticExtents(extents);
  op.removeLayoutAttr();
  op.removeCoalescedWidthAttr();
}

//===----------------------------------------------------------------------===//
// What can be a selection
//===----------------------------------------------------------------------===//

/// The bounds of an element that hold without the branches around it.
static SmallVector<tl::OpenBounds> getOpenBounds(Operation *access) {
  SmallVector<tl::Access> accesses;
  if (failed(tl::collectAccesses(access, accesses)) || accesses.size() != 1)
    return {{0, true, true}};
  const tl::BufferRegion &region = accesses.front().region;
  // Facts of loops hold; those of branches around them are given up.
  Operation *place = access;
  while (isa<scf::IfOp>(place->getParentOp()))
    place = place->getParentOp();
  for (Operation *around = place->getParentOp(); !isa<tl::ParallelOp>(around);
       around = around->getParentOp())
    if (isa<scf::IfOp>(around))
      return {{0, true, true}};
  return tl::findOpenBounds(place, region);
}

/// Whether the store may write the old value where its condition is false: it
/// drops what is behind the end of a global buffer.
static bool canKeepOld(memref::StoreOp store) {
  SmallVector<tl::OpenBounds> open = getOpenBounds(store);
  if (!isGlobal(store.getMemRef()))
    return open.empty();
  return llvm::none_of(open, [](tl::OpenBounds side) { return side.lower; }) &&
         isExclusive(store);
}

/// Whether the condition differs between the elements of a row.
static bool isAlongRows(scf::IfOp branch) {
  auto op = branch->getParentOfType<tl::ParallelOp>();
  llvm::SmallBitVector dims = getDependence(op, branch.getCondition());
  for (unsigned dim = dims.size(); dim-- > 0;)
    if (op.getStaticExtents()[dim] != 1)
      return dims.test(dim);
  return false;
}

/// Whether everything in the branch may be done where its condition is false,
/// but for stores of the old value. Whole rows of GM are stored or not.
static bool canFlatten(scf::IfOp branch) {
  auto result = branch->walk([&](Operation *inner) {
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      return canKeepOld(store) &&
                     (!isGlobal(store.getMemRef()) || isAlongRows(branch))
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    bool isKnown = isa<memref::LoadOp, scf::IfOp, scf::ForOp, scf::YieldOp,
                       tl::AssumeOp>(inner) ||
                   isMemoryEffectFree(inner);
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// The dimensions that have to be loops.
static llvm::SmallBitVector getPeeled(tl::ParallelOp op) {
  llvm::SmallBitVector peeled(op.getStaticExtents().size());
  op.getBody().walk([&](Operation *inner) {
    if (auto loop = dyn_cast<scf::ForOp>(inner))
      peeled |= getDependence(
          op, {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    if (auto branch = dyn_cast<scf::IfOp>(inner))
      if (!canFlatten(branch))
        peeled |= getDependence(op, branch.getCondition());
  });
  return peeled;
}

bool mlir::tile::ascend::needsSerialLoops(tl::ParallelOp op) {
  DenseSet<Value> written = getWritten(op);
  llvm::SmallBitVector peeled = getPeeled(op);
  SmallVector<Value> work;
  bool hasOpenLoops = false;
  op.getBody().walk([&](Operation *inner) {
    hasOpenLoops |= isa<scf::WhileOp>(inner) ||
                    (isa<scf::ForOp>(inner) &&
                     llvm::any_of(inner->getResultTypes(),
                                  [](Type type) { return type.isIndex(); }));
    if (auto loop = dyn_cast<scf::ForOp>(inner))
      work.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    // What depends on dimensions alone that become loops is the same for all.
    if (auto branch = dyn_cast<scf::IfOp>(inner))
      if (!canFlatten(branch) ||
          getDependence(op, branch.getCondition()).reset(peeled).none())
        work.push_back(branch.getCondition());
  });
  if (hasOpenLoops)
    return true;
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second ||
        !op.getBody().isAncestor(value.getParentRegion()))
      continue;
    auto arg = dyn_cast<BlockArgument>(value);
    Operation *def = arg ? arg.getOwner()->getParentOp() : value.getDefiningOp();
    if (def == op)
      continue;
    auto loop = dyn_cast<scf::ForOp>(def);
    if (loop && value != loop.getInductionVar())
      return true;
    if (loop)
      continue;
    auto result = def->walk([&](Operation *inner) {
      auto load = dyn_cast<memref::LoadOp>(inner);
      bool isOfIteration =
          load ? written.contains(tl::getBaseBuffer(load.getMemRef()))
               : inner->getNumRegions() == 0 && !isMemoryEffectFree(inner);
      if (isOfIteration) // such as the old value of an atomic update
        return WalkResult::interrupt();
      llvm::append_range(work, inner->getOperands());
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

namespace {
/// Moves the ops of branches to where the branches stand.
class Flattener {
public:
  explicit Flattener(tl::ParallelOp op) : op(op), b(op) {}
  void run() { flatten(op.getBody().front(), Value()); }

private:
  Value both(Location loc, Value a, Value c) {
    return a ? arith::AndIOp::create(b, loc, a, c).getResult() : c;
  }
  void guard(memref::StoreOp store, Value condition);
  void guard(memref::LoadOp load, Value condition);
  void flatten(Block &block, Value condition);
  void dissolve(scf::IfOp branch, Value condition);

  tl::ParallelOp op;
  OpBuilder b;
};
} // namespace

void Flattener::guard(memref::StoreOp store, Value condition) {
  b.setInsertionPoint(store);
  Value old = memref::LoadOp::create(b, store.getLoc(), store.getMemRef(),
                                     store.getIndices());
  store.getValueMutable().set(arith::SelectOp::create(
      b, store.getLoc(), condition, store.getValue(), old));
}

/// An element outside of a tile is not read: the first one is, which nothing
/// uses. Outside of a global buffer is padding, but for what begins before it.
void Flattener::guard(memref::LoadOp load, Value condition) {
  b.setInsertionPoint(load);
  for (tl::OpenBounds open : getOpenBounds(load)) {
    if (isGlobal(load.getMemRef()) && !open.lower)
      continue;
    for (auto [dim, index] : llvm::enumerate(load.getIndicesMutable()))
      if (dim == open.dim)
        index.set(arith::SelectOp::create(
            b, load.getLoc(), condition, index.get(),
            arith::ConstantIndexOp::create(b, load.getLoc(), 0)));
  }
}

void Flattener::dissolve(scf::IfOp branch, Value condition) {
  Location loc = branch.getLoc();
  b.setInsertionPoint(branch);
  Value own = branch.getCondition();
  Value then = both(loc, condition, own), otherwise;
  if (branch.elseBlock()) {
    Value truth = arith::ConstantIntOp::create(b, loc, 1, 1);
    otherwise = both(loc, condition,
                     arith::XOrIOp::create(b, loc, own, truth).getResult());
  }
  flatten(*branch.thenBlock(), then);
  if (otherwise)
    flatten(*branch.elseBlock(), otherwise);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()})
    if (block)
      for (Operation &inner :
           llvm::make_early_inc_range(block->without_terminator()))
        inner.moveBefore(branch);
  b.setInsertionPoint(branch);
  if (branch.getNumResults() != 0)
    for (auto [result, yes, no] :
         llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(),
                         branch.elseYield().getOperands()))
      result.replaceAllUsesWith(
          arith::SelectOp::create(b, loc, own, yes, no).getResult());
  branch.erase();
}

/// All that is in the block is done, as if `condition` held; null: it does.
void Flattener::flatten(Block &block, Value condition) {
  for (Operation &inner : llvm::make_early_inc_range(block)) {
    if (auto store = dyn_cast<memref::StoreOp>(inner); store && condition)
      guard(store, condition);
    else if (auto load = dyn_cast<memref::LoadOp>(inner); load && condition)
      guard(load, condition);
    else if (auto loop = dyn_cast<scf::ForOp>(inner))
      flatten(*loop.getBody(), condition);
    else if (isa<tl::AssumeOp>(inner) && condition)
      inner.erase(); // it is known in the branch alone
    else if (auto branch = dyn_cast<scf::IfOp>(inner)) {
      bool isUniform =
          !condition && getDependence(op, branch.getCondition()).none();
      if (!isUniform) {
        dissolve(branch, condition);
        continue;
      }
      flatten(*branch.thenBlock(), condition);
      if (branch.elseBlock())
        flatten(*branch.elseBlock(), condition);
    }
  }
}

LogicalResult mlir::tile::ascend::flattenBranches(tl::ParallelOp op) {
  llvm::SmallBitVector peeled = getPeeled(op);
  if (peeled.any()) {
    if (!op.getDynamicExtents().empty())
      return op.emitError("on Ascend, the extents of 'tile.parallel' are "
                          "static; guard the tail instead");
    remark::missed(op.getLoc(), remark::RemarkOpts::name("SerialIterations")
                                    .category("ascend-split-parallel"))
        << remark::reason("a branch that stores to global memory, or the "
                          "bounds of a loop, depend on the iteration")
        << remark::metric("dimensions", unsigned(peeled.count()));
    peel(op, peeled);
    hoistUniform(op);
  }
  Flattener(op).run();
  // What stood in branches is the same for all iterations, too.
  if (peeled.any())
    hoistUniform(op);
  return success();
}
