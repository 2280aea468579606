//===- AccessDomain.cpp - when an op is reached ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executions that reach an op: loop ranges, guards and assumptions.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/AccessSystem.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A bound that is one value or constant.
static std::pair<AffineMap, SmallVector<Value>>
makeBound(OpFoldResult bound, MLIRContext *context) {
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return {AffineMap::getConstantMap(*constant, context), {}};
  return {AffineMap::getMultiDimIdentityMap(1, context), {cast<Value>(bound)}};
}

static LoopRange makeRange(Value iv, OpFoldResult lower, OpFoldResult upper,
                           OpFoldResult step) {
  LoopRange range;
  range.iv = iv;
  std::tie(range.lower, range.lowerOperands) =
      makeBound(lower, iv.getContext());
  std::tie(range.upper, range.upperOperands) =
      makeBound(upper, iv.getContext());
  range.step = step;
  return range;
}

/// 0 <= iv < extent, for each of the leading arguments of the op's region.
static SmallVector<LoopRange> makeRanges(Operation *op,
                                         ArrayRef<OpFoldResult> extents) {
  Builder b(op->getContext());
  SmallVector<LoopRange> ranges;
  for (auto [iv, extent] : llvm::zip(op->getRegion(0).getArguments(), extents))
    ranges.push_back(
        makeRange(iv, b.getIndexAttr(0), extent, b.getIndexAttr(1)));
  return ranges;
}

std::optional<SmallVector<LoopRange>> tile::getLoopRanges(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return makeRanges(op, kernel.getMixedGrid());
  if (auto parallel = dyn_cast<ParallelOp>(op))
    return makeRanges(op, parallel.getMixedExtents());
  if (auto persistent = dyn_cast<PersistentOp>(op))
    return makeRanges(op, persistent.getMixedDomain());
  if (auto loop = dyn_cast<affine::AffineForOp>(op)) {
    LoopRange range;
    range.iv = loop.getInductionVar();
    range.lower = loop.getLowerBoundMap();
    range.upper = loop.getUpperBoundMap();
    range.lowerOperands = llvm::to_vector(loop.getLowerBoundOperands());
    range.upperOperands = llvm::to_vector(loop.getUpperBoundOperands());
    range.step = Builder(op->getContext()).getIndexAttr(loop.getStepAsInt());
    return SmallVector<LoopRange>{range};
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return std::nullopt;
  auto ivs = loop.getLoopInductionVars();
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!ivs || !lower || !upper || !steps)
    return std::nullopt;
  SmallVector<LoopRange> ranges;
  for (auto [iv, lb, ub, step] : llvm::zip(*ivs, *lower, *upper, *steps))
    ranges.push_back(makeRange(iv, lb, ub, step));
  return ranges;
}

