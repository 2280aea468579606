//===- VectorElementwise.cpp - scalar arithmetic as vector instructions ---===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorIntegers.h"
#include "Vectorizer.h"
#include "WholeVectors.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tile::ascend;

static StringRef getTableName(BinaryKind kind) {
  static constexpr StringLiteral names[] = {"Add", "Sub", "Mul", "Div",
                                            "Max", "Min", "And", "Or"};
  return names[static_cast<unsigned>(kind)];
}

/// Whether a product and a sum of which this is one may be one instruction.
static bool mayContract(Operation *op) {
  auto math = dyn_cast<arith::ArithFastMathInterface>(op);
  return math && isa<arith::AddFOp, arith::MulFOp>(op) &&
         bitEnumContainsAny(math.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::contract);
}

/// Whether the sign of a zero may matter: where both may be zeros of other
/// signs. Against a constant +0, the instruction yields the constant.
static bool mayMixZeros(Operation *op, BinaryKind kind) {
  if (bitEnumContainsAny(
          cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue(),
          arith::FastMathFlags::nsz))
    return false;
  return llvm::none_of(op->getOperands(), [&](Value operand) {
    APFloat value(0.0);
    return matchPattern(operand, m_ConstantFloat(&value)) &&
           (!value.isZero() || value.isNegative() == (kind == BinaryKind::Min));
  });
}

/// arith.maximumf and minimumf: +0 is above -0. Of zeros that are equal, the
/// bits of +0 are those that both have, those of -0 what any has.
static FailureOr<VectorOperand> fixZeros(Vectorizer &v, BinaryKind kind,
                                         const VectorOperand &a,
                                         const VectorOperand &c,
                                         const VectorOperand &limit,
                                         Type element) {
  FailureOr<VectorOperand> zero = v.combine(
      kind == BinaryKind::Max ? BinaryKind::And : BinaryKind::Or, a, c, element);
  FailureOr<Value> lhs = v.materialize(a, limit.shape, element),
                   rhs = v.materialize(c, limit.shape, element);
  if (failed(zero) || failed(lhs) || failed(rhs))
    return failure();
  WholeVectors vectors(v.l, v.loc(), limit.matrix);
  Value bits = vectors.compare(CompareMode::EQ, vectors.enter(*lhs),
                               vectors.enter(*rhs));
  Value whole = vectors.select(bits, vectors.enter(zero->matrix),
                               vectors.enter(limit.matrix));
  return VectorOperand{limit.shape, vectors.leave(whole), Value()};
}

template <BinaryKind kind>
static LogicalResult createBinary(Vectorizer &v, Operation *op) {
  Value result = op->getResult(0);
  FailureOr<VectorOperand> a = v.getHeld(op->getOperand(0)),
                           c = v.getHeld(op->getOperand(1));
  if (failed(a) || failed(c))
    return failure();
  Type element = result.getType(), held = getHeldType(v, element);
  bool isBits = kind == BinaryKind::And || kind == BinaryKind::Or;
  Type compute = getComputeType(v.l, getTableName(kind), held);
  if (isBits && held.isInteger(32))
    compute = held;
  if (compute != held && !isa<FloatType>(held))
    return computeElements(v, op);
  a = v.convert(*a, held, compute);
  c = v.convert(*c, held, compute);
  if (failed(a) || failed(c))
    return failure();
  FailureOr<VectorOperand> value =
      v.combine(kind, *a, *c, compute, mayContract(op));
  if (succeeded(value) && isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
      mayMixZeros(op, kind))
    value = fixZeros(v, kind, *a, *c, *value, compute);
  if (succeeded(value))
    value = v.convert(*value, compute, held);
  if (failed(value))
    return failure();
  bool grows = kind == BinaryKind::Add || kind == BinaryKind::Sub ||
               kind == BinaryKind::Mul;
  v.define(result, grows ? wrap(v, *value, element) : *value);
  return success();
}

/// What no instruction rounds once is computed in integers.
static LogicalResult computeExact(Vectorizer &v, Operation *op) {
  Type element = op->getResult(0).getType();
  if (element.isF32() || element.isF16() || element.isBF16())
    return computeElements(v, op);
  return v.emitError() << "'" << op->getName()
                       << "' takes f32, f16 and bf16, got " << element
                       << "; convert the operands";
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

using Converter = LogicalResult (*)(Vectorizer &v, Operation *op);

template <typename... OpTys>
static void add(llvm::StringMap<Converter> &table, Converter converter) {
  ((table[OpTys::getOperationName()] = converter), ...);
}

static llvm::StringMap<Converter> createTable() {
  llvm::StringMap<Converter> table;
  add<arith::AddFOp, arith::AddIOp>(table, createBinary<BinaryKind::Add>);
  add<arith::SubFOp, arith::SubIOp>(table, createBinary<BinaryKind::Sub>);
  add<arith::MulFOp, arith::MulIOp>(table, createBinary<BinaryKind::Mul>);
  add<arith::DivFOp>(table, createBinary<BinaryKind::Div>);
  add<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
      table, createBinary<BinaryKind::Max>);
  add<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
      table, createBinary<BinaryKind::Min>);
  add<arith::AndIOp>(table, createBinary<BinaryKind::And>);
  add<arith::OrIOp>(table, createBinary<BinaryKind::Or>);
  add<arith::XOrIOp>(table, createExclusiveOr);
  add<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(table, createShift);
  add<arith::MaxUIOp, arith::MinUIOp>(table, createUnsignedLimit);
  add<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
      arith::FPToSIOp, arith::FPToUIOp, arith::ExtSIOp, arith::ExtUIOp,
      arith::TruncIOp>(table, createConversion);
  add<arith::IndexCastOp, arith::IndexCastUIOp>(table, createIndexValue);
  add<arith::BitcastOp>(table, createBitcast);
  add<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
      arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(
      table, computeElements);
  add<arith::RemFOp, math::FmaOp>(table, computeExact);
  add<arith::CmpFOp>(table, [](Vectorizer &v, Operation *op) {
    return createCompare(v, cast<arith::CmpFOp>(op));
  });
  add<arith::CmpIOp>(table, [](Vectorizer &v, Operation *op) {
    return createCompare(v, cast<arith::CmpIOp>(op));
  });
  add<arith::SelectOp>(table, [](Vectorizer &v, Operation *op) {
    return createSelect(v, cast<arith::SelectOp>(op));
  });
  return table;
}

LogicalResult mlir::tile::ascend::vectorizeCompute(Vectorizer &v,
                                                   Operation *op) {
  static const llvm::StringMap<Converter> table = createTable();
  if (isa<tile::PrintOp, tile::DeviceAssertOp>(op))
    return v.emitError() << "'" << op->getName()
                         << "' cannot be lowered; run the kernel on the CPU";
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return v.emitError() << "'" << op->getName()
                         << "' in 'tile.parallel' cannot be vectorised"
                         << (isa<LoopLikeOpInterface>(op)
                                 ? "; write an 'scf.for' of as many iterations "
                                   "as there may be, which select"
                                 : "");
  bool isLogic = op->getResult(0).getType().isInteger(1) &&
                 op->getNumOperands() == 2 &&
                 op->getOperand(0).getType().isInteger(1);
  if (isLogic && !isa<arith::CmpIOp>(op))
    return createLogic(v, op);
  if (Converter converter = table.lookup(op->getName().getStringRef()))
    return converter(v, op);
  return createFunction(v, op);
}
