//===- VectorizeIntegers.cpp - integers as vectors
//--------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The vector unit does not compute with 8-bit integers. They are held as 16-bit
// integers of the same signed value; after an operation that may leave the
// range, the low half is taken, with its sign.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

using namespace mlir;
using namespace mlir::tile::ascend;

Type Vectorizer::getHeldType(Type element) {
  return element.isInteger(8) ? Type(b.getI16Type()) : element;
}

/// The value as it is held.
FailureOr<Vectorizer::Operand> Vectorizer::getHeld(Value value) {
  FailureOr<Operand> operand = getOperand(value);
  if (succeeded(operand) && operand->scalar && value.getType().isInteger(8))
    operand->scalar =
        arith::ExtSIOp::create(b, loc(), b.getI16Type(), operand->scalar);
  return operand;
}

/// Back to the range of 8-bit integers.
Vectorizer::Operand Vectorizer::wrap(const Operand &operand, Type element) {
  if (!element.isInteger(8))
    return operand;
  return Operand{operand.shape, createWrap(l, loc(), operand.matrix, 8),
                 Value()};
}

/// As an unsigned number, in a type that has all of them: i16 for i8, i32 for
/// i16.
FailureOr<Vectorizer::Operand> Vectorizer::zeroExtend(Operand operand,
                                                      Type element) {
  bool isByte = element.isInteger(8);
  Type wide = isByte ? Type(b.getI16Type()) : Type(b.getI32Type());
  FailureOr<Operand> value = operand;
  if (!isByte)
    value = convert(operand, element, wide);
  if (failed(value))
    return failure();
  Operand low;
  low.scalar = l.constantOf(loc(), wide, isByte ? 0xff : 0xffff);
  return combine(BinaryKind::And, *value, low, wide);
}

/// Unsigned numbers in the order of signed ones: the sign bit is flipped.
FailureOr<Vectorizer::Operand> Vectorizer::flipSign(Operand operand,
                                                    Type element) {
  Type held = getHeldType(element);
  Value bias = arith::ConstantOp::create(
      b, loc(),
      b.getIntegerAttr(held,
                       APInt::getSignedMinValue(element.getIntOrFloatBitWidth())
                           .sext(held.getIntOrFloatBitWidth())));
  if (operand.shape != Shape::Scalar)
    return wrap(applyScalar(ScalarKind::Adds, operand, bias, held), element);
  Value sum = arith::AddIOp::create(b, loc(), operand.scalar, bias);
  if (held != element)
    sum = arith::ExtSIOp::create(
        b, loc(), held, arith::TruncIOp::create(b, loc(), element, sum));
  operand.scalar = sum;
  return operand;
}

LogicalResult Vectorizer::createUnsignedLimit(Operation *op) {
  Type element = op->getResult(0).getType(), held = getHeldType(element);
  BinaryKind kind = isa<arith::MaxUIOp>(op) ? BinaryKind::Max : BinaryKind::Min;
  FailureOr<Operand> a = getHeld(op->getOperand(0)),
                     c = getHeld(op->getOperand(1));
  if (failed(a) || failed(c))
    return failure();
  if (!supports(l, "Max", held))
    return emitError() << "the vector unit has no Max for " << element;
  a = flipSign(*a, element);
  c = flipSign(*c, element);
  if (failed(a) || failed(c))
    return failure();
  FailureOr<Operand> limit = combine(kind, *a, *c, held);
  if (succeeded(limit))
    limit = flipSign(*limit, element);
  if (failed(limit))
    return failure();
  define(op->getResult(0), *limit);
  return success();
}

/// (x | y) - (x & y)
LogicalResult Vectorizer::createExclusiveOr(Operation *op) {
  Type element = op->getResult(0).getType(), held = getHeldType(element);
  if (!held.isInteger(16) && !held.isInteger(32))
    return emitError() << "the vector unit has no bit operations for "
                       << element;
  FailureOr<Operand> a = getHeld(op->getOperand(0)),
                     c = getHeld(op->getOperand(1));
  if (failed(a) || failed(c))
    return failure();
  FailureOr<Operand> any = combine(BinaryKind::Or, *a, *c, held),
                     both = combine(BinaryKind::And, *a, *c, held);
  if (failed(any) || failed(both))
    return failure();
  FailureOr<Operand> value = combine(BinaryKind::Sub, *any, *both, held);
  if (failed(value))
    return failure();
  define(op->getResult(0), *value);
  return success();
}

