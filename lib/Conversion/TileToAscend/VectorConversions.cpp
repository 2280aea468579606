//===- VectorConversions.cpp - conversions of element types ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorIntegers.h"
#include "Vectorizer.h"

using namespace mlir;
using namespace mlir::tile::ascend;

/// Vectors have no i64: the only ones are indices on their way to a float,
/// which are held in 32 bits.
static Type getSourceType(VectorBuilder &v, Value source) {
  bool isIndex = source.getType().isInteger(64) &&
                 source.getDefiningOp<arith::IndexCastOp>();
  return isIndex ? Type(v.b.getI32Type()) : source.getType();
}

/// Within the range of the integers that a float becomes, where they are held
/// in more bits. Conversions of the chip saturate.
static void saturate(VectorBuilder &v, VectorOperand &value, Type held,
                     APInt least, APInt most) {
  auto limit = [&](ScalarKind kind, int64_t number) {
    value =
        v.applyScalar(kind, value, v.l.constantOf(v.loc(), held, number), held);
  };
  limit(ScalarKind::Maxs, least.getSExtValue());
  limit(ScalarKind::Mins, most.getSExtValue());
}

/// Integers and floats of another type.
static FailureOr<VectorOperand> convertValue(Vectorizer &v, Operation *op,
                                             VectorOperand operand, Type from,
                                             Type to) {
  Type held = getHeldType(v, from), goal = getHeldType(v, to);
  FailureOr<VectorOperand> value = operand;
  if (isa<arith::ExtUIOp, arith::UIToFPOp>(op)) {
    if (!from.isInteger(8) && !from.isInteger(16))
      return v.emitError()
             << "expected an unsigned conversion of i8 or i16, got " << from
             << "; convert it as a signed number if it is below 2^31";
    value = zeroExtend(v, operand, from);
    held = from.isInteger(8) ? Type(v.b.getI16Type()) : Type(v.b.getI32Type());
  }
  if (isa<arith::FPToUIOp>(op)) {
    if (!to.isInteger(8) && !to.isInteger(16))
      return v.emitError()
             << "expected an unsigned conversion to i8 or i16, got " << to;
    // The next wider type has all of them; the low half is what is stored.
    Type wide =
        to.isInteger(8) ? Type(v.b.getI16Type()) : Type(v.b.getI32Type());
    value = v.convert(operand, held, wide);
    held = wide;
  }
  if (failed(value))
    return failure();
  if (isa<arith::FPToSIOp>(op) && to.isInteger(8)) {
    value = v.convert(*value, held, goal);
    if (failed(value))
      return failure();
    held = goal;
    saturate(v, *value, held, APInt::getSignedMinValue(8),
             APInt::getSignedMaxValue(8));
  }
  if (isa<arith::FPToUIOp>(op))
    saturate(v, *value, held, APInt(32, 0),
             APInt::getMaxValue(to.getIntOrFloatBitWidth()).zext(32));
  bool isNarrower = isa<IntegerType>(held) && isa<IntegerType>(to) &&
                    held.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  bool wraps = isa<arith::TruncIOp, arith::FPToUIOp>(op);
  if (isNarrower && wraps)
    value->matrix =
        createWrap(v.l, v.loc(), value->matrix, to.getIntOrFloatBitWidth());
  if (held == goal)
    return value;
  VectorOperand result;
  result.shape = value->shape;
  result.matrix = v.createTemp(value->shape, goal);
  if (failed(createCast(v.l, v.current, result.matrix, value->matrix,
                        /*fits=*/true)))
    return failure();
  return result;
}

/// A number for a condition: -1 stands for true where it is signed.
static LogicalResult createFlagValue(Vectorizer &v, Operation *op) {
  Type to = op->getResult(0).getType(), goal = getHeldType(v, to);
  FailureOr<VectorOperand> flags = v.getCondition(op->getOperand(0));
  if (failed(flags))
    return failure();
  Type single = v.b.getF32Type();
  if (isa<arith::ExtSIOp, arith::SIToFPOp>(op))
    flags = v.applyScalar(ScalarKind::Muls, *flags,
                          v.l.constantOf(v.loc(), single, -1), single);
  FailureOr<VectorOperand> value = v.convert(*flags, single, goal);
  if (failed(value))
    return failure();
  v.define(op->getResult(0), *value);
  return success();
}

