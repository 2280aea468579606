//===- VectorizeMask.cpp - comparisons and selections
//----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Rows and columns of what is compared and selected: more than those of the
/// shape where these do not fill vectors.
std::pair<std::optional<int64_t>, int64_t>
Vectorizer::getMaskExtents(Shape shape) {
  int64_t bytes = 4;
  parallel.getBody().walk([&](arith::SelectOp op) {
    Type element = op.getType();
    if (element.isInteger() || supports(l, "Select", element))
      bytes = std::min<int64_t>(
          bytes, std::max(2u, element.getIntOrFloatBitWidth() / 8));
  });
  int64_t unit = l.spec.repeatBytes / bytes;
  if (!rows || shape != Shape::Full)
    return {std::nullopt,
            llvm::alignTo(shape == Shape::Column ? *rows : columns, unit)};
  bool follows = columns % (l.spec.blockBytes / bytes) == 0;
  if (follows && *rows * columns % unit == 0)
    return {rows, columns};
  return {rows, llvm::alignTo(columns, unit)};
}

/// The matrix, or a copy of it, with the extents of a mask and without gaps.
Value Vectorizer::fitMask(Value matrix, Shape shape) {
  auto type = cast<MemRefType>(matrix.getType());
  Type element = type.getElementType();
  auto [height, width] = getMaskExtents(shape);
  Matrix given = *getMatrix(type);
  if (given.columns == width && given.isContiguous())
    return matrix;
  Value whole = l.buffers.createMatrix(loc(), height, width, element);
  if (given.columns != width)
    DuplicateOp::create(b, loc(), whole, l.constantOf(loc(), element, 0));
  CopyUbOp::create(b, loc(), getMaskPart(whole, shape), matrix);
  return whole;
}

/// The elements of a shape in what has the extents of a mask.
Value Vectorizer::getMaskPart(Value whole, Shape shape) {
  OpFoldResult zero = b.getIndexAttr(0);
  if (rows && shape == Shape::Full)
    return l.buffers.createPart(loc(), whole, zero, zero, *rows, columns);
  return l.buffers.createPart(loc(), whole, zero, zero, 1,
                              shape == Shape::Column ? *rows : columns);
}

Vectorizer::Mask Vectorizer::createMask(CompareMode mode, const Operand &source,
                                        Value bound) {
  Value matrix = fitMask(source.matrix, source.shape);
  if (isa<MemRefType>(bound.getType()))
    bound = fitMask(bound, source.shape);
  auto type = cast<MemRefType>(matrix.getType());
  Value bits = l.buffers.createMatrix(loc(), std::nullopt,
                                      type.getNumElements() / 8, b.getI8Type());
  CompareOp::create(b, loc(), mode, bits, matrix, bound);
  return Mask{source.shape, bits};
}

/// `yes` or `no`, by the bits of a mask; both have its shape.
Value Vectorizer::choose(const Mask &mask, Value yes, Value no) {
  if (mask.isInverted)
    std::swap(yes, no);
  Value a = fitMask(yes, mask.shape), c = fitMask(no, mask.shape);
  Value result = l.buffers.createLike(
      loc(), a, cast<MemRefType>(a.getType()).getElementType());
  SelectOp::create(b, loc(), result, mask.bits, a, c);
  return getMaskPart(result, mask.shape);
}

/// 1 where the mask is true, and 0 elsewhere.
Vectorizer::Operand Vectorizer::getFlags(const Mask &mask, Type element) {
  auto fill = [&](double value) {
    Value all = createTemp(mask.shape, element);
    DuplicateOp::create(b, loc(), all, l.constantOf(loc(), element, value));
    return all;
  };
  Value one = fill(1), zero = fill(0);
  return Operand{mask.shape, choose(mask, one, zero), Value()};
}

/// The mask of elements that are 1.
Vectorizer::Mask Vectorizer::getFlagMask(const Operand &flags) {
  return createMask(CompareMode::EQ, flags,
                    l.constantOf(loc(), b.getF32Type(), 1));
}