LogicalResult Vectorizer::createShift(Operation *op) {
  Type element = op->getResult(0).getType(), held = getHeldType(element);
  FailureOr<Operand> value = getHeld(op->getOperand(0)),
                     amount = getHeld(op->getOperand(1));
  if (failed(value) || failed(amount))
    return failure();
  if (!supports(l, "ShiftLeft", held))
    return emitError() << "the vector unit has no shifts for " << element;
  if (amount->shape != Shape::Scalar || value->shape == Shape::Scalar)
    return emitError() << "the vector unit shifts vectors by one amount, the "
                          "same for all iterations; multiply by a power of two";
  ScalarKind kind = isa<arith::ShLIOp>(op)    ? ScalarKind::Shl
                    : isa<arith::ShRSIOp>(op) ? ScalarKind::Shrs
                                              : ScalarKind::Shru;
  if (kind == ScalarKind::Shru && held != element)
    value = zeroExtend(*value, element);
  if (failed(value))
    return failure();
  Operand shifted = applyScalar(kind, *value, amount->scalar, held);
  define(op->getResult(0),
         kind == ScalarKind::Shrs ? shifted : wrap(shifted, element));
  return success();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Integers and floats of another type.
FailureOr<Vectorizer::Operand>
Vectorizer::convertValue(Operation *op, Operand operand, Type from, Type to) {
  Type held = getHeldType(from), goal = getHeldType(to);
  FailureOr<Operand> value = operand;
  if (isa<arith::ExtUIOp, arith::UIToFPOp>(op)) {
    if (!from.isInteger(8) && !from.isInteger(16))
      return emitError() << "expected an unsigned conversion of i8 or i16, got "
                         << from;
    value = zeroExtend(operand, from);
    held = from.isInteger(8) ? Type(b.getI16Type()) : Type(b.getI32Type());
  }
  if (isa<arith::FPToUIOp>(op)) {
    if (!to.isInteger(8) && !to.isInteger(16))
      return emitError() << "expected an unsigned conversion to i8 or i16, got "
                         << to;
    // The next wider type has all of them; the low half is what is stored.
    Type wide = to.isInteger(8) ? Type(b.getI16Type()) : Type(b.getI32Type());
    value = convert(operand, held, wide);
    held = wide;
  }
  if (failed(value))
    return failure();
  bool isNarrower = isa<IntegerType>(held) && isa<IntegerType>(to) &&
                    held.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  bool wraps = isa<arith::TruncIOp, arith::FPToUIOp>(op);
  if (isNarrower && wraps) {
    if (!supports(l, "ShiftLeft", held))
      return emitError() << "the vector unit has no shifts for " << from;
    value->matrix =
        createWrap(l, loc(), value->matrix, to.getIntOrFloatBitWidth());
  }
  if (held == goal)
    return value;
  Operand result;
  result.shape = value->shape;
  result.matrix = createTemp(value->shape, goal);
  if (failed(createCast(l, current, result.matrix, value->matrix,
                        /*fits=*/true)))
    return failure();
  return result;
}

LogicalResult Vectorizer::createConversion(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  Type from = source.getType(), to = result.getType();
  if (from.isInteger(1))
    return createFlagValue(op);
  FailureOr<Operand> operand = getHeld(source);
  if (failed(operand))
    return failure();
  if (to.isInteger(1))
    return createLowBit(result, *operand, getHeldType(from));
  FailureOr<Operand> value = convertValue(op, *operand, from, to);
  if (failed(value))
    return failure();
  define(result, *value);
  // Both values are one matrix, which neither may leave.
  if (value->matrix == operand->matrix)
    temps.erase(value->matrix);
  return success();
}

/// A number for a condition: -1 stands for true where it is signed.
LogicalResult Vectorizer::createFlagValue(Operation *op) {
  Type to = op->getResult(0).getType(), goal = getHeldType(to);
  FailureOr<Operand> flags = getCondition(op->getOperand(0));
  if (failed(flags))
    return failure();
  Type single = b.getF32Type();
  if (isa<arith::ExtSIOp, arith::SIToFPOp>(op))
    flags = applyScalar(ScalarKind::Muls, *flags,
                        l.constantOf(loc(), single, -1), single);
  FailureOr<Operand> value = convert(*flags, single, goal);
  if (failed(value))
    return failure();
  define(op->getResult(0), *value);
  return success();
}

/// The lowest bit as a condition.
LogicalResult Vectorizer::createLowBit(Value result, const Operand &operand,
                                       Type held) {
  Operand one;
  one.scalar = l.constantOf(loc(), held, 1);
  if (!held.isInteger(16) && !held.isInteger(32))
    return emitError() << "the vector unit has no bit operations for " << held;
  FailureOr<Operand> bit = combine(BinaryKind::And, operand, one, held);
  if (succeeded(bit))
    bit = convert(*bit, held, b.getF32Type());
  if (failed(bit))
    return failure();
  masks[result] = getFlagMask(*bit);
  return success();
}

/// An index as a number: a linear function of the iteration variables.
LogicalResult Vectorizer::createIndexValue(Operation *op) {
  Value result = op->getResult(0);
  std::optional<Linear> index = linear.get(op->getOperand(0));
  Type single = b.getF32Type(), word = b.getI32Type();
  Type goal = getHeldType(result.getType());
  if (!index || result.getType().isIndex())
    return emitNoForm(result);
  int64_t columnStep = index->coefficients[dims.back()];
  int64_t rowStep = rows ? index->coefficients[dims[dims.size() - 2]] : 0;
  int64_t range =
      std::abs(columnStep) * columns + std::abs(rowStep) * rows.value_or(0);
  if (range >= int64_t(1) << 24 || (goal != word && !goal.isInteger(16)))
    return emitError() << "expected an index as i8, i16 or i32 that ranges "
                          "over less than 2^24 values, got "
                       << result.getType() << " and " << range;
  FailureOr<Operand> steps = createIndexMatrix(rowStep, columnStep);
  if (succeeded(steps))
    steps = convert(*steps, single, word);
  if (failed(steps))
    return failure();
  Value offset = arith::IndexCastOp::create(b, loc(), word,
                                            linear.getUniform(loc(), *index));
  Operand value = applyScalar(ScalarKind::Adds, *steps, offset, word);
  if (goal != word) {
    value.matrix = createWrap(l, loc(), value.matrix,
                              result.getType().getIntOrFloatBitWidth());
    FailureOr<Operand> narrow = convert(value, word, goal);
    if (failed(narrow))
      return failure();
    value = *narrow;
  }
  define(result, value);
  return success();
}
