//===- VectorizeCompute.cpp - scalar arithmetic as vector instructions ----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

void Vectorizer::define(Value result, const Operand &operand) {
  operands[result] = operand;
  temps.insert(operand.matrix);
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Vectorizer::Operand Vectorizer::applyScalar(ScalarKind kind,
                                            const Operand &source,
                                            Value scalar, Type element) {
  Operand result;
  result.shape = source.shape;
  result.matrix = createTemp(source.shape, element);
  ScalarOp::create(b, loc(), kind, result.matrix, source.matrix, scalar);
  return result;
}

Vectorizer::Operand Vectorizer::applyUnary(UnaryKind kind,
                                           const Operand &source,
                                           Type element) {
  Operand result;
  result.shape = source.shape;
  result.matrix = createTemp(source.shape, element);
  UnaryOp::create(b, loc(), kind, result.matrix, source.matrix);
  return result;
}

FailureOr<Vectorizer::Operand> Vectorizer::convert(Operand operand, Type from,
                                                   Type to) {
  if (from == to)
    return operand;
  Operand result;
  result.shape = operand.shape;
  if (operand.shape == Shape::Scalar) {
    // Conversions of scalars that a program writes are hoisted; these are from
    // and to the type that the vector unit computes in.
    bool widens = to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
    result.scalar =
        widens ? arith::ExtFOp::create(b, loc(), to, operand.scalar).getResult()
               : arith::TruncFOp::create(b, loc(), to, operand.scalar)
                     .getResult();
    return result;
  }
  result.matrix = createTemp(operand.shape, to);
  if (failed(l.createCast(current, result.matrix, operand.matrix)))
    return failure();
  return result;
}

/// The instruction of a vector and a scalar, if the kind has one.
static std::optional<ScalarKind> getScalarKind(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return ScalarKind::Adds;
  case BinaryKind::Mul:
    return ScalarKind::Muls;
  case BinaryKind::Max:
    return ScalarKind::Maxs;
  case BinaryKind::Min:
    return ScalarKind::Mins;
  default:
    return std::nullopt;
  }
}

FailureOr<Vectorizer::Operand> Vectorizer::combine(BinaryKind kind, Operand lhs,
                                                   Operand rhs, Type element) {
  std::optional<ScalarKind> scalar = getScalarKind(kind);
  bool left = lhs.shape == Shape::Scalar, right = rhs.shape == Shape::Scalar;
  if (scalar && right)
    return applyScalar(*scalar, lhs, rhs.scalar, element);
  if (scalar && left)
    return applyScalar(*scalar, rhs, lhs.scalar, element);
  if (kind == BinaryKind::Sub && (left || right)) {
    // x - s is x + (-s); s - x is -x + s.
    Value minusOne = l.constantOf(loc(), element, -1);
    if (left)
      return applyScalar(ScalarKind::Adds,
                         applyScalar(ScalarKind::Muls, rhs, minusOne, element),
                         lhs.scalar, element);
    Value negated =
        isa<FloatType>(element)
            ? arith::NegFOp::create(b, loc(), rhs.scalar).getResult()
            : arith::MulIOp::create(b, loc(), rhs.scalar, minusOne)
                  .getResult();
    return applyScalar(ScalarKind::Adds, lhs, negated, element);
  }
  Operand result;
  result.shape = join(lhs.shape, rhs.shape);
  for (Operand *side : {&lhs, &rhs})
    if (side->shape == Shape::Scalar) {
      FailureOr<Value> spread = materialize(*side, result.shape, element);
      if (failed(spread))
        return failure();
      *side = Operand{result.shape, *spread, Value()};
    }
  result.matrix = createTemp(result.shape, element);
  auto [a, aSide] = getSide(lhs, result.shape);
  auto [c, cSide] = getSide(rhs, result.shape);
  BinaryOp::create(b, loc(), kind, result.matrix, a, c, aSide, cSide);
  return result;
}

static StringRef getTableName(BinaryKind kind) {
  static constexpr StringLiteral names[] = {"Add", "Sub", "Mul", "Div",
                                            "Max", "Min", "And", "Or"};
  return names[static_cast<unsigned>(kind)];
}

LogicalResult Vectorizer::createBinary(BinaryKind kind, Value result, Value lhs,
                                       Value rhs) {
  FailureOr<Operand> a = getOperand(lhs), c = getOperand(rhs);
  if (failed(a) || failed(c))
    return failure();
  Type element = result.getType();
  Type compute = l.getComputeType(getTableName(kind), element);
  if (compute != element && !isa<FloatType>(element))
    return emitError() << "the vector unit has no " << getTableName(kind)
                       << " for " << element;
  a = convert(*a, element, compute);
  c = convert(*c, element, compute);
  if (failed(a) || failed(c))
    return failure();
  FailureOr<Operand> value = combine(kind, *a, *c, compute);
  if (succeeded(value))
    value = convert(*value, compute, element);
  if (failed(value))
    return failure();
  define(result, *value);
  return success();
}