/// The lowest bit as a condition.
static LogicalResult createLowBit(Vectorizer &v, Value result,
                                  const VectorOperand &operand, Type held) {
  VectorOperand one;
  one.scalar = v.l.constantOf(v.loc(), held, 1);
  FailureOr<VectorOperand> bit = v.combine(BinaryKind::And, operand, one, held);
  if (succeeded(bit))
    bit = v.convert(*bit, held, v.b.getF32Type());
  if (failed(bit))
    return failure();
  v.masks[result] = getFlagMask(v, *bit);
  return success();
}

LogicalResult mlir::tile::ascend::createConversion(Vectorizer &v,
                                                   Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  Type from = getSourceType(v, source), to = result.getType();
  if (from.isInteger(1))
    return createFlagValue(v, op);
  // The vector unit neither wraps 64 bits nor extends 32 without a sign.
  if ((isa<arith::TruncIOp>(op) &&
       !supports(v.l, "ShiftLeft", getHeldType(v, from))) ||
      (isa<arith::ExtUIOp>(op) && from.isInteger(32)))
    return computeElements(v, op);
  FailureOr<VectorOperand> operand = v.getHeld(source);
  if (failed(operand))
    return failure();
  if (to.isInteger(1))
    return createLowBit(v, result, *operand, getHeldType(v, from));
  FailureOr<VectorOperand> value = convertValue(v, op, *operand, from, to);
  if (failed(value))
    return failure();
  v.define(result, *value);
  // Both values are one matrix, which neither may leave.
  if (value->matrix == operand->matrix)
    v.temps.erase(value->matrix);
  return success();
}

/// The bits in another type of their width.
LogicalResult mlir::tile::ascend::createBitcast(Vectorizer &v, Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  int64_t bits = to.getIntOrFloatBitWidth();
  FailureOr<VectorOperand> source = v.getHeld(op->getOperand(0));
  if (failed(source))
    return failure();
  if (bits != 16 && bits != 32)
    return v.emitError() << "bits of 16 or 32 are reinterpreted, got " << from
                         << " and " << to;
  if (source->shape == VectorShape::Scalar) {
    FailureOr<Value> whole = v.materialize(*source, VectorShape::Full, from);
    if (failed(whole))
      return failure();
    source = VectorOperand{VectorShape::Full, *whole, Value()};
  }
  VectorOperand result{source->shape, v.createTemp(source->shape, to), Value()};
  CopyUbOp::create(v.b, v.loc(), result.matrix, source->matrix);
  v.define(op->getResult(0), result);
  return success();
}

/// An index as a number: a linear function of the iteration variables, or what
/// the scalar unit computes.
LogicalResult mlir::tile::ascend::createIndexValue(Vectorizer &v,
                                                   Operation *op) {
  Value result = op->getResult(0);
  std::optional<Linear> index = v.linear.get(op->getOperand(0));
  Type single = v.b.getF32Type(), word = v.b.getI32Type();
  Type goal = getHeldType(v, result.getType());
  if (goal.isInteger(64) &&
      llvm::all_of(op->getUsers(), llvm::IsaPred<arith::SIToFPOp>))
    goal = word;
  if (!index)
    return computeElements(v, op);
  int64_t columnStep = index->coefficients[v.dims.back()];
  int64_t rowStep = v.rows ? index->coefficients[v.dims[v.dims.size() - 2]] : 0;
  int64_t range =
      std::abs(columnStep) * v.columns + std::abs(rowStep) * v.rows.value_or(0);
  // The steps come from floats, and the offset is a word.
  if (range >= int64_t(1) << 24 || (goal != word && !goal.isInteger(16)))
    return computeElements(v, op);
  FailureOr<VectorOperand> steps = v.createIndexMatrix(rowStep, columnStep);
  if (succeeded(steps))
    steps = v.convert(*steps, single, word);
  if (failed(steps))
    return failure();
  Value offset = arith::IndexCastOp::create(
      v.b, v.loc(), word, v.linear.getUniform(v.loc(), *index));
  VectorOperand value = v.applyScalar(ScalarKind::Adds, *steps, offset, word);
  if (goal != word) {
    value.matrix = createWrap(v.l, v.loc(), value.matrix,
                              result.getType().getIntOrFloatBitWidth());
    FailureOr<VectorOperand> narrow = v.convert(value, word, goal);
    if (failed(narrow))
      return failure();
    value = *narrow;
  }
  v.define(result, value);
  return success();
}
