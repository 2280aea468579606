//===- AlignLoops.cpp - loops over parts of fragments ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration of tile.parallel that names the element i + c of a fragment may
// run in a thread that does not have it. A loop over the elements, with i = e -
// c where that is an iteration, needs no exchange.
//
//===----------------------------------------------------------------------===//

#include "LayoutPlacement.h"

#include "LayoutModels.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// How all accesses to fragments name a variable of the loop: `variable +
/// offset`, in a dimension of `extent` elements.
struct Shift {
  AffineMap offset;
  SmallVector<Value> operands;
  int64_t extent;

  bool operator==(const Shift &other) const {
    return offset == other.offset && operands == other.operands &&
           extent == other.extent;
  }
};

class LoopAligner {
public:
  explicit LoopAligner(ParallelOp loop)
      : loop(loop), shifts(loop.getStaticExtents().size()) {}

  /// Whether there are accesses that gain, and none is in the way.
  bool isPossible();
  void run();

private:
  bool addAccess(Operation *op, const Access &access);
  std::optional<unsigned> addIndex(AffineExpr expr, AffineMap map,
                                   ArrayRef<Value> operands, int64_t extent);
  bool dependsOnAccess();
  Value shift(OpBuilder &b, unsigned dim, Value element, OpFoldResult offset,
              Value &guard);

  bool isInside(Value value) {
    return loop.getBody().isAncestor(value.getParentRegion());
  }

  ParallelOp loop;
  SmallVector<std::optional<Shift>> shifts;
  /// Of each access the variables by dimension; none for an extent of 1.
  SmallVector<std::pair<Operation *, SmallVector<std::optional<unsigned>>>>
      accesses;
};
} // namespace

/// The variable that the index is, but for an offset from outside of the loop.
std::optional<unsigned> LoopAligner::addIndex(AffineExpr expr, AffineMap map,
                                              ArrayRef<Value> operands,
                                              int64_t extent) {
  std::optional<unsigned> found;
  AffineExpr rest;
  for (auto [place, operand] : llvm::enumerate(operands)) {
    if (!isInside(operand))
      continue;
    unsigned dims = map.getNumDims();
    AffineExpr variable =
        place < dims
            ? getAffineDimExpr(place, expr.getContext())
            : getAffineSymbolExpr(place - dims, expr.getContext());
    AffineExpr without =
        simplifyAffineExpr(expr - variable, dims, map.getNumSymbols());
    auto isUsed = [&, place = place](AffineExpr e) {
      return place < dims ? e.isFunctionOfDim(place)
                          : e.isFunctionOfSymbol(place - dims);
    };
    if (!isUsed(expr))
      continue;
    auto argument = dyn_cast<BlockArgument>(operand);
    if (found || isUsed(without) || !argument ||
        argument.getOwner() != &loop.getBody().front())
      return std::nullopt;
    found = argument.getArgNumber();
    rest = without;
  }
  if (!found)
    return std::nullopt;
  Shift made{AffineMap::get(map.getNumDims(), map.getNumSymbols(), rest),
             SmallVector<Value>(operands), extent};
  affine::canonicalizeMapAndOperands(&made.offset, &made.operands);
  std::optional<Shift> &known = shifts[*found];
  if (known && !(*known == made))
    return std::nullopt;
  known = made;
  return found;
}

bool LoopAligner::addAccess(Operation *op, const Access &access) {
  if (!isa<memref::LoadOp, memref::StoreOp>(op))
    return false;
  AffineMap map = access.region.map;
  SmallVector<Value> operands = access.region.operands;
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  SmallVector<std::optional<unsigned>> variables;
  for (auto [expr, extent] : llvm::zip_equal(
           map.getResults(), access.region.getType().getShape())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    bool isOnly = extent == 1 && constant && constant.getValue() == 0;
    std::optional<unsigned> variable;
    if (!isOnly) {
      variable = addIndex(expr, map, operands, extent);
      if (!variable || llvm::is_contained(variables, variable))
        return false;
    }
    variables.push_back(variable);
  }
  accesses.push_back({op, variables});
  return true;
}

/// Whether an iteration that names no element of the fragment does nothing.
bool LoopAligner::dependsOnAccess() {
  for (Block *block = &loop.getBody().front();;) {
    Operation *branch = nullptr;
    for (Operation &op : *block) {
      if (llvm::any_of(accesses,
                       [&](const auto &access) { return access.first == &op; }))
        return true;
      if (op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op) ||
          isa<memref::LoadOp>(op))
        continue;
      auto found = dyn_cast<scf::IfOp>(op);
      if (branch || !found || found.elseBlock() || found.getNumResults() != 0)
        return false;
      branch = &op;
    }
    if (!branch)
      return false;
    block = cast<scf::IfOp>(branch).thenBlock();
  }
}

