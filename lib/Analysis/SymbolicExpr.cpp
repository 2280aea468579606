//===- SymbolicExpr.cpp - scalars as affine expressions -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/SymbolicExpr.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

bool mlir::tile::isTractable(AffineExpr expr) {
  constexpr int kMostTerms = 1024;
  int terms = 0;
  auto count = [&](AffineExpr) {
    return ++terms > kMostTerms ? WalkResult::interrupt()
                                : WalkResult::advance();
  };
  return !expr.walk(count).wasInterrupted();
}

SmallVector<AffineExpr>
mlir::tile::composeExprs(AffineMap map, ValueRange operands, OperandExprs get) {
  SmallVector<AffineExpr> inputs;
  for (Value operand : operands)
    inputs.push_back(get(operand));
  unsigned numDims = map.getNumDims();
  auto isKnown = [&](AffineExpr expr) {
    bool known = true;
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        known &= bool(inputs[dim.getPosition()]);
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        known &= bool(inputs[numDims + symbol.getPosition()]);
    });
    return known;
  };
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    results.push_back(isKnown(result) ? result : AffineExpr());
  // What is not used may be anything.
  for (AffineExpr &input : inputs)
    if (!input)
      input = getAffineConstantExpr(0, map.getContext());
  ArrayRef<AffineExpr> all = inputs;
  for (AffineExpr &result : results)
    if (result)
      result = result.replaceDimsAndSymbols(all.take_front(numDims),
                                            all.drop_front(numDims));
  return results;
}

