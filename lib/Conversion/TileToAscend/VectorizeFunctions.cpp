//===- VectorizeFunctions.cpp - functions that are no instruction ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Functions of f32 from the instructions that there are. None of them chooses
// between two formulas, which would need whole vectors: parts that a number
// does not take part in become 0.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tile::ascend;

namespace mlir::tile::ascend {

class Vectorizer::Functions {
public:
  explicit Functions(Vectorizer &v) : v(v), single(v.b.getF32Type()) {}

  FailureOr<Operand> compute(Operation *op, const Operand &x);

private:
  Operand plus(const Operand &x, double c) {
    return v.applyScalar(ScalarKind::Adds, x, constant(c), single);
  }
  Operand times(const Operand &x, double c) {
    return v.applyScalar(ScalarKind::Muls, x, constant(c), single);
  }
  Operand atMost(const Operand &x, double c) {
    return v.applyScalar(ScalarKind::Mins, x, constant(c), single);
  }
  Operand atLeast(const Operand &x, double c) {
    return v.applyScalar(ScalarKind::Maxs, x, constant(c), single);
  }
  Operand clamp(const Operand &x, double c) {
    return atLeast(atMost(x, c), -c);
  }
  Operand apply(UnaryKind kind, const Operand &x) {
    return v.applyUnary(kind, x, single);
  }
  Operand combine(BinaryKind kind, const Operand &x, const Operand &y) {
    // Values of f32 always combine.
    return *v.combine(kind, x, y, single);
  }
  Operand add(const Operand &x, const Operand &y) {
    return combine(BinaryKind::Add, x, y);
  }
  Operand subtract(const Operand &x, const Operand &y) {
    return combine(BinaryKind::Sub, x, y);
  }
  Operand multiply(const Operand &x, const Operand &y) {
    return combine(BinaryKind::Mul, x, y);
  }
  Operand divide(const Operand &x, const Operand &y) {
    return combine(BinaryKind::Div, x, y);
  }
  Operand over(double c, const Operand &x) {
    Operand dividend;
    dividend.scalar = constant(c);
    return divide(dividend, x);
  }
  Value constant(double c) { return v.l.constantOf(v.loc(), single, c); }

  Operand round(RoundMode mode, const Operand &x);
  Operand polynomial(const Operand &x, ArrayRef<double> coefficients);
  Operand sign(const Operand &x);
  Operand erf(const Operand &x);
  Operand expm1(const Operand &x);
  Operand log1p(const Operand &x);
  Operand sine(const Operand &x, double phase);
  Operand atan(const Operand &x);
  Operand sinh(const Operand &x);

  Vectorizer &v;
  Type single;
};

} // namespace mlir::tile::ascend

Vectorizer::Operand Vectorizer::Functions::round(RoundMode mode,
                                                 const Operand &x) {
  Operand result;
  result.shape = x.shape;
  result.matrix = v.createTemp(x.shape, single);
  CastOp::create(v.b, v.loc(), mode, result.matrix, x.matrix);
  return result;
}

/// The coefficient of the highest power first.
Vectorizer::Operand
Vectorizer::Functions::polynomial(const Operand &x,
                                  ArrayRef<double> coefficients) {
  Operand sum = plus(times(x, coefficients[0]), coefficients[1]);
  for (double coefficient : coefficients.drop_front(2))
    sum = plus(multiply(sum, x), coefficient);
  return sum;
}

/// 1 or -1, of zeros, too: their reciprocals are infinite.
Vectorizer::Operand Vectorizer::Functions::sign(const Operand &x) {
  return clamp(over(1, clamp(x, 1)), 1);
}

/// x P(x^2) / Q(x^2), as XLA has it; 1 from 4 on.
Vectorizer::Operand Vectorizer::Functions::erf(const Operand &x) {
  Operand bounded = clamp(x, 4), square = multiply(bounded, bounded);
  Operand p = polynomial(square, {-2.72614225801306e-10, 2.77068142495902e-08,
                                  -2.10102402082508e-06, -5.69250639462346e-05,
                                  -7.34990630326855e-04, -2.95459980854025e-03,
                                  -1.60960333262415e-02});
  Operand q = polynomial(square, {-1.45660718464996e-05, -2.13374055278905e-04,
                                  -1.68282697438203e-03, -7.37332916720468e-03,
                                  -1.42647390514189e-02});
  return clamp(divide(multiply(bounded, p), q), 1);
}

/// A series next to 0, where e^x - 1 cancels.
Vectorizer::Operand Vectorizer::Functions::expm1(const Operand &x) {
  Operand n = round(RoundMode::RInt, times(x, 1 / M_LN2));
  Operand isFar = atMost(apply(UnaryKind::Abs, n), 1);
  Operand series = polynomial(clamp(x, 0.35), {1.0 / 5040, 1.0 / 720, 1.0 / 120,
                                               1.0 / 24, 1.0 / 6, 0.5, 1, 0});
  Operand near = multiply(series, plus(times(isFar, -1), 1));
  return add(multiply(plus(apply(UnaryKind::Exp, x), -1), isFar), near);
}

/// ln u + (x - (u - 1)) / u, where u = 1 + x as it is rounded.
Vectorizer::Operand Vectorizer::Functions::log1p(const Operand &x) {
  constexpr double largest = 3.4028234663852886e38;
  Operand u = plus(x, 1);
  Operand lost = subtract(atMost(x, largest), plus(atMost(u, largest), -1));
  return add(apply(UnaryKind::Ln, u), divide(lost, atLeast(u, 1e-30)));
}

