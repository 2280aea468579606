//===- VectorComparisons.cpp - comparisons and selections -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorIntegers.h"
#include "VectorIndices.h"
#include "Vectorizer.h"

#include "Tile/Analysis/AccessSystem.h"

using namespace mlir;
using namespace mlir::tile::ascend;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Conjunctions and the like, of conditions.
LogicalResult mlir::tile::ascend::createLogic(Vectorizer &v, Operation *op) {
  Type element = v.b.getF32Type();
  FailureOr<VectorOperand> sides[2];
  for (unsigned i : {0, 1}) {
    sides[i] = v.getCondition(op->getOperand(i));
    if (failed(sides[i]))
      return failure();
  }
  // Of 1 and 0: the product, the maximum, the difference.
  BinaryKind kind = isa<arith::AndIOp, arith::MulIOp>(op) ? BinaryKind::Mul
                    : isa<arith::OrIOp>(op)               ? BinaryKind::Max
                                                          : BinaryKind::Sub;
  if (kind == BinaryKind::Sub &&
      !isa<arith::XOrIOp, arith::AddIOp, arith::SubIOp>(op))
    return v.emitError() << "'" << op->getName()
                         << "' of conditions cannot be vectorised";
  FailureOr<VectorOperand> value =
      v.combine(kind, *sides[0], *sides[1], element);
  if (failed(value))
    return failure();
  VectorMask mask = createMask(v, CompareMode::NE, *value,
                               v.l.constantOf(v.loc(), element, 0));
  v.masks[op->getResult(0)] = mask;
  return success();
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// A comparison and whether its contrary is meant.
static std::optional<std::pair<CompareMode, bool>>
getMode(arith::CmpFPredicate predicate) {
  auto mode = [](CompareMode kind, bool isInverted = false) {
    return std::pair(kind, isInverted);
  };
  switch (predicate) {
  case arith::CmpFPredicate::OLT:
    return mode(CompareMode::LT);
  case arith::CmpFPredicate::OLE:
    return mode(CompareMode::LE);
  case arith::CmpFPredicate::OGT:
    return mode(CompareMode::GT);
  case arith::CmpFPredicate::OGE:
    return mode(CompareMode::GE);
  case arith::CmpFPredicate::OEQ:
    return mode(CompareMode::EQ);
  case arith::CmpFPredicate::UNE:
    return mode(CompareMode::NE);
  // True where one is no number.
  case arith::CmpFPredicate::ULT:
    return mode(CompareMode::GE, true);
  case arith::CmpFPredicate::ULE:
    return mode(CompareMode::GT, true);
  case arith::CmpFPredicate::UGT:
    return mode(CompareMode::LE, true);
  case arith::CmpFPredicate::UGE:
    return mode(CompareMode::LT, true);
  default:
    return std::nullopt;
  }
}

LogicalResult mlir::tile::ascend::createCompare(Vectorizer &v,
                                                arith::CmpFOp op) {
  FailureOr<VectorOperand> lhs = v.getOperand(op.getLhs()),
                           rhs = v.getOperand(op.getRhs());
  auto mode = getMode(op.getPredicate());
  if (failed(lhs) || failed(rhs))
    return failure();
  if (!mode)
    return v.emitError() << "the comparison '"
                         << stringifyEnum(op.getPredicate())
                         << "' has no vector instruction";
  Type element = op.getLhs().getType(), single = v.b.getF32Type();
  lhs = v.convert(*lhs, element, single);
  rhs = v.convert(*rhs, element, single);
  if (failed(lhs) || failed(rhs))
    return failure();
  VectorShape shape = join(lhs->shape, rhs->shape);
  FailureOr<Value> spread = v.materialize(*lhs, shape, single);
  Value bound = rhs->scalar;
  if (succeeded(spread) && rhs->shape != VectorShape::Scalar) {
    FailureOr<Value> other = v.materialize(*rhs, shape, single);
    bound = succeeded(other) ? *other : Value();
  }
  if (failed(spread) || !bound)
    return failure();
  VectorMask mask =
      createMask(v, mode->first, VectorOperand{shape, *spread, Value()}, bound);
  mask.isInverted = mode->second;
  v.masks[op.getResult()] = mask;
  return success();
}

static CompareMode getMode(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return CompareMode::LT;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return CompareMode::LE;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return CompareMode::GT;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return CompareMode::GE;
  case arith::CmpIPredicate::eq:
    return CompareMode::EQ;
  case arith::CmpIPredicate::ne:
    return CompareMode::NE;
  }
  llvm_unreachable("all predicates are handled");
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  return predicate >= arith::CmpIPredicate::ult;
}

