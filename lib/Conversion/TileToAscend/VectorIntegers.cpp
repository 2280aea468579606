//===- VectorIntegers.cpp - integers of 8 bits, and unsigned ones ---------===//
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

#include "VectorIntegers.h"

#include "Vectorizer.h"

using namespace mlir;
using namespace mlir::tile::ascend;

Type mlir::tile::ascend::getHeldType(VectorBuilder &v, Type element) {
  return element.isInteger(8) ? Type(v.b.getI16Type()) : element;
}

/// Back to the range of 8-bit integers.
VectorOperand mlir::tile::ascend::wrap(VectorBuilder &v,
                                       const VectorOperand &operand,
                                       Type element) {
  if (!element.isInteger(8))
    return operand;
  return VectorOperand{operand.shape,
                       createWrap(v.l, v.loc(), operand.matrix, 8), Value()};
}

/// As an unsigned number, in a type that has all of them: i16 for i8, i32 for
/// i16.
FailureOr<VectorOperand> mlir::tile::ascend::zeroExtend(VectorBuilder &v,
                                                        VectorOperand operand,
                                                        Type element) {
  bool isByte = element.isInteger(8);
  Type wide = isByte ? Type(v.b.getI16Type()) : Type(v.b.getI32Type());
  FailureOr<VectorOperand> value = operand;
  if (!isByte)
    value = v.convert(operand, element, wide);
  if (failed(value))
    return failure();
  VectorOperand low;
  low.scalar = v.l.constantOf(v.loc(), wide, isByte ? 0xff : 0xffff);
  return v.combine(BinaryKind::And, *value, low, wide);
}

/// Unsigned numbers in the order of signed ones: the sign bit is flipped.
FailureOr<VectorOperand> mlir::tile::ascend::flipSign(VectorBuilder &v,
                                                      VectorOperand operand,
                                                      Type element) {
  Type held = getHeldType(v, element);
  Value bias = arith::ConstantOp::create(
      v.b, v.loc(),
      v.b.getIntegerAttr(
          held, APInt::getSignedMinValue(element.getIntOrFloatBitWidth())
                    .sext(held.getIntOrFloatBitWidth())));
  if (operand.shape != VectorShape::Scalar)
    return wrap(v, v.applyScalar(ScalarKind::Adds, operand, bias, held),
                element);
  Value sum = arith::AddIOp::create(v.b, v.loc(), operand.scalar, bias);
  if (held != element)
    sum = arith::ExtSIOp::create(
        v.b, v.loc(), held,
        arith::TruncIOp::create(v.b, v.loc(), element, sum));
  operand.scalar = sum;
  return operand;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult mlir::tile::ascend::createUnsignedLimit(Vectorizer &v,
                                                      Operation *op) {
  Type element = op->getResult(0).getType(), held = getHeldType(v, element);
  BinaryKind kind = isa<arith::MaxUIOp>(op) ? BinaryKind::Max : BinaryKind::Min;
  FailureOr<VectorOperand> a = v.getHeld(op->getOperand(0)),
                           c = v.getHeld(op->getOperand(1));
  if (failed(a) || failed(c))
    return failure();
  if (!supports(v.l, "Max", held))
    return computeElements(v, op);
  a = flipSign(v, *a, element);
  c = flipSign(v, *c, element);
  if (failed(a) || failed(c))
    return failure();
  FailureOr<VectorOperand> limit = v.combine(kind, *a, *c, held);
  if (succeeded(limit))
    limit = flipSign(v, *limit, element);
  if (failed(limit))
    return failure();
  v.define(op->getResult(0), *limit);
  return success();
}

/// (x | y) - (x & y)
LogicalResult mlir::tile::ascend::createExclusiveOr(Vectorizer &v,
                                                    Operation *op) {
  Type element = op->getResult(0).getType(), held = getHeldType(v, element);
  if (!held.isInteger(16) && !held.isInteger(32))
    return computeElements(v, op);
  FailureOr<VectorOperand> a = v.getHeld(op->getOperand(0)),
                           c = v.getHeld(op->getOperand(1));
  if (failed(a) || failed(c))
    return failure();
  FailureOr<VectorOperand> any = v.combine(BinaryKind::Or, *a, *c, held),
                           both = v.combine(BinaryKind::And, *a, *c, held);
  if (failed(any) || failed(both))
    return failure();
  FailureOr<VectorOperand> value =
      v.combine(BinaryKind::Sub, *any, *both, held);
  if (failed(value))
    return failure();
  v.define(op->getResult(0), *value);
  return success();
}

LogicalResult mlir::tile::ascend::createShift(Vectorizer &v, Operation *op) {
  Type element = op->getResult(0).getType(), held = getHeldType(v, element);
  FailureOr<VectorOperand> value = v.getHeld(op->getOperand(0)),
                           amount = v.getHeld(op->getOperand(1));
  if (failed(value) || failed(amount))
    return failure();
  // Vectors are shifted by one amount, the same for all iterations.
  if (!supports(v.l, "ShiftLeft", held) ||
      amount->shape != VectorShape::Scalar ||
      value->shape == VectorShape::Scalar)
    return computeElements(v, op);
  ScalarKind kind = isa<arith::ShLIOp>(op)    ? ScalarKind::Shl
                    : isa<arith::ShRSIOp>(op) ? ScalarKind::Shrs
                                              : ScalarKind::Shru;
  if (kind == ScalarKind::Shru && held != element)
    value = zeroExtend(v, *value, element);
  if (failed(value))
    return failure();
  VectorOperand shifted = v.applyScalar(kind, *value, amount->scalar, held);
  v.define(op->getResult(0),
           kind == ScalarKind::Shrs ? shifted : wrap(v, shifted, element));
  return success();
}
