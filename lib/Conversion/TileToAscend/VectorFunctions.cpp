//===- VectorFunctions.cpp - functions as formulas ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Functions of f32 from the instructions of the chip. None of them chooses
// between two formulas, which would need whole vectors: parts that a number
// does not take part in become 0.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tile::ascend;

namespace {

/// Composes functions of f32.
class FunctionBuilder {
public:
  explicit FunctionBuilder(Vectorizer &v) : v(v), single(v.b.getF32Type()) {}

  using Result = FailureOr<VectorOperand>;
  using Formula = Result (*)(FunctionBuilder &, Operation *,
                             const VectorOperand &);
  /// How a function is computed; null if it is not known.
  static Formula find(Operation *op);

private:
  static void addInstructions(llvm::StringMap<Formula> &table);
  static void addFormulas(llvm::StringMap<Formula> &table);

  VectorOperand plus(const VectorOperand &x, double c) {
    return v.applyScalar(ScalarKind::Adds, x, constant(c), single);
  }
  VectorOperand times(const VectorOperand &x, double c) {
    return v.applyScalar(ScalarKind::Muls, x, constant(c), single);
  }
  VectorOperand atMost(const VectorOperand &x, double c) {
    return v.applyScalar(ScalarKind::Mins, x, constant(c), single);
  }
  VectorOperand atLeast(const VectorOperand &x, double c) {
    return v.applyScalar(ScalarKind::Maxs, x, constant(c), single);
  }
  VectorOperand clamp(const VectorOperand &x, double c) {
    return atLeast(atMost(x, c), -c);
  }
  VectorOperand apply(UnaryKind kind, const VectorOperand &x) {
    return v.applyUnary(kind, x, single);
  }
  VectorOperand combine(BinaryKind kind, const VectorOperand &x,
                        const VectorOperand &y) {
    // Values of f32 always combine.
    return *v.combine(kind, x, y, single);
  }
  VectorOperand add(const VectorOperand &x, const VectorOperand &y) {
    return combine(BinaryKind::Add, x, y);
  }
  VectorOperand subtract(const VectorOperand &x, const VectorOperand &y) {
    return combine(BinaryKind::Sub, x, y);
  }
  VectorOperand multiply(const VectorOperand &x, const VectorOperand &y) {
    return combine(BinaryKind::Mul, x, y);
  }
  VectorOperand divide(const VectorOperand &x, const VectorOperand &y) {
    return combine(BinaryKind::Div, x, y);
  }
  VectorOperand over(double c, const VectorOperand &x) {
    VectorOperand dividend;
    dividend.scalar = constant(c);
    return divide(dividend, x);
  }
  Value constant(double c) { return v.l.constantOf(v.loc(), single, c); }

  VectorOperand round(RoundMode mode, const VectorOperand &x);
  VectorOperand polynomial(const VectorOperand &x,
                           ArrayRef<double> coefficients);
  VectorOperand sign(const VectorOperand &x);
  VectorOperand tanh(const VectorOperand &x);
  VectorOperand erf(const VectorOperand &x);
  VectorOperand expm1(const VectorOperand &x);
  VectorOperand log1p(const VectorOperand &x);
  VectorOperand sine(const VectorOperand &x, double phase);
  VectorOperand atan(const VectorOperand &x);
  VectorOperand sinh(const VectorOperand &x);
  Result copySign(Operation *op, const VectorOperand &x);

  Vectorizer &v;
  Type single;
};
} // namespace

VectorOperand FunctionBuilder::round(RoundMode mode, const VectorOperand &x) {
  VectorOperand result;
  result.shape = x.shape;
  result.matrix = v.createTemp(x.shape, single);
  CastOp::create(v.b, v.loc(), mode, result.matrix, x.matrix);
  return result;
}

/// The coefficient of the highest power first.
VectorOperand FunctionBuilder::polynomial(const VectorOperand &x,
                                          ArrayRef<double> coefficients) {
  VectorOperand sum = plus(times(x, coefficients[0]), coefficients[1]);
  for (double coefficient : coefficients.drop_front(2))
    sum = plus(multiply(sum, x), coefficient);
  return sum;
}

/// 1 or -1, of zeros, too: their reciprocals are infinite.
VectorOperand FunctionBuilder::sign(const VectorOperand &x) {
  return clamp(over(1, clamp(x, 1)), 1);
}

/// u / (u + 2), where u = e^2x - 1; 1 from 10 on.
VectorOperand FunctionBuilder::tanh(const VectorOperand &x) {
  VectorOperand u = expm1(times(clamp(x, 10), 2));
  return divide(u, plus(u, 2));
}

