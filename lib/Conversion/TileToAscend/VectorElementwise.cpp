//===- VectorElementwise.cpp - scalar arithmetic as vector instructions ---===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorIntegers.h"
#include "Vectorizer.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tile::ascend;

static StringRef getTableName(BinaryKind kind) {
  static constexpr StringLiteral names[] = {"Add", "Sub", "Mul", "Div",
                                            "Max", "Min", "And", "Or"};
  return names[static_cast<unsigned>(kind)];
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
    return v.emitError() << "the vector unit has no " << getTableName(kind)
                         << " for " << element;
  a = v.convert(*a, held, compute);
  c = v.convert(*c, held, compute);
  if (failed(a) || failed(c))
    return failure();
  FailureOr<VectorOperand> value = v.combine(kind, *a, *c, compute);
  if (succeeded(value))
    value = v.convert(*value, compute, held);
  if (failed(value))
    return failure();
  bool grows = kind == BinaryKind::Add || kind == BinaryKind::Sub ||
               kind == BinaryKind::Mul;
  v.define(result, grows ? wrap(v, *value, element) : *value);
  return success();
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
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return v.emitError() << "'" << op->getName()
                         << "' in 'tile.parallel' cannot be vectorised";
  bool isLogic = op->getResult(0).getType().isInteger(1) &&
                 op->getNumOperands() == 2 &&
                 op->getOperand(0).getType().isInteger(1);
  if (isLogic && !isa<arith::CmpIOp>(op))
    return createLogic(v, op);
  if (Converter converter = table.lookup(op->getName().getStringRef()))
    return converter(v, op);
  return createFunction(v, op);
}