/// y < x is x > y.
static CompareMode getSwapped(CompareMode mode) {
  switch (mode) {
  case CompareMode::LT:
    return CompareMode::GT;
  case CompareMode::GT:
    return CompareMode::LT;
  case CompareMode::LE:
    return CompareMode::GE;
  case CompareMode::GE:
    return CompareMode::LE;
  default:
    return mode;
  }
}

/// Of conditions, as 1 and 0.
static LogicalResult createLogicCompare(Vectorizer &v, arith::CmpIOp op) {
  FailureOr<VectorOperand> lhs = v.getCondition(op.getLhs()),
                           rhs = v.getCondition(op.getRhs());
  arith::CmpIPredicate predicate = op.getPredicate();
  if (failed(lhs) || failed(rhs))
    return failure();
  if (predicate != arith::CmpIPredicate::eq &&
      predicate != arith::CmpIPredicate::ne)
    return v.emitError() << "expected 'eq' or 'ne' of conditions, got '"
                         << stringifyEnum(predicate) << "'";
  FailureOr<VectorOperand> difference =
      v.combine(BinaryKind::Sub, *lhs, *rhs, v.b.getF32Type());
  if (failed(difference))
    return failure();
  v.masks[op.getResult()] =
      createMask(v, getMode(predicate), *difference,
                 v.l.constantOf(v.loc(), v.b.getF32Type(), 0));
  return success();
}