/// x P(x^2) / Q(x^2), as XLA has it; 1 from 4 on.
VectorOperand FunctionBuilder::erf(const VectorOperand &x) {
  VectorOperand bounded = clamp(x, 4), square = multiply(bounded, bounded);
  VectorOperand p =
      polynomial(square, {-2.72614225801306e-10, 2.77068142495902e-08,
                          -2.10102402082508e-06, -5.69250639462346e-05,
                          -7.34990630326855e-04, -2.95459980854025e-03,
                          -1.60960333262415e-02});
  VectorOperand q =
      polynomial(square, {-1.45660718464996e-05, -2.13374055278905e-04,
                          -1.68282697438203e-03, -7.37332916720468e-03,
                          -1.42647390514189e-02});
  return clamp(multiply(bounded, divide(p, q)), 1);
}

/// A series next to 0, where e^x - 1 cancels.
VectorOperand FunctionBuilder::expm1(const VectorOperand &x) {
  VectorOperand n = round(RoundMode::RInt, times(x, 1 / M_LN2));
  VectorOperand isFar = atMost(apply(UnaryKind::Abs, n), 1);
  VectorOperand series =
      polynomial(clamp(x, 0.35), {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                                  1.0 / 6, 0.5, 1, 0});
  VectorOperand near = multiply(series, plus(times(isFar, -1), 1));
  return add(multiply(plus(apply(UnaryKind::Exp, x), -1), isFar), near);
}

/// ln u + (x - (u - 1)) / u, where u = 1 + x as it is rounded.
VectorOperand FunctionBuilder::log1p(const VectorOperand &x) {
  constexpr double largest = 3.4028234663852886e38;
  VectorOperand u = plus(x, 1);
  VectorOperand lost =
      subtract(atMost(x, largest), plus(atMost(u, largest), -1));
  return add(apply(UnaryKind::Ln, u), divide(lost, atLeast(u, 1e-30)));
}

/// sin (x + phase pi), where the phase is 0 or 1/2.
VectorOperand FunctionBuilder::sine(const VectorOperand &x, double phase) {
  // x + phase pi = k pi + r
  VectorOperand k = round(RoundMode::RInt, plus(times(x, 1 / M_PI), phase));
  VectorOperand n = plus(k, -phase);
  // Parts of pi of few bits, so that multiples of the first ones are exact.
  VectorOperand r = x;
  for (double part :
       {3.140625, 9.67502593994140625e-4, 1.509957990978376432e-7})
    r = subtract(r, times(n, part));
  VectorOperand square = multiply(r, r);
  VectorOperand series =
      polynomial(square, {1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                          -1.0 / 5040, 1.0 / 120, -1.0 / 6});
  VectorOperand value = add(r, multiply(multiply(r, square), series));
  // An odd k turns the sign.
  VectorOperand isOdd =
      subtract(k, times(round(RoundMode::Floor, times(k, 0.5)), 2));
  return multiply(value, plus(times(isOdd, -2), 1));
}

/// pi/2 - atan (1/x) above 1.
VectorOperand FunctionBuilder::atan(const VectorOperand &x) {
  VectorOperand magnitude = apply(UnaryKind::Abs, x), bounded = clamp(x, 1);
  VectorOperand t = divide(bounded, atLeast(magnitude, 1));
  // Abramowitz and Stegun, 4.4.49
  VectorOperand ratio =
      polynomial(multiply(t, t),
                 {0.0028662257, -0.0161657367, 0.0429096138, -0.0752896400,
                  0.1065626393, -0.1420889944, 0.1999355085, -0.3333314528, 1});
  VectorOperand angle = multiply(t, ratio);
  VectorOperand isLarge = round(RoundMode::Floor, atMost(magnitude, 1));
  VectorOperand other = subtract(times(bounded, M_PI_2), times(angle, 2));
  return add(angle, multiply(isLarge, other));
}

/// (u + u / (u + 1)) / 2, where u = e^|x| - 1.
VectorOperand FunctionBuilder::sinh(const VectorOperand &x) {
  VectorOperand u = expm1(apply(UnaryKind::Abs, x));
  // u / (u + 1) is 1 - 1 / (u + 1) where u is infinite.
  VectorOperand small = atMost(u, 1e30);
  VectorOperand sum = add(u, divide(small, plus(small, 1)));
  return multiply(times(sum, 0.5), sign(x));
}