/// The mask, repeated for a shape of more elements.
FailureOr<Vectorizer::Mask> Vectorizer::spreadMask(const Mask &mask,
                                                   Shape shape) {
  if (mask.shape == shape)
    return mask;
  Type element = b.getF32Type();
  FailureOr<Value> flags = materialize(getFlags(mask, element), shape, element);
  if (failed(flags))
    return failure();
  return getFlagMask(Operand{shape, *flags, Value()});
}

/// Conjunctions and the like, of conditions.
LogicalResult Vectorizer::createLogic(Operation *op) {
  Type element = b.getF32Type();
  FailureOr<Operand> sides[2];
  for (unsigned i : {0, 1}) {
    sides[i] = getCondition(op->getOperand(i));
    if (failed(sides[i]))
      return failure();
  }
  // Of 1 and 0: the product, the maximum, the difference.
  BinaryKind kind = isa<arith::AndIOp, arith::MulIOp>(op) ? BinaryKind::Mul
                    : isa<arith::OrIOp>(op)               ? BinaryKind::Max
                                                          : BinaryKind::Sub;
  if (kind == BinaryKind::Sub &&
      !isa<arith::XOrIOp, arith::AddIOp, arith::SubIOp>(op))
    return emitError() << "'" << op->getName()
                       << "' of conditions has no vector form";
  FailureOr<Operand> value = combine(kind, *sides[0], *sides[1], element);
  if (failed(value))
    return failure();
  Mask mask =
      createMask(CompareMode::NE, *value, l.constantOf(loc(), element, 0));
  masks[op->getResult(0)] = mask;
  return success();
}

