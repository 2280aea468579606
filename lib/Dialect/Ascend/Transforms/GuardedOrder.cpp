//===- GuardedOrder.cpp - order of what guards leave out ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a loop whose step has parts of several iterations (StaggerLoops.cpp), a
// guard says whether an iteration exists. Two instructions need an order where
// both are executed, and then the iterations between theirs exist as well: on
// such a path, the guards of these are taken.
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile::ascend;

/// How far a value is behind the variable of a loop.
static std::optional<int64_t> getDistance(Value value, Value variable) {
  if (value == variable)
    return 0;
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply.getMapOperands().size() != 1 ||
      apply.getMapOperands().front() != variable)
    return std::nullopt;
  MLIRContext *context = apply.getContext();
  AffineExpr operand = apply.getAffineMap().getNumDims() == 1
                           ? getAffineDimExpr(0, context)
                           : getAffineSymbolExpr(0, context);
  auto distance = dyn_cast<AffineConstantExpr>(
      apply.getAffineMap().getResult(0) - operand);
  if (!distance)
    return std::nullopt;
  return distance.getValue();
}

/// Without a test of its own, an iteration behind that of the variable is not
/// before the first one.
static std::optional<IterationGuard> getGuard(scf::IfOp branch) {
  auto loop = dyn_cast<scf::ForOp>(branch->getParentOp());
  if (!loop)
    return std::nullopt;
  SmallVector<Value, 2> tests{branch.getCondition()};
  if (auto both = branch.getCondition().getDefiningOp<arith::AndIOp>())
    tests = {both.getLhs(), both.getRhs()};
  IterationGuard guard{loop, 0, {}};
  bool isBegun = false;
  std::optional<int64_t> distances[2];
  for (Value test : tests) {
    auto compare = test.getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return std::nullopt;
    auto distance = getDistance(compare.getLhs(), loop.getInductionVar());
    if (compare.getPredicate() == arith::CmpIPredicate::slt && !guard.end) {
      guard.end = compare.getRhs();
      distances[0] = distance;
    } else if (compare.getPredicate() == arith::CmpIPredicate::sge &&
               isEqualConstantIntOrValue(compare.getRhs(),
                                         loop.getLowerBound())) {
      isBegun = true;
      distances[1] = distance;
    } else {
      return std::nullopt;
    }
  }
  if (!guard.end || !distances[0] ||
      (isBegun ? distances[1] != distances[0] : *distances[0] < 0) ||
      loop->isAncestor(guard.end.getParentRegion()->getParentOp()))
    return std::nullopt;
  guard.later = *distances[0];
  return guard;
}

std::optional<IterationGuard> mlir::tile::ascend::findGuard(Operation *op) {
  for (Operation *at = op; Operation *parent = at->getParentOp(); at = parent)
    if (auto branch = dyn_cast<scf::IfOp>(parent);
        branch && at->getBlock() == branch.thenBlock())
      if (auto guard = getGuard(branch))
        return guard;
  return std::nullopt;
}

bool HappensBefore::haveSameEnd(const IterationGuard &a,
                                const IterationGuard &c) {
  return scalars.getDifference(scalars.get(a.end), scalars.get(c.end)) == 0;
}

/// What is not there in the last iteration of the loop that is repeated: its
/// iteration is behind the end, however many there are.
llvm::BitVector HappensBefore::findEarlyEnds() {
  llvm::BitVector found(repetition.end);
  for (unsigned i = repetition.begin; i < repetition.end; ++i) {
    const std::optional<IterationGuard> &guard = executions[i].guard;
    if (!guard || !repetition.isOf(guard->loop))
      continue;
    scf::ForOp loop = guard->loop;
    auto stride = getConstantIntValue(loop.getStep());
    auto beyond = scalars.getDifference(scalars.get(loop.getUpperBound()),
                                        scalars.get(guard->end));
    found[i] =
        stride && *stride > 0 && beyond && *beyond + guard->later >= *stride;
  }
  return found;
}

/// Whether two executions are in order if both are executed, the second one in
/// the second iteration of a loop if one is repeated. What holds for the next
/// iteration holds for later ones if these need the next one to exist: also
/// where a wait holds one pipe, as what a pipe knows only grows.
bool HappensBefore::isOrderedWhereBothAre(unsigned first, unsigned second) {
  if (repair || assumption)
    return false;
  const Execution &a = executions[first], &c = executions[second];
  std::optional<IterationGuard> x = a.guard, y = c.guard;
  if (!x || !y || (x->loop != y->loop && partners.lookup(x->loop) != y->loop))
    return false;
  auto stride = getConstantIntValue(x->loop.getStep());
  bool isCarried = repetition.loop != nullptr;
  if (!stride || *stride <= 0 || !haveSameEnd(*x, *y) ||
      (isCarried && repetition.getLoop(a.core) != x->loop))
    return false;
  int64_t from = x->later, to = y->later + (isCarried ? *stride : 0);
  if (isCarried && from > to)
    return false;
  if (!guarded)
    guarded.reset(sections[0] ? new HappensBefore(
                                    cast<SectionOp>(sections[0]->getParentOp()),
                                    cast<SectionOp>(sections[1]->getParentOp()))
                              : new HappensBefore(code, core));
  guarded->disabled = disabled;
  guarded->assumption = Assumption{
      {a.op, a.core},     {c.op, c.core},         *x, std::min(from, to),
      std::max(from, to), isCarried ? *stride : 0};
  guarded->run();
  return guarded->assumption->isOrdered;
}

bool HappensBefore::isOfAssumption(Operation *loop) const {
  Operation *own = assumption->guard.loop;
  return loop == own || partners.lookup(own) == loop;
}

/// Whether a guard is that of an iteration that exists.
bool HappensBefore::isAssumed(scf::IfOp branch) {
  if (!assumption)
    return false;
  auto guard = getGuard(branch);
  if (!guard || !isOfAssumption(guard->loop) ||
      !haveSameEnd(*guard, assumption->guard))
    return false;
  int64_t at = guard->later;
  if (repetition.loop) {
    if (!assumption->stride || !isOfAssumption(repetition.loop))
      return false;
    at += assumption->stride;
  }
  return assumption->from <= at && at <= assumption->to;
}

/// Stops where the second one of the pair begins.
void HappensBefore::checkAssumed(unsigned number) {
  const Execution &at = executions[number];
  bool isThere = assumption->stride == 0
                     ? !repetition.loop
                     : repetition.loop && isOfAssumption(repetition.loop);
  if (!isThere || std::pair(at.op, at.core) != assumption->second)
    return;
  auto first = numbers.find(assumption->first);
  const Executions &complete =
      state.get(unsigned(at.core)).getComplete(at.engine);
  assumption->isOrdered = first != numbers.end() &&
                          first->second < complete.size() &&
                          complete.test(first->second);
  isUndecided = true;
}