/// The magnitude of x with the sign of the other operand.
FailureOr<VectorOperand> FunctionBuilder::copySign(Operation *op,
                                                   const VectorOperand &x) {
  auto copy = cast<math::CopySignOp>(op);
  FailureOr<VectorOperand> y = v.getOperand(copy.getRhs());
  if (succeeded(y))
    y = v.convert(*y, copy.getType(), single);
  if (succeeded(y))
    y = v.spread(*y, x.shape);
  if (failed(y))
    return failure();
  // The bits of -0 are the sign alone.
  VectorOperand zero;
  zero.scalar = constant(-0.0);
  return combine(BinaryKind::Or, apply(UnaryKind::Abs, x),
                 combine(BinaryKind::And, *y, zero));
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

template <typename OpTy>
static void addEntry(llvm::StringMap<FunctionBuilder::Formula> &table,
                     FunctionBuilder::Formula formula) {
  table[OpTy::getOperationName()] = formula;
}

using F = FunctionBuilder;
using Operand = VectorOperand;

void FunctionBuilder::addInstructions(llvm::StringMap<Formula> &table) {
  addEntry<arith::NegFOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.times(x, -1);
  });
  addEntry<math::AbsFOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.apply(UnaryKind::Abs, x);
  });
  addEntry<math::ExpOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.apply(UnaryKind::Exp, x);
  });
  addEntry<math::Exp2Op>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.apply(UnaryKind::Exp, f.times(x, M_LN2));
  });
  addEntry<math::LogOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.apply(UnaryKind::Ln, x);
  });
  addEntry<math::Log2Op>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.times(f.apply(UnaryKind::Ln, x), 1 / M_LN2);
  });
  addEntry<math::Log10Op>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.times(f.apply(UnaryKind::Ln, x), M_LOG10E);
  });
  addEntry<math::SqrtOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.apply(UnaryKind::Sqrt, x);
  });
  // The instruction for this is an approximation.
  addEntry<math::RsqrtOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.over(1, f.apply(UnaryKind::Sqrt, x));
  });
  addEntry<math::FloorOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.round(RoundMode::Floor, x);
  });
  addEntry<math::CeilOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.round(RoundMode::Ceil, x);
  });
  addEntry<math::TruncOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.round(RoundMode::Trunc, x);
  });
  addEntry<math::RoundOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.round(RoundMode::Round, x);
  });
  addEntry<math::RoundEvenOp>(table,
                              [](F &f, auto *, const Operand &x) -> Result {
                                return f.round(RoundMode::RInt, x);
                              });
  addEntry<math::CopySignOp>(table, [](F &f, Operation *op, const Operand &x) {
    return f.copySign(op, x);
  });
}

void FunctionBuilder::addFormulas(llvm::StringMap<Formula> &table) {
  addEntry<math::ErfOp>(
      table, [](F &f, auto *, const Operand &x) -> Result { return f.erf(x); });
  addEntry<math::ExpM1Op>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.expm1(x);
  });
  addEntry<math::Log1pOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.log1p(x);
  });
  addEntry<math::SinOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.sine(x, 0);
  });
  addEntry<math::CosOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.sine(x, 0.5);
  });
  addEntry<math::TanOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.divide(f.sine(x, 0), f.sine(x, 0.5));
  });
  addEntry<math::AtanOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.atan(x);
  });
  // (1 - x) (1 + x) loses nothing next to 1.
  addEntry<math::AsinOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    Operand rest = f.multiply(f.plus(f.times(x, -1), 1), f.plus(x, 1));
    return f.atan(f.divide(x, f.apply(UnaryKind::Sqrt, rest)));
  });
  addEntry<math::AcosOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    Operand ratio = f.divide(f.plus(f.times(x, -1), 1), f.plus(x, 1));
    return f.times(f.atan(f.apply(UnaryKind::Sqrt, ratio)), 2);
  });
  addEntry<math::SinhOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.sinh(x);
  });
  addEntry<math::CoshOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    Operand e = f.apply(UnaryKind::Exp, f.apply(UnaryKind::Abs, x));
    return f.times(f.add(e, f.over(1, e)), 0.5);
  });
  addEntry<math::TanhOp>(table, [](F &f, auto *, const Operand &x) -> Result {
    return f.tanh(x);
  });
}

FunctionBuilder::Formula FunctionBuilder::find(Operation *op) {
  static const llvm::StringMap<Formula> table = [] {
    llvm::StringMap<Formula> table;
    addInstructions(table);
    addFormulas(table);
    return table;
  }();
  return table.lookup(op->getName().getStringRef());
}

LogicalResult mlir::tile::ascend::createFunction(Vectorizer &v, Operation *op) {
  Type element = op->getResult(0).getType();
  if (!isa<FloatType>(element))
    return v.emitError() << "'" << op->getName() << "' of " << element
                         << " has no vector instruction";
  FunctionBuilder::Formula formula = FunctionBuilder::find(op);
  if (!formula)
    return v.emitError()
           << "'" << op->getName()
           << "' has no vector instruction and no formula; write one with "
              "exp, log, sqrt and arith";
  FailureOr<VectorOperand> source = v.getOperand(op->getOperand(0));
  if (failed(source))
    return failure();
  // Functions of half precision are not accurate enough.
  Type compute = v.b.getF32Type();
  FailureOr<VectorOperand> x = v.convert(*source, element, compute);
  if (succeeded(x))
    x = v.spread(*x, VectorShape::Full);
  if (failed(x))
    return failure();
  FunctionBuilder builder(v);
  FailureOr<VectorOperand> value = formula(builder, op, *x);
  if (succeeded(value))
    value = v.convert(*value, compute, element);
  if (failed(value))
    return failure();
  v.define(op->getResult(0), *value);
  return success();
}