/// 1 or 0 in f32: of a mask, or of a condition that is the same for all.
FailureOr<Vectorizer::Operand> Vectorizer::getCondition(Value condition) {
  Type element = b.getF32Type();
  if (masks.contains(condition))
    return getFlags(masks.lookup(condition), element);
  FailureOr<Operand> value = getOperand(condition);
  if (failed(value))
    return failure();
  if (value->shape != Shape::Scalar)
    return emitNoForm(condition);
  value->scalar = arith::SIToFPOp::create(
      b, loc(), element,
      arith::ExtUIOp::create(b, loc(), b.getI32Type(), value->scalar));
  return value;
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

LogicalResult Vectorizer::createCompare(arith::CmpFOp op) {
  FailureOr<Operand> lhs = getOperand(op.getLhs()),
                     rhs = getOperand(op.getRhs());
  auto mode = getMode(op.getPredicate());
  if (failed(lhs) || failed(rhs))
    return failure();
  if (!mode)
    return emitError() << "the comparison '" << stringifyEnum(op.getPredicate())
                       << "' has no vector instruction";
  Type element = op.getLhs().getType(), single = b.getF32Type();
  lhs = convert(*lhs, element, single);
  rhs = convert(*rhs, element, single);
  if (failed(lhs) || failed(rhs))
    return failure();
  Shape shape = join(lhs->shape, rhs->shape);
  FailureOr<Value> spread = materialize(*lhs, shape, single);
  Value bound = rhs->scalar;
  if (succeeded(spread) && rhs->shape != Shape::Scalar) {
    FailureOr<Value> other = materialize(*rhs, shape, single);
    bound = succeeded(other) ? *other : Value();
  }
  if (failed(spread) || !bound)
    return failure();
  Mask mask = createMask(mode->first, Operand{shape, *spread, Value()}, bound);
  mask.isInverted = mode->second;
  masks[op.getResult()] = mask;
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

/// Integers of 8 and 16 bits are compared as f32, which has all of them. Of i32
/// there is equality alone: x >= y where max(x, y) is x.
LogicalResult Vectorizer::createIntegerCompare(arith::CmpIOp op) {
  Type element = op.getLhs().getType();
  if (element.isInteger(1))
    return createLogicCompare(op);
  bool isWord = element.isInteger(32);
  if (!isWord && !element.isInteger(16) && !element.isInteger(8))
    return emitError() << "expected a comparison of i8, i16 or i32, or of "
                          "linear functions of the iteration variables, got '"
                       << stringifyEnum(op.getPredicate()) << "' of "
                       << element;
  CompareMode mode = getMode(op.getPredicate());
  FailureOr<Operand> lhs = getHeld(op.getLhs()), rhs = getHeld(op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  if (lhs->shape == Shape::Scalar) {
    std::swap(lhs, rhs);
    mode = getSwapped(mode);
  }
  Type compute = isWord ? element : Type(b.getF32Type());
  for (FailureOr<Operand> *side : {&lhs, &rhs}) {
    if (isUnsigned(op.getPredicate()))
      *side = flipSign(**side, element);
    if (succeeded(*side) && !isWord)
      *side = convert(**side, getHeldType(element), compute);
    if (failed(*side))
      return failure();
  }
  Shape shape = join(lhs->shape, rhs->shape);
  FailureOr<Value> x = materialize(*lhs, shape, compute);
  if (failed(x))
    return failure();
  Operand left{shape, *x, Value()};
  bool isEquality = mode == CompareMode::EQ || mode == CompareMode::NE;
  bool isInverted = false;
  if (isWord) {
    isInverted = mode == CompareMode::NE || mode == CompareMode::LT ||
                 mode == CompareMode::GT;
    if (!isEquality) {
      bool isMaximum = mode == CompareMode::GE || mode == CompareMode::LT;
      rhs = combine(isMaximum ? BinaryKind::Max : BinaryKind::Min, left, *rhs,
                    compute);
      if (failed(rhs))
        return failure();
    }
    mode = CompareMode::EQ;
  }
  Value bound = rhs->scalar;
  if (rhs->shape != Shape::Scalar) {
    FailureOr<Value> y = materialize(*rhs, shape, compute);
    if (failed(y))
      return failure();
    bound = *y;
  }
  Mask mask = createMask(mode, left, bound);
  mask.isInverted = isInverted;
  masks[op.getResult()] = mask;
  return success();
}

/// Of conditions, as 1 and 0.
LogicalResult Vectorizer::createLogicCompare(arith::CmpIOp op) {
  FailureOr<Operand> lhs = getCondition(op.getLhs()),
                     rhs = getCondition(op.getRhs());
  arith::CmpIPredicate predicate = op.getPredicate();
  if (failed(lhs) || failed(rhs))
    return failure();
  if (predicate != arith::CmpIPredicate::eq &&
      predicate != arith::CmpIPredicate::ne)
    return emitError() << "expected 'eq' or 'ne' of conditions, got '"
                       << stringifyEnum(predicate) << "'";
  FailureOr<Operand> difference =
      combine(BinaryKind::Sub, *lhs, *rhs, b.getF32Type());
  if (failed(difference))
    return failure();
  masks[op.getResult()] = createMask(getMode(predicate), *difference,
                                     l.constantOf(loc(), b.getF32Type(), 0));
  return success();
}

/// Indices are not negative, so that signed and unsigned are one. The part that
/// differs between iterations is small and exact in f32; the uniform part goes
/// to the other side, clamped to a little more than that range.
LogicalResult Vectorizer::createCompare(arith::CmpIOp op) {
  std::optional<Linear> lhs = linear.get(op.getLhs()),
                        rhs = linear.get(op.getRhs());
  if (!lhs || !rhs || !op.getLhs().getType().isIndex())
    return createIntegerCompare(op);
  Linear difference = linear.sum(loc(), *lhs, linear.scaled(loc(), *rhs, -1));
  int64_t columnStep = difference.coefficients[dims.back()];
  int64_t rowStep = rows ? difference.coefficients[dims[dims.size() - 2]] : 0;
  int64_t range =
      std::abs(columnStep) * columns + std::abs(rowStep) * rows.value_or(0) + 2;
  if (range >= int64_t(1) << 24)
    return emitError() << "the indices of a comparison range over " << range
                       << " values; expected less than 2^24";
  FailureOr<Operand> indices = createIndexMatrix(rowStep, columnStep);
  if (failed(indices))
    return failure();
  // Σ c·iv + u < 0 where Σ c·iv < -u.
  Linear negated = linear.scaled(loc(), difference, -1);
  Value bound = linear.getUniform(loc(), negated);
  bound =
      arith::MaxSIOp::create(b, loc(), bound, l.constantIndex(loc(), -range));
  bound =
      arith::MinSIOp::create(b, loc(), bound, l.constantIndex(loc(), range));
  bound = arith::IndexCastOp::create(b, loc(), b.getI32Type(), bound);
  bound = arith::SIToFPOp::create(b, loc(), b.getF32Type(), bound);
  if (rows && indices->shape != Shape::Full) {
    FailureOr<Value> full = materialize(*indices, Shape::Full, b.getF32Type());
    if (failed(full))
      return failure();
    indices = Operand{Shape::Full, *full, Value()};
  }
  masks[op.getResult()] =
      createMask(getMode(op.getPredicate()), *indices, bound);
  return success();
}

LogicalResult Vectorizer::createSelect(arith::SelectOp op) {
  Type element = op.getType();
  if (element.isInteger(1))
    return createLogicSelect(op);
  FailureOr<Operand> lhs = getHeld(op.getTrueValue()),
                     rhs = getHeld(op.getFalseValue());
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<Operand> value =
      select(op.getCondition(), *lhs, *rhs, getHeldType(element));
  if (failed(value))
    return failure();
  define(op.getResult(), *value);
  return success();
}

/// Values of `held` elements by a condition.
FailureOr<Vectorizer::Operand> Vectorizer::select(Value condition, Operand lhs,
                                                  Operand rhs, Type held) {
  // Integers are bits that are moved.
  Type compute = held.isInteger(32) || held.isInteger(16)
                     ? held
                     : getComputeType(l, "Select", held);
  if (compute != held && !isa<FloatType>(held))
    return emitError() << "the vector unit has no Select for " << held;
  FailureOr<Operand> a = convert(lhs, held, compute),
                     c = convert(rhs, held, compute);
  if (failed(a) || failed(c))
    return failure();
  Shape shape = join(a->shape, c->shape);
  Mask mask;
  if (masks.contains(condition)) {
    mask = masks.lookup(condition);
  } else {
    // The same for all iterations.
    FailureOr<Operand> flag = getCondition(condition);
    if (failed(flag))
      return failure();
    shape = shape == Shape::Scalar ? Shape::Full : shape;
    FailureOr<Value> flags = materialize(*flag, shape, b.getF32Type());
    if (failed(flags))
      return failure();
    mask = getFlagMask(Operand{shape, *flags, Value()});
  }
  FailureOr<Mask> wide = spreadMask(mask, join(shape, mask.shape));
  if (failed(wide))
    return failure();
  FailureOr<Value> yes = materialize(*a, wide->shape, compute),
                   no = materialize(*c, wide->shape, compute);
  if (failed(yes) || failed(no))
    return failure();
  Operand result{wide->shape, choose(*wide, *yes, *no), Value()};
  return convert(result, compute, held);
}

/// One of two conditions.
LogicalResult Vectorizer::createLogicSelect(arith::SelectOp op) {
  FailureOr<Operand> lhs = getCondition(op.getTrueValue()),
                     rhs = getCondition(op.getFalseValue());
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<Operand> flags =
      select(op.getCondition(), *lhs, *rhs, b.getF32Type());
  if (failed(flags))
    return failure();
  masks[op.getResult()] = getFlagMask(*flags);
  return success();
}