//===----------------------------------------------------------------------===//
// Mathematics
//===----------------------------------------------------------------------===//

LogicalResult Vectorizer::createUnary(Operation *op) {
  FailureOr<Operand> source = getOperand(op->getOperand(0));
  if (failed(source))
    return failure();
  Type element = op->getResult(0).getType();
  if (!isa<FloatType>(element))
    return emitError() << "'" << op->getName() << "' of " << element
                       << " has no vector instruction";
  // Functions of half precision are not accurate enough.
  Type compute = b.getF32Type();
  FailureOr<Operand> x = convert(*source, element, compute);
  if (failed(x))
    return failure();
  auto constant = [&](double value) {
    return l.constantOf(loc(), compute, value);
  };
  auto times = [&](const Operand &value, double factor) {
    return applyScalar(ScalarKind::Muls, value, constant(factor), compute);
  };
  auto plus = [&](const Operand &value, double summand) {
    return applyScalar(ScalarKind::Adds, value, constant(summand), compute);
  };
  auto apply = [&](UnaryKind kind, const Operand &value) {
    return applyUnary(kind, value, compute);
  };
  auto over = [&](double dividend, const Operand &divisor) {
    Operand scalar;
    scalar.scalar = constant(dividend);
    return combine(BinaryKind::Div, scalar, divisor, compute);
  };
  using Result = FailureOr<Operand>;
  Result value =
      llvm::TypeSwitch<Operation *, Result>(op)
          .Case<arith::NegFOp>([&](auto) { return times(*x, -1); })
          .Case<math::AbsFOp>([&](auto) { return apply(UnaryKind::Abs, *x); })
          .Case<math::ExpOp>([&](auto) { return apply(UnaryKind::Exp, *x); })
          .Case<math::Exp2Op>([&](auto) {
            return apply(UnaryKind::Exp, times(*x, M_LN2));
          })
          .Case<math::LogOp>([&](auto) { return apply(UnaryKind::Ln, *x); })
          .Case<math::Log2Op>([&](auto) {
            return times(apply(UnaryKind::Ln, *x), 1 / M_LN2);
          })
          .Case<math::SqrtOp>([&](auto) { return apply(UnaryKind::Sqrt, *x); })
          // The instruction for this is an approximation.
          .Case<math::RsqrtOp>(
              [&](auto) { return over(1, apply(UnaryKind::Sqrt, *x)); })
          .Case<math::TanhOp>([&](auto) -> Result {
            // 1 - 2 / (exp(2 x) + 1)
            Result q = over(
                -2, plus(apply(UnaryKind::Exp, times(*x, 2)), 1));
            if (failed(q))
              return failure();
            return plus(*q, 1);
          })
          .Default([&](Operation *) { return computeFunction(op, *x); });
  if (succeeded(value))
    value = convert(*value, compute, element);
  if (failed(value))
    return failure();
  define(op->getResult(0), *value);
  return success();
}