bool LoopAligner::isPossible() {
  if (!loop.getDynamicExtents().empty() || loop.getLayoutAttr() ||
      loop.getCoalescedWidth() ||
      llvm::is_contained(loop.getStaticExtents(), 0))
    return false;
  bool gains = false;
  WalkResult result = loop.getBody().walk([&](Operation *op) {
    SmallVector<Access> found;
    if (failed(collectAccesses(op, found)))
      return WalkResult::advance();
    for (const Access &access : found) {
      if (getMemorySpace(access.region.buffer) != MemorySpace::Fragment)
        continue;
      if (!addAccess(op, access))
        return WalkResult::interrupt();
      gains |= !matchFragmentAccess(loop, op);
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted() && gains && dependsOnAccess();
}

/// The variable, and with it in `guard` whether it is one of the loop's.
Value LoopAligner::shift(OpBuilder &b, unsigned dim, Value element,
                         OpFoldResult offset, Value &guard) {
  Location loc = loop.getLoc();
  AffineExpr difference = b.getAffineDimExpr(0) - b.getAffineDimExpr(1);
  Value variable = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(
          b, loc, AffineMap::get(2, 0, difference), {element, offset}));
  auto require = [&](arith::CmpIPredicate predicate, int64_t bound) {
    Value isIn = arith::CmpIOp::create(
        b, loc, predicate, variable,
        arith::ConstantIndexOp::create(b, loc, bound));
    guard = guard ? arith::AndIOp::create(b, loc, guard, isIn) : isIn;
  };
  int64_t last = loop.getStaticExtents()[dim];
  std::optional<int64_t> known = getConstantIntValue(offset);
  if (!known || *known > 0)
    require(arith::CmpIPredicate::sge, 0);
  if (!known || shifts[dim]->extent - *known > last)
    require(arith::CmpIPredicate::slt, last);
  return variable;
}

void LoopAligner::run() {
  OpBuilder b(loop);
  Block &body = loop.getBody().front();
  SmallVector<OpFoldResult> offsets(shifts.size());
  for (auto [offset, shift] : llvm::zip(offsets, shifts))
    if (shift)
      offset = affine::makeComposedFoldedAffineApply(
          b, loop.getLoc(), shift->offset, getAsOpFoldResult(shift->operands));
  for (auto &[op, variables] : accesses) {
    MutableOperandRange indices =
        isa<memref::LoadOp>(op)
            ? cast<memref::LoadOp>(op).getIndicesMutable()
            : cast<memref::StoreOp>(op).getIndicesMutable();
    for (auto [place, variable] : llvm::enumerate(variables))
      if (variable)
        indices[place].set(body.getArgument(*variable));
  }
  DenseSet<Operation *> named;
  for (auto &access : accesses)
    named.insert(access.first);
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  b.setInsertionPointToStart(&body);
  Value guard;
  SmallVector<int64_t> extents(loop.getStaticExtents());
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    if (!offset)
      continue;
    Value element = body.getArgument(dim);
    Value variable = shift(b, dim, element, offset, guard);
    element.replaceUsesWithIf(variable, [&](OpOperand &use) {
      return !named.contains(use.getOwner()) &&
             llvm::any_of(ops, [&](Operation *op) {
               return op->isAncestor(use.getOwner());
             });
    });
    extents[dim] = shifts[dim]->extent;
  }
  if (guard) {
    auto branch = scf::IfOp::create(b, loop.getLoc(), guard);
    for (Operation *op : ops)
      op->moveBefore(branch.thenBlock()->getTerminator());
  }
  loop.setStaticExtents(extents);
  remark::passed(loop.getLoc(), remark::RemarkOpts::name("Placement")
                                    .category("tile-infer-layout"))
      << "goes over the elements of a fragment that it is for a part of";
}

void mlir::tile::alignLoops(KernelOp kernel) {
  SmallVector<ParallelOp> loops;
  kernel.walk([&](ParallelOp loop) { loops.push_back(loop); });
  for (ParallelOp loop : loops)
    if (LoopAligner aligner(loop); aligner.isPossible())
      aligner.run();
}
