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
                                            const Operand &source, Value scalar,
                                            Type element) {
  Operand result;
  result.shape = source.shape;
  result.matrix = createTemp(source.shape, element);
  ScalarOp::create(b, loc(), kind, result.matrix, source.matrix, scalar);
  return result;
}

Vectorizer::Operand
Vectorizer::applyUnary(UnaryKind kind, const Operand &source, Type element) {
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
    if (isa<IntegerType>(from)) {
      result.scalar =
          arith::SIToFPOp::create(b, loc(), to, operand.scalar).getResult();
      return result;
    }
    bool widens = to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
    result.scalar =
        widens
            ? arith::ExtFOp::create(b, loc(), to, operand.scalar).getResult()
            : arith::TruncFOp::create(b, loc(), to, operand.scalar).getResult();
    return result;
  }
  result.matrix = createTemp(operand.shape, to);
  if (failed(createCast(l, current, result.matrix, operand.matrix)))
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
            : arith::MulIOp::create(b, loc(), rhs.scalar, minusOne).getResult();
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

/// 0, step, 2 step, …: the first eight by the scalar unit's constants, and then
/// each part from the one before.
Vectorizer::Operand Vectorizer::createSequence(int64_t count, int64_t step,
                                               Shape shape) {
  Type element = b.getF32Type();
  int64_t unit = l.spec.blockBytes / 4;
  int64_t length = llvm::alignTo(count, l.spec.repeatBytes / 4);
  Value all = l.buffers.createMatrix(loc(), std::nullopt, length, element);
  // Once for all iterations of the loops around.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(all.getDefiningOp());
  auto part = [&](int64_t from, int64_t size) {
    return l.buffers.createPart(loc(), all, b.getIndexAttr(0),
                                b.getIndexAttr(from), 1, size);
  };
  // Element i of the first block is the sum of the bits of i.
  for (int64_t i = 0; i < unit; ++i) {
    Value index = l.constantIndex(loc(), i);
    memref::StoreOp::create(
        b, loc(), l.constantOf(loc(), element, double(i * step)), all, index);
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
    column =
        createSequence(columns, columnStep, rows ? Shape::Row : Shape::Full);
  if (rowStep)
    row = createSequence(*rows, rowStep, Shape::Column);
  if (!row || !column)
    return row ? *row : *column;
  return combine(BinaryKind::Add, *row, *column, element);
}

static StringRef getTableName(BinaryKind kind) {
  static constexpr StringLiteral names[] = {"Add", "Sub", "Mul", "Div",
                                            "Max", "Min", "And", "Or"};
  return names[static_cast<unsigned>(kind)];
}

LogicalResult Vectorizer::createBinary(BinaryKind kind, Value result, Value lhs,
                                       Value rhs) {
  FailureOr<Operand> a = getHeld(lhs), c = getHeld(rhs);
  if (failed(a) || failed(c))
    return failure();
  Type element = result.getType(), held = getHeldType(element);
  bool isBits = kind == BinaryKind::And || kind == BinaryKind::Or;
  Type compute = getComputeType(l, getTableName(kind), held);
  if (isBits && held.isInteger(32))
    compute = held;
  if (compute != held && !isa<FloatType>(held))
    return emitError() << "the vector unit has no " << getTableName(kind)
                       << " for " << element;
  a = convert(*a, held, compute);
  c = convert(*c, held, compute);
  if (failed(a) || failed(c))
    return failure();
  FailureOr<Operand> value = combine(kind, *a, *c, compute);
  if (succeeded(value))
    value = convert(*value, compute, held);
  if (failed(value))
    return failure();
  bool grows = kind == BinaryKind::Add || kind == BinaryKind::Sub ||
               kind == BinaryKind::Mul;
  define(result, grows ? wrap(*value, element) : *value);
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
          .Case<math::Exp2Op>(
              [&](auto) { return apply(UnaryKind::Exp, times(*x, M_LN2)); })
          .Case<math::LogOp>([&](auto) { return apply(UnaryKind::Ln, *x); })
          .Case<math::Log2Op>(
              [&](auto) { return times(apply(UnaryKind::Ln, *x), 1 / M_LN2); })
          .Case<math::SqrtOp>([&](auto) { return apply(UnaryKind::Sqrt, *x); })
          // The instruction for this is an approximation.
          .Case<math::RsqrtOp>(
              [&](auto) { return over(1, apply(UnaryKind::Sqrt, *x)); })
          .Case<math::TanhOp>([&](auto) -> Result {
            // 1 - 2 / (exp(2 x) + 1)
            Result q = over(-2, plus(apply(UnaryKind::Exp, times(*x, 2)), 1));
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
  bool isLogic = op->getResult(0).getType().isInteger(1) &&
                 op->getNumOperands() == 2 &&
                 op->getOperand(0).getType().isInteger(1);
  if (isLogic && !isa<arith::CmpIOp>(op))
    return createLogic(op);
  if (std::optional<BinaryKind> kind = getBinaryKind(op))
    return createBinary(*kind, op->getResult(0), op->getOperand(0),
                        op->getOperand(1));
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
            arith::FPToSIOp, arith::FPToUIOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>([&](auto) { return createConversion(op); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return createShift(op); })
      .Case<arith::MaxUIOp, arith::MinUIOp>(
          [&](auto) { return createUnsignedLimit(op); })
      .Case<arith::XOrIOp>([&](auto) { return createExclusiveOr(op); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto) { return createIndexValue(op); })
      .Case<arith::CmpFOp, arith::CmpIOp>(
          [&](auto compare) { return createCompare(compare); })
      .Case<arith::SelectOp>([&](auto select) { return createSelect(select); })
      .Default([&](Operation *) { return createUnary(op); });
}