/// Loops are taken to make `leastTrips` trips when it is asked whether something holds for all unknown values.
void AccessSystem::addRange(const LoopRange &range, unsigned instance,
                            int64_t leastTrips) {
  AffineExpr iv = getExpr(range.iv, instance);
  AffineExpr step = getExpr(range.step, instance);
  auto constant = dyn_cast_or_null<AffineConstantExpr>(step);
  AffineExpr firstLower;
  for (unsigned i = 0, e = range.lower.getNumResults(); i < e; ++i) {
    AffineExpr bound =
        getExpr(range.lower.getSubMap({i}), range.lowerOperands, instance);
    addNonNegative(bound ? iv - bound : bound);
    firstLower = i == 0 ? bound : AffineExpr();
  }
  for (unsigned i = 0, e = range.upper.getNumResults(); i < e; ++i) {
    AffineExpr bound =
        getExpr(range.upper.getSubMap({i}), range.upperOperands, instance);
    addNonNegative(bound ? bound - 1 - iv : bound);
    if (firstLower && bound && leastTrips > 0)
      assume(bound - firstLower - leastTrips);
  }
  if (constant && constant.getValue() == 1)
    return;
  if (!constant || constant.getValue() < 1 || !firstLower)
    return setInexact();
  AffineExpr trip = addVariable();
  addNonNegative(trip);
  addZero(firstLower + trip * constant.getValue() - iv);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

void AccessSystem::addComparison(Operation *op, bool holds, unsigned instance) {
  using Predicate = arith::CmpIPredicate;
  auto comparison = cast<arith::CmpIOp>(op);
  AffineExpr lhs = getExpr(comparison.getLhs(), instance);
  AffineExpr rhs = getExpr(comparison.getRhs(), instance);
  if (!lhs || !rhs)
    return setInexact();
  Predicate predicate = comparison.getPredicate();
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  bool isUnsigned = predicate >= Predicate::ult;
  if (isUnsigned && !(isNonNegative(lhs) && isNonNegative(rhs))) {
    // A value below an unsigned bound that is not negative is not negative either.
    bool isBelow = predicate == Predicate::ult || predicate == Predicate::ule;
    if (!isBelow || !isNonNegative(rhs))
      return setInexact();
    addNonNegative(lhs);
  }
  switch (predicate) {
  case Predicate::eq:
    return addZero(lhs - rhs);
  case Predicate::ne:
    return setInexact();
  case Predicate::slt:
  case Predicate::ult:
    return addNonNegative(rhs - 1 - lhs);
  case Predicate::sle:
  case Predicate::ule:
    return addNonNegative(rhs - lhs);
  case Predicate::sgt:
  case Predicate::ugt:
    return addNonNegative(lhs - 1 - rhs);
  case Predicate::sge:
  case Predicate::uge:
    return addNonNegative(lhs - rhs);
  }
}

void AccessSystem::addCondition(Value condition, bool holds,
                                unsigned instance) {
  if (matchPattern(condition, holds ? m_One() : m_Zero()))
    return;
  if (auto comparison = condition.getDefiningOp<arith::CmpIOp>())
    return addComparison(comparison, holds, instance);
  Operation *op = condition.getDefiningOp();
  bool isConjunction = holds ? isa_and_nonnull<arith::AndIOp>(op)
                             : isa_and_nonnull<arith::OrIOp>(op);
  if (!isConjunction)
    return setInexact();
  addCondition(op->getOperand(0), holds, instance);
  addCondition(op->getOperand(1), holds, instance);
}

/// The condition under which `parent` runs its region with `block`.
void AccessSystem::addGuard(Operation *parent, Block *block,
                            unsigned instance) {
  size_t first = constraints.size();
  if (auto guard = dyn_cast<scf::IfOp>(parent)) {
    addCondition(guard.getCondition(), block == guard.thenBlock(), instance);
  } else if (auto guard = dyn_cast<affine::AffineIfOp>(parent)) {
    IntegerSet set = guard.getIntegerSet();
    if (block != guard.getThenBlock())
      return setInexact();
    for (unsigned i = 0, e = set.getNumConstraints(); i < e; ++i) {
      AffineMap map = AffineMap::get(set.getNumDims(), set.getNumSymbols(),
                                     set.getConstraint(i));
      add(getExpr(map, guard.getOperands(), instance), set.isEq(i));
    }
  } else if (!isa<scf::ExecuteRegionOp>(parent)) {
    return setInexact();
  }
  // What all executions share is a fact of the program, not a question.
  if (scope && scope->isAncestor(parent->getParentRegion()))
    return;
  for (const Constraint &constraint : llvm::drop_begin(constraints, first)) {
    assume(constraint.expr);
    if (constraint.isEquality)
      assume(-constraint.expr);
  }
}

/// Facts from `tile.assume` in front of `op` in its block.
void AccessSystem::addAssumptions(Operation *op, unsigned instance) {
  for (Operation &before : *op->getBlock()) {
    if (&before == op)
      return;
    auto assumption = dyn_cast<AssumeOp>(before);
    if (!assumption)
      continue;
    // An assumption that is not affine restricts the values that are legal, not the executions.
    bool wasExact = exact;
    size_t first = constraints.size();
    addCondition(assumption.getCondition(), true, instance);
    exact = wasExact;
    for (const Constraint &constraint : llvm::drop_begin(constraints, first))
      assume(constraint.expr);
  }
}

/// What a version of a kernel assumes about the extents of arguments.
void AccessSystem::addFacts(KernelOp kernel) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  if (!kernel.getFacts() || !function)
    return;
  for (FactAttr fact : kernel.getFactsAttr().getAsRange<FactAttr>())
    if (fact.getKind() == FactKind::Size)
      if (AffineExpr extent = getExtent(
              function.getArgument(fact.getArgument()), fact.getDim()))
        addMultiple(extent, fact.getMin(), fact.getMultiple());
}

void AccessSystem::addDomain(Operation *op, unsigned instance) {
  for (Operation *parent = op->getParentOp(); parent;
       op = parent, parent = op->getParentOp()) {
    addAssumptions(op, instance);
    if (isa<FunctionOpInterface>(parent))
      return;
    if (auto kernel = dyn_cast<KernelOp>(parent))
      addFacts(kernel);
    // Behind a branch, nothing tells when a block is reached.
    if (!op->getBlock()->isEntryBlock())
      setInexact();
    std::optional<SmallVector<LoopRange>> ranges = getLoopRanges(parent);
    if (!ranges) {
      addGuard(parent, op->getBlock(), instance);
      continue;
    }
    // One block of a grid is a common case, one iteration of a `tile.parallel` is not worth an exception.
    int64_t leastTrips = isa<KernelOp>(parent)     ? 0
                         : isa<ParallelOp>(parent) ? 2
                                                   : 1;
    for (const LoopRange &range : *ranges)
      addRange(range, instance, leastTrips);
  }
}