LogicalResult Vectorizer::createConversion(Value result, Value source) {
  FailureOr<Operand> operand = getOperand(source);
  if (failed(operand))
    return failure();
  FailureOr<Operand> value =
      convert(*operand, source.getType(), result.getType());
  if (failed(value))
    return failure();
  define(result, *value);
  return success();
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

/// 0, step, 2 step, …: the first eight by the scalar unit's constants, and then
/// each part from the one before.
Vectorizer::Operand Vectorizer::createSequence(int64_t count, int64_t step,
                                               Shape shape) {
  Type element = b.getF32Type();
  int64_t unit = l.spec.blockBytes / 4;
  int64_t length = llvm::alignTo(count, l.spec.repeatBytes / 4);
  Value all = l.createMatrix(loc(), std::nullopt, length, element);
  // Once for all iterations of the loops around.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(all.getDefiningOp());
  auto part = [&](int64_t from, int64_t size) {
    return l.createPart(loc(), all, b.getIndexAttr(0), b.getIndexAttr(from), 1,
                        size);
  };
  // Element i of the first block is the sum of the bits of i.
  for (int64_t i = 0; i < unit; ++i) {
    Value index = l.constantIndex(loc(), i);
    memref::StoreOp::create(b, loc(),
                            l.constantOf(loc(), element, double(i * step)),
                            all, index);
  }
  for (int64_t done = unit; done < count;) {
    int64_t next = std::min(done, length - done);
    ScalarOp::create(b, loc(), ScalarKind::Adds, part(done, next),
                     part(0, next),
                     l.constantOf(loc(), element, double(done * step)));
    done += next;
  }
  Operand result;
  result.shape = shape;
  result.matrix = part(0, count);
  return result;
}

FailureOr<Vectorizer::Operand>
Vectorizer::createIndexMatrix(int64_t rowStep, int64_t columnStep) {
  Type element = b.getF32Type();
  std::optional<Operand> row, column;
  if (columnStep)
    column = createSequence(columns, columnStep,
                            rows ? Shape::Row : Shape::Full);
  if (rowStep)
    row = createSequence(*rows, rowStep, Shape::Column);
  if (!row || !column)
    return row ? *row : *column;
  return combine(BinaryKind::Add, *row, *column, element);
}

FailureOr<Vectorizer::Mask>
Vectorizer::createMask(CompareMode mode, const Operand &source, Value scalar) {
  auto type = cast<MemRefType>(source.matrix.getType());
  Matrix shape = *getMatrix(type);
  int64_t count = shape.rows * shape.columns;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (!shape.isContiguous() || count * bytes % l.spec.repeatBytes != 0)
    return emitError() << "a comparison of "
                       << tl::formatShape(type.getShape())
                       << " elements does not fill vectors of "
                       << l.spec.repeatBytes << " bytes";
  Value bits = l.createMatrix(loc(), std::nullopt, count / 8, b.getI8Type());
  CompareOp::create(b, loc(), mode, bits, source.matrix, scalar);
  return Mask{source.shape, bits};
}

static std::optional<CompareMode> getMode(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OLT:
    return CompareMode::LT;
  case arith::CmpFPredicate::OLE:
    return CompareMode::LE;
  case arith::CmpFPredicate::OGT:
    return CompareMode::GT;
  case arith::CmpFPredicate::OGE:
    return CompareMode::GE;
  case arith::CmpFPredicate::OEQ:
    return CompareMode::EQ;
  case arith::CmpFPredicate::UNE:
    return CompareMode::NE;
  default:
    return std::nullopt;
  }
}