/// Whether numbers of the type wrap where indices do not.
static bool isNarrow(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Whether a multiple in the sum is so large that a number of 32 bits may have
/// wrapped, of which a quotient is another one.
static bool mayHaveWrapped(AffineExpr sum) {
  WalkResult result = sum.walk([](AffineExpr expr) {
    auto product = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!product || product.getKind() != AffineExprKind::Mul)
      return WalkResult::advance();
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    return factor && std::abs(factor.getValue()) >= (int64_t(1) << 16)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Divisions, and shifts by constants.
static AffineExpr getQuotient(Operation *op, AffineExpr lhs, AffineExpr rhs,
                              function_ref<bool(AffineExpr)> isNonNegative) {
  auto number = dyn_cast<AffineConstantExpr>(rhs);
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op)) {
    if (!number || number.getValue() < 0 || number.getValue() > 31)
      return {};
    rhs = getAffineConstantExpr(int64_t(1) << number.getValue(),
                                op->getContext());
    number = cast<AffineConstantExpr>(rhs);
  }
  if (number && number.getValue() <= 0)
    return {};
  if (isa<arith::ShLIOp>(op))
    return lhs * rhs;
  if (isa<IntegerType>(op->getResult(0).getType()) && mayHaveWrapped(lhs))
    return {};
  if (isa<arith::FloorDivSIOp, arith::ShRSIOp>(op))
    return lhs.floorDiv(rhs);
  if (isa<arith::CeilDivSIOp>(op))
    return lhs.ceilDiv(rhs);
  if (!isNonNegative(lhs))
    return {};
  if (isa<arith::CeilDivUIOp>(op))
    return lhs.ceilDiv(rhs);
  return isa<arith::RemSIOp, arith::RemUIOp>(op) ? lhs % rhs
                                                 : lhs.floorDiv(rhs);
}

static AffineExpr
buildScalarExpr(Operation *op, OperandExprs get,
                function_ref<bool(AffineExpr)> isNonNegative) {
  if (op->getNumResults() == 1 && isNarrow(op->getResult(0).getType()))
    return {};
  auto combine = [&](auto function) -> AffineExpr {
    AffineExpr lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
    return lhs && rhs ? function(lhs, rhs) : AffineExpr();
  };
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case<affine::AffineApplyOp>([&](affine::AffineApplyOp apply) {
        return composeExprs(apply.getAffineMap(), apply.getMapOperands(), get)
            .front();
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) {
        // A truth value is 1 here and -1 as a signed number.
        Value operand = op->getOperand(0);
        return operand.getType().isInteger(1) ? AffineExpr() : get(operand);
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([&](auto) {
        AffineExpr expr = get(op->getOperand(0));
        return expr && isNonNegative(expr) ? expr : AffineExpr();
      })
      .Case<arith::AddIOp>(
          [&](auto) { return combine([](auto a, auto b) { return a + b; }); })
      .Case<arith::SubIOp>(
          [&](auto) { return combine([](auto a, auto b) { return a - b; }); })
      .Case<arith::MulIOp>(
          [&](auto) { return combine([](auto a, auto b) { return a * b; }); })
      .Case<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
            arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>([&](auto) {
        return combine([&](auto a, auto b) {
          return getQuotient(op, a, b, isNonNegative);
        });
      })
      .Default(AffineExpr());
}

AffineExpr
mlir::tile::getScalarExpr(Operation *op, OperandExprs get,
                          function_ref<bool(AffineExpr)> isNonNegative) {
  AffineExpr expr = buildScalarExpr(op, get, isNonNegative);
  return expr && isTractable(expr) ? expr : AffineExpr();
}

std::optional<Extreme> mlir::tile::getExtreme(Operation *op,
                                              OperandExprs get) {
  auto compose = [&](AffineMap map) {
    return composeExprs(map, op->getOperands(), get);
  };
  if (auto most = dyn_cast<affine::AffineMaxOp>(op))
    return Extreme{compose(most.getMap()), /*isMax=*/true, false};
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return Extreme{compose(least.getMap()), /*isMax=*/false, false};
  bool isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  if (!isUnsigned && !isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return std::nullopt;
  return Extreme{{get(op->getOperand(0)), get(op->getOperand(1))},
                 isa<arith::MaxSIOp, arith::MaxUIOp>(op),
                 isUnsigned};
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

AffineExpr SymbolicExprs::getSymbol(ArrayRef<const void *> key) {
  AffineExpr &symbol = symbols[key.vec()];
  if (!symbol)
    symbol = getAffineSymbolExpr(numSymbols++, context);
  return symbol;
}

AffineExpr SymbolicExprs::getFreshSymbol(Value value) {
  uintptr_t visit = ++visits[value];
  return getSymbol(
      {value.getAsOpaquePointer(), reinterpret_cast<const void *>(visit)});
}

/// Of quotients by n * g of g * x + r, where r is less than g: x / n, and the
/// remainder of g * x with r added to it.
static AffineExpr splitRemainders(AffineExpr expr) {
  auto op = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!op)
    return expr;
  AffineExpr lhs = splitRemainders(op.getLHS()),
             rhs = splitRemainders(op.getRHS());
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  auto sum = dyn_cast<AffineBinaryOpExpr>(lhs);
  bool isMod = op.getKind() == AffineExprKind::Mod;
  if ((isMod || op.getKind() == AffineExprKind::FloorDiv) && divisor &&
      divisor.getValue() > 0 && sum && sum.getKind() == AffineExprKind::Add)
    if (auto added = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      int64_t common = std::gcd(divisor.getValue(),
                                sum.getLHS().getLargestKnownDivisor());
      int64_t rest = llvm::mod(added.getValue(), common);
      if (isMod)
        return (lhs - rest) % rhs + rest;
      return (lhs - rest).floorDiv(rhs);
    }
  return getAffineBinaryOpExpr(op.getKind(), lhs, rhs);
}

AffineExpr SymbolicExprs::simplify(AffineExpr expr) const {
  if (!assigned.empty())
    expr = expr.replace(assigned);
  return simplifyAffineExpr(splitRemainders(expr), 0, numSymbols);
}

AffineExpr SymbolicExprs::get(Value value) {
  if (AffineExpr expr = known.lookup(value))
    return expr;
  AffineExpr expr = simplify(compute(value));
  return known[value] = expr;
}

AffineExpr SymbolicExprs::get(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getConstant(*constant);
  return get(cast<Value>(value));
}

void SymbolicExprs::bind(Value value, AffineExpr expr) {
  bound[value] = expr ? expr : getFreshSymbol(value);
  // What depends on it is computed anew.
  known.clear();
}

void SymbolicExprs::assign(AffineExpr term, int64_t value) {
  assigned[term] = getConstant(value);
}

void SymbolicExprs::unassign(AffineExpr term) { assigned.erase(term); }

void SymbolicExprs::restart() {
  known.clear();
  bound.clear();
  visits.clear();
}

std::optional<int64_t> SymbolicExprs::getDifference(AffineExpr a,
                                                    AffineExpr b) const {
  if (a == b)
    return 0;
  auto number = dyn_cast<AffineConstantExpr>(simplify(a - b));
  return number ? std::optional(number.getValue()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

AffineExpr SymbolicExprs::computeOpaque(Value value) {
  Operation *op = value.getDefiningOp();
  // A guarded load, say: of equal conditions and equal values.
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    auto getYielded = [&](Block *block) {
      return get(block->getTerminator()->getOperand(number))
          .getAsOpaquePointer();
    };
    return getSymbol({op->getName().getAsOpaquePointer(),
                      get(branch.getCondition()).getAsOpaquePointer(),
                      getYielded(branch.thenBlock()),
                      getYielded(branch.elseBlock())});
  }
  Identity identity = op ? getIdentity(op) : Identity::Operation;
  if (identity == Identity::Operation)
    return getSymbol({value.getAsOpaquePointer()});
  if (identity == Identity::None)
    return getFreshSymbol(value);
  uintptr_t number = cast<OpResult>(value).getResultNumber();
  SmallVector<const void *> key{op->getName().getAsOpaquePointer(),
                                op->getAttrDictionary().getAsOpaquePointer(),
                                reinterpret_cast<const void *>(number)};
  for (Value operand : op->getOperands())
    key.push_back(get(operand).getAsOpaquePointer());
  return getSymbol(key);
}

/// Of numbers that are not negative, so that the comparison may be signed or
/// not.
static bool holds(arith::CmpIPredicate predicate, int64_t difference) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return difference == 0;
  case arith::CmpIPredicate::ne:
    return difference != 0;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return difference < 0;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return difference <= 0;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return difference > 0;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return difference >= 0;
  }
  llvm_unreachable("unknown predicate");
}

/// The smallest, or largest, of expressions that differ by numbers.
AffineExpr SymbolicExprs::computeExtreme(Value value,
                                         ArrayRef<AffineExpr> exprs,
                                         bool isLeast) {
  AffineExpr best = exprs.front();
  for (AffineExpr expr : exprs.drop_front()) {
    auto difference = getDifference(expr, best);
    if (!difference)
      return computeOpaque(value);
    if ((*difference < 0) == isLeast)
      best = expr;
  }
  return best;
}

/// `and` and `or` of truth values, of which one may be enough.
static AffineExpr combineTests(Operation *op, AffineExpr lhs, AffineExpr rhs) {
  int64_t decisive = isa<arith::OrIOp>(op);
  if (auto number = dyn_cast<AffineConstantExpr>(rhs))
    return number.getValue() == decisive ? rhs : lhs;
  if (auto number = dyn_cast<AffineConstantExpr>(lhs))
    return number.getValue() == decisive ? lhs : rhs;
  return {};
}

AffineExpr SymbolicExprs::compute(Value value) {
  if (AffineExpr expr = bound.lookup(value))
    return expr;
  if (auto number = getConstantIntValue(value))
    return getConstant(value.getType().isInteger(1) ? *number != 0 : *number);
  Operation *op = value.getDefiningOp();
  if (!op)
    return computeOpaque(value);
  auto getOperand = [&](Value operand) { return get(operand); };
  if (AffineExpr expr =
          getScalarExpr(op, getOperand, [](AffineExpr) { return true; }))
    return expr;
  if (std::optional<Extreme> extreme = getExtreme(op, getOperand)) {
    for (AffineExpr &expr : extreme->of)
      expr = simplify(expr);
    return computeExtreme(value, extreme->of, /*isLeast=*/!extreme->isMax);
  }
  if (isa<arith::AndIOp, arith::OrIOp>(op) && value.getType().isInteger(1)) {
    AffineExpr expr =
        combineTests(op, get(op->getOperand(0)), get(op->getOperand(1)));
    return expr ? expr : computeOpaque(value);
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return computeOpaque(value);
  auto difference = getDifference(get(compare.getLhs()), get(compare.getRhs()));
  if (!difference)
    return computeOpaque(value);
  return getConstant(holds(compare.getPredicate(), *difference));
}
