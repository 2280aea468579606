//===- Numbers.cpp - integers of programs as expressions ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarWork.h"

#include "Tile/Dialect/Tile/IR/Arguments.h"
#include "Tile/Dialect/Tile/IR/Verification.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::cost;

using Number = std::optional<Expr>;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// The number that `tile.shape` states for a dimension, or nothing.
Number Numbers::findStated(StringRef shape, int64_t dim) {
  SmallVector<StringRef> parts = splitShape(shape);
  if (dim >= int64_t(parts.size()))
    return std::nullopt;
  FailureOr<StatedExtent> stated = parseExtent(parts[dim]);
  if (failed(stated) || !isLaunchSymbolName(stated->name))
    return std::nullopt;
  Expr symbol = exprs.symbol(stated->name);
  if (!stated->formula)
    return symbol;
  Expr number = exprs.constant(stated->number);
  switch (*stated->formula) {
  case AffineExprKind::CeilDiv:
    return exprs.make(ExprKind::CeilDiv, symbol, number);
  case AffineExprKind::FloorDiv:
    return exprs.make(ExprKind::FloorDiv, symbol, number);
  case AffineExprKind::Mul:
    return exprs.make(ExprKind::Multiply, symbol, number);
  default:
    return exprs.make(ExprKind::Add, symbol, number);
  }
}

Number Numbers::findExtent(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return exprs.constant(type.getDimSize(dim));
  if (auto alloc = buffer.getDefiningOp<AllocOp>()) {
    unsigned at = type.getDynamicDimIndex(unsigned(dim));
    return at < alloc.getExtents().size() ? find(alloc.getExtents()[at])
                                          : Number();
  }
  if (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    Value source = view.getViewSource();
    auto from = dyn_cast<MemRefType>(source.getType());
    return from && from.getRank() == type.getRank() ? findExtent(source, dim)
                                                    : Number();
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner()->getParentOp() != function)
    return std::nullopt;
  unsigned index = argument.getArgNumber();
  if (auto shape = function.getArgAttrOfType<StringAttr>(index, "tile.shape"))
    if (Number stated = findStated(shape.getValue(), dim))
      return stated;
  return exprs.symbol(("arg" + Twine(index) + "." + Twine(dim)).str());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Number Numbers::find(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return exprs.constant(*constant);
  return find(cast<Value>(value));
}

Number Numbers::find(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Number number = compute(value);
  known[value] = number;
  return number;
}

uint8_t Numbers::findPlaces(Value value) {
  Number number = find(value);
  return number ? exprs.getPlaces(*number) : 7;
}

/// What a loop counts is the middle of it.
Number Numbers::computeMean(OpFoldResult lower, OpFoldResult upper) {
  Number from = find(lower), to = find(upper);
  return from && to ? Number(exprs.make(ExprKind::Mean, *from, *to)) : Number();
}

Number Numbers::computeArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (isa<KernelOp>(parent))
    return exprs.place(std::min(index, 2u));
  if (auto loop = dyn_cast<PipelinedOp>(parent))
    return computeMean(loop.getMixedBounds()[0], loop.getMixedBounds()[1]);
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return index == 0 ? computeMean(OpFoldResult(loop.getLowerBound()),
                                    OpFoldResult(loop.getUpperBound()))
                      : Number();
  if (parent != function || !argument.getType().isIntOrIndex())
    return std::nullopt;
  if (auto name = function.getArgAttrOfType<StringAttr>(index, "tile.shape"))
    return exprs.symbol(name.getValue());
  return exprs.symbol(("arg" + Twine(index)).str());
}

static std::optional<ExprKind> getKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ExprKind>>(op)
      .Case<arith::AddIOp>([](auto) { return ExprKind::Add; })
      .Case<arith::SubIOp>([](auto) { return ExprKind::Subtract; })
      .Case<arith::MulIOp, arith::AndIOp>(
          [](auto) { return ExprKind::Multiply; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [](auto) { return ExprKind::FloorDiv; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [](auto) { return ExprKind::CeilDiv; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return ExprKind::Modulo; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return ExprKind::Min; })
      .Case<arith::MaxSIOp, arith::MaxUIOp, arith::OrIOp>(
          [](auto) { return ExprKind::Max; })
      .Default([](auto) { return std::nullopt; });
}

/// The kind of a comparison, and whether its operands change places.
static std::pair<ExprKind, bool> getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return {ExprKind::Equal, false};
  case arith::CmpIPredicate::ne:
    return {ExprKind::NotEqual, false};
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return {ExprKind::Less, false};
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return {ExprKind::LessEqual, false};
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return {ExprKind::Less, true};
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return {ExprKind::LessEqual, true};
  }
  llvm_unreachable("all predicates are above");
}

Number Numbers::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return exprs.constant(constant.getBitWidth() == 1
                              ? int64_t(constant.getZExtValue())
                              : constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto get = dyn_cast<GetParamOp>(op))
    return exprs.symbol(("@" + get.getParam()).str());
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    return index ? findExtent(dim.getSource(), *index) : Number();
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return computeMap(apply.getMap(), apply.getOperands(), ExprKind::Min);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return computeMap(min.getMap(), min.getOperands(), ExprKind::Min);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return computeMap(max.getMap(), max.getOperands(), ExprKind::Max);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return find(op->getOperand(0));
  SmallVector<Expr, 3> operands;
  std::optional<ExprKind> kind = getKind(op);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!kind && !compare && !isa<arith::SelectOp>(op))
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    Number number = find(operand);
    if (!number)
      return std::nullopt;
    operands.push_back(*number);
  }
  if (isa<arith::SelectOp>(op))
    return exprs.make(ExprKind::Select, operands[0], operands[1], operands[2]);
  if (kind)
    return exprs.make(*kind, operands[0], operands[1]);
  auto [comparison, swapped] = getComparison(compare.getPredicate());
  return exprs.make(comparison, operands[swapped], operands[!swapped]);
}

Number Numbers::computeMap(AffineMap map, ValueRange operands,
                           ExprKind combine) {
  Number all;
  for (AffineExpr expr : map.getResults()) {
    Number one = computeAffine(expr, map, operands);
    if (!one)
      return std::nullopt;
    all = all ? exprs.make(combine, *all, *one) : *one;
  }
  return all;
}

Number Numbers::computeAffine(AffineExpr expr, AffineMap map,
                              ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return exprs.constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return find(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return find(operands[map.getNumDims() + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Number a = computeAffine(binary.getLHS(), map, operands);
  Number b = computeAffine(binary.getRHS(), map, operands);
  if (!a || !b)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return exprs.make(ExprKind::Add, *a, *b);
  case AffineExprKind::Mul:
    return exprs.make(ExprKind::Multiply, *a, *b);
  case AffineExprKind::Mod:
    return exprs.make(ExprKind::Modulo, *a, *b);
  case AffineExprKind::FloorDiv:
    return exprs.make(ExprKind::FloorDiv, *a, *b);
  case AffineExprKind::CeilDiv:
    return exprs.make(ExprKind::CeilDiv, *a, *b);
  default:
    llvm_unreachable("constants, dims and symbols are above");
  }
}