LogicalResult Vectorizer::createCompare(arith::CmpFOp op) {
  FailureOr<Operand> lhs = getOperand(op.getLhs()),
                     rhs = getOperand(op.getRhs());
  std::optional<CompareMode> mode = getMode(op.getPredicate());
  if (failed(lhs) || failed(rhs))
    return failure();
  if (!mode)
    return emitError() << "the comparison '"
                       << stringifyEnum(op.getPredicate())
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
  lhs = Operand{shape, *spread, Value()};
  FailureOr<Mask> mask = createMask(*mode, *lhs, bound);
  if (failed(mask))
    return failure();
  masks[op.getResult()] = *mask;
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

/// Of integers there is equality alone: x >= y where max(x, y) is x.
LogicalResult Vectorizer::createIntegerCompare(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  Value left = op.getLhs(), right = op.getRhs();
  P predicate = op.getPredicate();
  FailureOr<Operand> lhs = getOperand(left), rhs = getOperand(right);
  if (failed(lhs) || failed(rhs))
    return failure();
  if (lhs->shape == Shape::Scalar) {
    std::swap(lhs, rhs);
    // y < x is x > y.
    predicate = predicate == P::slt   ? P::sgt
                : predicate == P::sgt ? P::slt
                : predicate == P::sle ? P::sge
                : predicate == P::sge ? P::sle
                                      : predicate;
  }
  Type element = left.getType();
  bool isEquality = predicate == P::eq || predicate == P::ne;
  bool isSigned = isEquality || predicate == P::slt || predicate == P::sle ||
                  predicate == P::sgt || predicate == P::sge;
  if (!element.isInteger(32) || !isSigned)
    return emitError() << "expected a comparison of i32, as signed numbers, or "
                          "of linear functions of the iteration variables, "
                          "got '"
                       << stringifyEnum(op.getPredicate()) << "' of "
                       << element;
  Shape shape = join(lhs->shape, rhs->shape);
  FailureOr<Value> x = materialize(*lhs, shape, element);
  Value other = rhs->scalar;
  if (!isEquality && succeeded(x)) {
    bool isMaximum = predicate == P::sge || predicate == P::slt;
    FailureOr<Operand> limit =
        combine(isMaximum ? BinaryKind::Max : BinaryKind::Min,
                Operand{shape, *x, Value()}, *rhs, element);
    other = succeeded(limit) ? limit->matrix : Value();
  } else if (rhs->shape != Shape::Scalar) {
    FailureOr<Value> y = materialize(*rhs, shape, element);
    other = succeeded(y) ? *y : Value();
  }
  if (failed(x) || !other)
    return failure();
  FailureOr<Mask> mask =
      createMask(CompareMode::EQ, Operand{shape, *x, Value()}, other);
  if (failed(mask))
    return failure();
  mask->isInverted = predicate == P::ne || predicate == P::slt ||
                     predicate == P::sgt;
  masks[op.getResult()] = *mask;
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
  Linear difference =
      linear.sum(loc(), *lhs, linear.scaled(loc(), *rhs, -1));
  int64_t columnStep = difference.coefficients[dims.back()];
  int64_t rowStep =
      rows ? difference.coefficients[dims[dims.size() - 2]] : 0;
  int64_t range = std::abs(columnStep) * columns +
                  std::abs(rowStep) * rows.value_or(0) + 2;
  if (range >= int64_t(1) << 24)
    return emitError() << "the indices of a comparison range over " << range
                       << " values; expected less than 2^24";
  FailureOr<Operand> indices = createIndexMatrix(rowStep, columnStep);
  if (failed(indices))
    return failure();
  // Σ c·iv + u < 0 where Σ c·iv < -u.
  Linear negated = linear.scaled(loc(), difference, -1);
  Value bound = linear.getUniform(loc(), negated);
  bound = arith::MaxSIOp::create(b, loc(), bound,
                                 l.constantIndex(loc(), -range));
  bound =
      arith::MinSIOp::create(b, loc(), bound, l.constantIndex(loc(), range));
  bound = arith::IndexCastOp::create(b, loc(), b.getI32Type(), bound);
  bound = arith::SIToFPOp::create(b, loc(), b.getF32Type(), bound);
  if (rows && indices->shape != Shape::Full) {
    FailureOr<Value> full =
        materialize(*indices, Shape::Full, b.getF32Type());
    if (failed(full))
      return failure();
    indices = Operand{Shape::Full, *full, Value()};
  }
  FailureOr<Mask> mask =
      createMask(getMode(op.getPredicate()), *indices, bound);
  if (failed(mask))
    return failure();
  masks[op.getResult()] = *mask;
  return success();
}

LogicalResult Vectorizer::createSelect(arith::SelectOp op) {
  auto mask = masks.find(op.getCondition());
  FailureOr<Operand> lhs = getOperand(op.getTrueValue()),
                     rhs = getOperand(op.getFalseValue());
  if (failed(lhs) || failed(rhs))
    return failure();
  if (mask == masks.end())
    return emitError() << "the condition of a selection is no comparison";
  // Integers are bits that are moved.
  Type element = op.getType();
  Type compute = element.isInteger(32) || element.isInteger(16)
                     ? element
                     : l.getComputeType("Select", element);
  lhs = convert(*lhs, element, compute);
  rhs = convert(*rhs, element, compute);
  if (failed(lhs) || failed(rhs))
    return failure();
  Shape shape = mask->second.shape;
  if (join(join(lhs->shape, rhs->shape), shape) != shape)
    return emitError() << "the condition of a selection varies less than its "
                          "values";
  FailureOr<Value> a = materialize(*lhs, shape, compute),
                   c = materialize(*rhs, shape, compute);
  if (failed(a) || failed(c))
    return failure();
  if (mask->second.isInverted)
    std::swap(a, c);
  Operand result;
  result.shape = shape;
  result.matrix = createTemp(shape, compute);
  SelectOp::create(b, loc(), result.matrix, mask->second.bits, *a, *c);
  FailureOr<Operand> value = convert(result, compute, element);
  if (failed(value))
    return failure();
  define(op.getResult(), *value);
  return success();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static std::optional<BinaryKind> getBinaryKind(Operation *op) {
  using Result = std::optional<BinaryKind>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return BinaryKind::Add; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return BinaryKind::Sub; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return BinaryKind::Mul; })
      .Case<arith::DivFOp>([](auto) { return BinaryKind::Div; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) { return BinaryKind::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [](auto) { return BinaryKind::Min; })
      .Case<arith::AndIOp>([](auto) { return BinaryKind::And; })
      .Case<arith::OrIOp>([](auto) { return BinaryKind::Or; })
      .Default(Result());
}

LogicalResult Vectorizer::vectorizeCompute(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return emitError() << "'" << op->getName()
                       << "' in 'tile.parallel' has no vector form";
  if (std::optional<BinaryKind> kind = getBinaryKind(op))
    return createBinary(*kind, op->getResult(0), op->getOperand(0),
                        op->getOperand(1));
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp,
            arith::ExtSIOp, arith::TruncIOp>([&](auto cast) {
        return createConversion(cast->getResult(0), cast->getOperand(0));
      })
      .Case<arith::CmpFOp, arith::CmpIOp>(
          [&](auto compare) { return createCompare(compare); })
      .Case<arith::SelectOp>([&](auto select) { return createSelect(select); })
      .Default([&](Operation *) { return createUnary(op); });
}