/// sin (x + phase pi), where the phase is 0 or 1/2.
Vectorizer::Operand Vectorizer::Functions::sine(const Operand &x,
                                                double phase) {
  // x + phase pi = k pi + r
  Operand k = round(RoundMode::RInt, plus(times(x, 1 / M_PI), phase));
  Operand n = plus(k, -phase);
  // Parts of pi of few bits, so that multiples of the first ones are exact.
  Operand r = x;
  for (double part :
       {3.140625, 9.67502593994140625e-4, 1.509957990978376432e-7})
    r = subtract(r, times(n, part));
  Operand square = multiply(r, r);
  Operand series =
      polynomial(square, {1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                          -1.0 / 5040, 1.0 / 120, -1.0 / 6});
  Operand value = add(r, multiply(multiply(r, square), series));
  // An odd k turns the sign.
  Operand isOdd = subtract(k, times(round(RoundMode::Floor, times(k, 0.5)), 2));
  return multiply(value, plus(times(isOdd, -2), 1));
}

/// pi/2 - atan (1/x) above 1.
Vectorizer::Operand Vectorizer::Functions::atan(const Operand &x) {
  Operand magnitude = apply(UnaryKind::Abs, x), bounded = clamp(x, 1);
  Operand t = divide(bounded, atLeast(magnitude, 1));
  // Abramowitz and Stegun, 4.4.49
  Operand ratio =
      polynomial(multiply(t, t),
                 {0.0028662257, -0.0161657367, 0.0429096138, -0.0752896400,
                  0.1065626393, -0.1420889944, 0.1999355085, -0.3333314528, 1});
  Operand angle = multiply(t, ratio);
  Operand isLarge = round(RoundMode::Floor, atMost(magnitude, 1));
  Operand other = subtract(times(bounded, M_PI_2), times(angle, 2));
  return add(angle, multiply(isLarge, other));
}

/// (u + u / (u + 1)) / 2, where u = e^|x| - 1.
Vectorizer::Operand Vectorizer::Functions::sinh(const Operand &x) {
  Operand u = expm1(apply(UnaryKind::Abs, x));
  // u / (u + 1) is 1 - 1 / (u + 1) where u is infinite.
  Operand small = atMost(u, 1e30);
  Operand sum = add(u, divide(small, plus(small, 1)));
  return multiply(times(sum, 0.5), sign(x));
}

FailureOr<Vectorizer::Operand>
Vectorizer::Functions::compute(Operation *op, const Operand &x) {
  using Result = FailureOr<Operand>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<math::FloorOp>([&](auto) { return round(RoundMode::Floor, x); })
      .Case<math::CeilOp>([&](auto) { return round(RoundMode::Ceil, x); })
      .Case<math::TruncOp>([&](auto) { return round(RoundMode::Trunc, x); })
      .Case<math::RoundOp>([&](auto) { return round(RoundMode::Round, x); })
      .Case<math::RoundEvenOp>([&](auto) { return round(RoundMode::RInt, x); })
      .Case<math::ErfOp>([&](auto) { return erf(x); })
      .Case<math::ExpM1Op>([&](auto) { return expm1(x); })
      .Case<math::Log1pOp>([&](auto) { return log1p(x); })
      .Case<math::Log10Op>(
          [&](auto) { return times(apply(UnaryKind::Ln, x), M_LOG10E); })
      .Case<math::SinOp>([&](auto) { return sine(x, 0); })
      .Case<math::CosOp>([&](auto) { return sine(x, 0.5); })
      .Case<math::TanOp>([&](auto) { return divide(sine(x, 0), sine(x, 0.5)); })
      .Case<math::AtanOp>([&](auto) { return atan(x); })
      .Case<math::AsinOp>([&](auto) {
        // (1 - x) (1 + x) loses nothing next to 1.
        Operand rest = multiply(plus(times(x, -1), 1), plus(x, 1));
        return atan(divide(x, apply(UnaryKind::Sqrt, rest)));
      })
      .Case<math::AcosOp>([&](auto) {
        Operand ratio = divide(plus(times(x, -1), 1), plus(x, 1));
        return times(atan(apply(UnaryKind::Sqrt, ratio)), 2);
      })
      .Case<math::SinhOp>([&](auto) { return sinh(x); })
      .Case<math::CoshOp>([&](auto) {
        Operand e = apply(UnaryKind::Exp, apply(UnaryKind::Abs, x));
        return times(add(e, over(1, e)), 0.5);
      })
      .Case<math::CopySignOp>([&](auto copy) -> Result {
        Result y = v.getOperand(copy.getRhs());
        if (succeeded(y))
          y = v.convert(*y, copy.getType(), single);
        if (failed(y))
          return failure();
        y = v.spread(*y, x.shape);
        if (failed(y))
          return failure();
        return multiply(apply(UnaryKind::Abs, x), sign(*y));
      })
      .Default([&](Operation *) -> Result {
        return v.emitError()
               << "'" << op->getName()
               << "' has no vector instruction, and no formula of those that "
                  "there are; write one with exp, log, sqrt and arith";
      });
}

/// A vector in place of a scalar.
FailureOr<Vectorizer::Operand> Vectorizer::spread(const Operand &operand,
                                                  Shape shape) {
  if (operand.shape != Shape::Scalar)
    return operand;
  FailureOr<Value> matrix = materialize(operand, shape, b.getF32Type());
  if (failed(matrix))
    return failure();
  return Operand{shape, *matrix, Value()};
}

FailureOr<Vectorizer::Operand> Vectorizer::computeFunction(Operation *op,
                                                           const Operand &x) {
  FailureOr<Operand> vector = spread(x, Shape::Full);
  if (failed(vector))
    return failure();
  return Functions(*this).compute(op, *vector);
}