/// Integers of 8 and 16 bits are compared as f32, which has all of them. Of i32
/// there is equality alone: x >= y where max(x, y) is x.
static LogicalResult createIntegerCompare(Vectorizer &v, arith::CmpIOp op) {
  Type element = op.getLhs().getType();
  if (element.isInteger(1))
    return createLogicCompare(v, op);
  bool isWord = element.isInteger(32);
  if (!isWord && !element.isInteger(16) && !element.isInteger(8))
    return computeElements(v, op);
  CompareMode mode = getMode(op.getPredicate());
  FailureOr<VectorOperand> lhs = v.getHeld(op.getLhs()),
                           rhs = v.getHeld(op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  if (lhs->shape == VectorShape::Scalar) {
    std::swap(lhs, rhs);
    mode = getSwapped(mode);
  }
  Type compute = isWord ? element : Type(v.b.getF32Type());
  for (FailureOr<VectorOperand> *side : {&lhs, &rhs}) {
    if (isUnsigned(op.getPredicate()))
      *side = flipSign(v, **side, element);
    if (succeeded(*side) && !isWord)
      *side = v.convert(**side, getHeldType(v, element), compute);
    if (failed(*side))
      return failure();
  }
  VectorShape shape = join(lhs->shape, rhs->shape);
  FailureOr<Value> x = v.materialize(*lhs, shape, compute);
  if (failed(x))
    return failure();
  VectorOperand left{shape, *x, Value()};
  bool isEquality = mode == CompareMode::EQ || mode == CompareMode::NE;
  bool isInverted = false;
  if (isWord) {
    isInverted = mode == CompareMode::NE || mode == CompareMode::LT ||
                 mode == CompareMode::GT;
    if (!isEquality) {
      bool isMaximum = mode == CompareMode::GE || mode == CompareMode::LT;
      rhs = v.combine(isMaximum ? BinaryKind::Max : BinaryKind::Min, left, *rhs,
                      compute);
      if (failed(rhs))
        return failure();
    }
    mode = CompareMode::EQ;
  }
  Value bound = rhs->scalar;
  if (rhs->shape != VectorShape::Scalar) {
    FailureOr<Value> y = v.materialize(*rhs, shape, compute);
    if (failed(y))
      return failure();
    bound = *y;
  }
  VectorMask mask = createMask(v, mode, left, bound);
  mask.isInverted = isInverted;
  v.masks[op.getResult()] = mask;
  return success();
}

/// A little more than how far the values of an index are apart.
static int64_t getRange(Vectorizer &v, const Linear &index) {
  return std::abs(getStep(v, index, false)) * v.columns +
         std::abs(getStep(v, index, true)) * v.rows.value_or(0) + 2;
}

/// Whether floats hold all values, but for what is the same in all iterations.
static bool isExact(Vectorizer &v, const Linear &index) {
  return getRange(v, index) < int64_t(1) << 24;
}

/// Compares indices as signed numbers. The part that differs between iterations
/// is small and exact in f32; the uniform part goes to the other side, clamped
/// to a little more than that range.
static FailureOr<VectorMask> compareIndices(Vectorizer &v, CompareMode mode,
                                            const Linear &lhs,
                                            const Linear &rhs) {
  Linear difference =
      v.linear.sum(v.loc(), lhs, v.linear.scaled(v.loc(), rhs, -1));
  int64_t range = getRange(v, difference);
  FailureOr<VectorOperand> indices = v.createIndexMatrix(
      getStep(v, difference, true), getStep(v, difference, false));
  if (failed(indices))
    return failure();
  // Σ c·iv + u < 0 where Σ c·iv < -u.
  Linear negated = v.linear.scaled(v.loc(), difference, -1);
  Value bound = v.linear.getUniform(v.loc(), negated);
  bound = arith::MaxSIOp::create(v.b, v.loc(), bound,
                                 v.l.constantIndex(v.loc(), -range));
  bound = arith::MinSIOp::create(v.b, v.loc(), bound,
                                 v.l.constantIndex(v.loc(), range));
  bound = arith::IndexCastOp::create(v.b, v.loc(), v.b.getI32Type(), bound);
  bound = arith::SIToFPOp::create(v.b, v.loc(), v.b.getF32Type(), bound);
  if (v.rows && indices->shape != VectorShape::Full) {
    FailureOr<Value> full =
        v.materialize(*indices, VectorShape::Full, v.b.getF32Type());
    if (failed(full))
      return failure();
    indices = VectorOperand{VectorShape::Full, *full, Value()};
  }
  return createMask(v, mode, *indices, bound);
}

/// Whether an index is known to be none below 0 wherever it is compared.
static bool isNeverNegative(arith::CmpIOp op, Value index) {
  mlir::tile::AccessSystem executions(op.getContext());
  executions.addDomain(op, 0);
  AffineExpr expr = executions.getExpr(index, 0);
  if (!expr)
    return false;
  executions.addNonNegative(-1 - expr);
  return executions.isEmpty();
}

/// Where one of the masks holds and the other does not.
static FailureOr<VectorMask>
createDifference(Vectorizer &v, const VectorMask &lhs, const VectorMask &rhs) {
  Type element = v.b.getF32Type();
  FailureOr<VectorOperand> difference =
      v.combine(BinaryKind::Sub, getFlags(v, lhs, element),
                getFlags(v, rhs, element), element);
  if (failed(difference))
    return failure();
  return createMask(v, CompareMode::NE, *difference,
                    v.l.constantOf(v.loc(), element, 0));
}

/// An unsigned comparison is the signed one, turned round for each side that is
/// negative.
LogicalResult mlir::tile::ascend::createCompare(Vectorizer &v,
                                                arith::CmpIOp op) {
  std::optional<Linear> lhs = v.linear.get(op.getLhs()),
                        rhs = v.linear.get(op.getRhs());
  if (!lhs || !rhs || !op.getLhs().getType().isIndex())
    return createIntegerCompare(v, op);
  Linear difference =
      v.linear.sum(v.loc(), *lhs, v.linear.scaled(v.loc(), *rhs, -1));
  if (!isExact(v, difference) || (isUnsigned(op.getPredicate()) &&
                                  !(isExact(v, *lhs) && isExact(v, *rhs))))
    return computeElements(v, op);
  FailureOr<VectorMask> mask =
      compareIndices(v, getMode(op.getPredicate()), *lhs, *rhs);
  Linear zero;
  zero.coefficients.assign(lhs->coefficients.size(), 0);
  for (auto [side, linear] :
       {std::pair(op.getLhs(), &*lhs), std::pair(op.getRhs(), &*rhs)}) {
    if (failed(mask))
      return failure();
    if (!isUnsigned(op.getPredicate()) || isNeverNegative(op, side))
      continue;
    FailureOr<VectorMask> below =
        compareIndices(v, CompareMode::LT, *linear, zero);
    if (failed(below))
      return failure();
    mask = createDifference(v, *mask, *below);
  }
  if (failed(mask))
    return failure();
  v.masks[op.getResult()] = *mask;
  return success();
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// Values of `held` elements by a condition.
static FailureOr<VectorOperand> select(Vectorizer &v, Value condition,
                                       VectorOperand lhs, VectorOperand rhs,
                                       Type held) {
  // Integers are bits that are moved.
  Type compute = isa<IntegerType>(held) ? held
                                        : getComputeType(v.l, "Select", held);
  FailureOr<VectorOperand> a = v.convert(lhs, held, compute),
                           c = v.convert(rhs, held, compute);
  if (failed(a) || failed(c))
    return failure();
  VectorShape shape = join(a->shape, c->shape);
  VectorMask mask;
  if (v.masks.contains(condition)) {
    mask = v.masks.lookup(condition);
  } else {
    // The same for all iterations.
    FailureOr<VectorOperand> flag = v.getCondition(condition);
    if (failed(flag))
      return failure();
    shape = shape == VectorShape::Scalar ? VectorShape::Full : shape;
    FailureOr<Value> flags = v.materialize(*flag, shape, v.b.getF32Type());
    if (failed(flags))
      return failure();
    mask = getFlagMask(v, VectorOperand{shape, *flags, Value()});
  }
  FailureOr<VectorMask> wide = spreadMask(v, mask, join(shape, mask.shape));
  if (failed(wide))
    return failure();
  FailureOr<Value> yes = v.materialize(*a, wide->shape, compute),
                   no = v.materialize(*c, wide->shape, compute);
  if (failed(yes) || failed(no))
    return failure();
  VectorOperand result{wide->shape, choose(v, *wide, *yes, *no), Value()};
  return v.convert(result, compute, held);
}

/// One of two conditions.
static LogicalResult createLogicSelect(Vectorizer &v, arith::SelectOp op) {
  FailureOr<VectorOperand> lhs = v.getCondition(op.getTrueValue()),
                           rhs = v.getCondition(op.getFalseValue());
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<VectorOperand> flags =
      select(v, op.getCondition(), *lhs, *rhs, v.b.getF32Type());
  if (failed(flags))
    return failure();
  v.masks[op.getResult()] = getFlagMask(v, *flags);
  return success();
}

LogicalResult mlir::tile::ascend::createSelect(Vectorizer &v,
                                               arith::SelectOp op) {
  Type element = op.getType();
  if (element.isInteger(1))
    return createLogicSelect(v, op);
  Type held = getHeldType(v, element);
  if (isa<IntegerType>(held) && !held.isInteger(16) && !held.isInteger(32))
    return computeElements(v, op);
  FailureOr<VectorOperand> lhs = v.getHeld(op.getTrueValue()),
                           rhs = v.getHeld(op.getFalseValue());
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<VectorOperand> value =
      select(v, op.getCondition(), *lhs, *rhs, held);
  if (failed(value))
    return failure();
  v.define(op.getResult(), *value);
  return success();
}
