//===- Scalars.cpp - scalar code on symbols -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile::ascend;

AffineExpr Scalars::constant(int64_t value) {
  return getAffineConstantExpr(value, context);
}

AffineExpr Scalars::getSymbol(StringRef key) {
  AffineExpr &symbol = symbols[key];
  if (!symbol)
    symbol = getAffineSymbolExpr(numSymbols++, context);
  return symbol;
}

/// Another one at each visit, and the same ones after a restart.
AffineExpr Scalars::getFreshSymbol(Value value) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << value.getAsOpaquePointer() << "#" << visits[value]++;
  return getSymbol(key);
}

AffineExpr Scalars::simplify(AffineExpr expr) const {
  if (!chosen.empty())
    expr = expr.replace(chosen);
  return simplifyAffineExpr(expr, 0, numSymbols);
}

AffineExpr Scalars::get(Value value) {
  auto at = known.find(value);
  if (at != known.end())
    return at->second;
  AffineExpr expr = simplify(compute(value));
  return known[value] = expr;
}

void Scalars::bind(Value value, AffineExpr expr) {
  bound[value] = expr ? expr : getFreshSymbol(value);
  // What depends on it is computed anew.
  known.clear();
}

std::optional<int64_t> Scalars::getDifference(AffineExpr a,
                                              AffineExpr b) const {
  if (a == b)
    return 0;
  auto number = dyn_cast<AffineConstantExpr>(simplify(a - b));
  return number ? std::optional(number.getValue()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// The largest parts of an expression that are neither sums nor multiples, and
/// whether the expression falls with them.
static void
collectTerms(AffineExpr expr, bool falls,
             SmallVectorImpl<std::pair<AffineExpr, bool>> &terms) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto factor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                       : AffineConstantExpr();
  if (binary && expr.getKind() == AffineExprKind::Add) {
    collectTerms(binary.getLHS(), falls, terms);
    collectTerms(binary.getRHS(), falls, terms);
  } else if (factor && expr.getKind() == AffineExprKind::Mul) {
    collectTerms(binary.getLHS(), falls != (factor.getValue() < 0), terms);
  } else if (!isa<AffineConstantExpr>(expr)) {
    terms.push_back({expr, falls});
  }
}

std::optional<int64_t> Scalars::decide(AffineExpr expr, int64_t count,
                                       int64_t step) {
  expr = simplify(expr);
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  SmallVector<std::pair<AffineExpr, bool>> terms;
  collectTerms(expr, /*falls=*/false, terms);
  for (auto [term, falls] : terms) {
    if (!chosen.try_emplace(term, constant(0)).second)
      continue;
    // What is decided later is tried less often, so that the whole stays small.
    int64_t left = std::max<int64_t>(2, count - int64_t(choices.size()));
    Choice choice{term, {}};
    for (int64_t value = 0; value < left; ++value) {
      choice.values.push_back(falls ? value : value * step);
      // One more than whole steps, of which the last one is cut off.
      if (step > 1 && !falls)
        choice.values.push_back(value * step + 1);
    }
    if (step > 1 && falls)
      choice.values.truncate(2);
    choices.push_back(std::move(choice));
  }
  voided = true;
  return std::nullopt;
}

void Scalars::restart() {
  voided = false;
  known.clear();
  bound.clear();
  visits.clear();
}

bool Scalars::next() {
  while (!choices.empty()) {
    Choice &last = choices.back();
    if (++last.at < last.values.size()) {
      chosen[last.term] = constant(last.values[last.at]);
      restart();
      return true;
    }
    chosen.erase(last.term);
    choices.pop_back();
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The same op on the same operands is the same symbol, whatever section it is
/// in; but what is loaded from a core's memory changes. (GM that decides where
/// a kernel goes is not written by it.)
AffineExpr Scalars::computeOpaque(Value value) {
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast_or_null<memref::LoadOp>(op);
  if (load && getMemorySpace(load.getMemRef()) != MemorySpace::Global)
    return getFreshSymbol(value);
  std::string key;
  llvm::raw_string_ostream os(key);
  if (op && (isPure(op) || load)) {
    os << op->getName() << cast<OpResult>(value).getResultNumber()
       << op->getAttrDictionary();
    for (Value operand : op->getOperands()) {
      if (operand.getType().isIntOrIndex())
        os << "," << get(operand);
      else
        os << "," << operand.getAsOpaquePointer();
    }
  } else {
    os << value.getAsOpaquePointer();
  }
  return getSymbol(key);
}

/// Of numbers that are not negative, so that the sign of the comparison is
/// none.
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
AffineExpr Scalars::computeExtreme(Value value, ArrayRef<AffineExpr> exprs,
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

SmallVector<AffineExpr> Scalars::computeMap(AffineMap map,
                                            ValueRange operands) {
  SmallVector<AffineExpr> all, results;
  for (Value operand : operands)
    all.push_back(get(operand));
  ArrayRef<AffineExpr> args(all);
  for (AffineExpr result : map.getResults())
    results.push_back(simplify(result.replaceDimsAndSymbols(
        args.take_front(map.getNumDims()), args.drop_front(map.getNumDims()))));
  return results;
}

AffineExpr Scalars::compute(Value value) {
  auto at = bound.find(value);
  if (at != bound.end())
    return at->second;
  if (auto number = getConstantIntValue(value))
    return constant(value.getType().isInteger(1) ? *number != 0 : *number);
  Operation *op = value.getDefiningOp();
  if (!op)
    return computeOpaque(value);
  auto arg = [&](unsigned i) { return get(op->getOperand(i)); };
  auto least = [&](ArrayRef<AffineExpr> exprs) {
    return computeExtreme(value, exprs, true);
  };
  auto most = [&](ArrayRef<AffineExpr> exprs) {
    return computeExtreme(value, exprs, false);
  };
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case<affine::AffineApplyOp>([&](auto map) {
        return computeMap(map.getAffineMap(), op->getOperands()).front();
      })
      .Case<affine::AffineMinOp>([&](auto map) {
        return least(computeMap(map.getMap(), op->getOperands()));
      })
      .Case<affine::AffineMaxOp>([&](auto map) {
        return most(computeMap(map.getMap(), op->getOperands()));
      })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return least({arg(0), arg(1)}); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return most({arg(0), arg(1)}); })
      .Case<arith::AddIOp>([&](auto) { return arg(0) + arg(1); })
      .Case<arith::SubIOp>([&](auto) { return arg(0) - arg(1); })
      .Case<arith::MulIOp>([&](auto) { return arg(0) * arg(1); })
      // Indices are not negative.
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [&](auto) { return arg(0).floorDiv(arg(1)); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [&](auto) { return arg(0).ceilDiv(arg(1)); })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return arg(0) % arg(1); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto) { return arg(0); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) -> AffineExpr {
        auto difference = getDifference(arg(0), arg(1));
        if (!difference)
          return computeOpaque(value);
        return constant(holds(compare.getPredicate(), *difference));
      })
      .Default([&](Operation *) { return computeOpaque(value); });
}

//===----------------------------------------------------------------------===//
// Regions of GM
//===----------------------------------------------------------------------===//

GlobalPart mlir::tile::ascend::getGlobalPart(Operation *op, Value view,
                                             Scalars &scalars) {
  SmallVector<memref::SubViewOp> views;
  while (Operation *def = view.getDefiningOp()) {
    if (auto cast = dyn_cast<memref::CastOp>(def)) {
      view = cast.getSource();
    } else if (auto by = dyn_cast<memref::SubViewOp>(def)) {
      if (!by.hasUnitStride())
        return {};
      views.push_back(by);
      view = by.getSource();
    } else if (isa<ViewLikeOpInterface>(def)) {
      return {};
    } else {
      break;
    }
  }
  constexpr int64_t unknown = std::numeric_limits<int32_t>::max();
  MLIRContext *context = op->getContext();
  GlobalPart part;
  SmallVector<unsigned> dims; // of the buffer, for each of the view
  for (int64_t extent : cast<MemRefType>(view.getType()).getShape()) {
    dims.push_back(dims.size());
    part.push_back({getAffineConstantExpr(0, context),
                    ShapedType::isDynamic(extent) ? unknown : extent});
  }
  for (memref::SubViewOp step : llvm::reverse(views)) {
    llvm::SmallBitVector dropped = step.getDroppedDims();
    SmallVector<unsigned> kept;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      auto &[offset, size] = part[dim];
      OpFoldResult by = step.getMixedOffsets()[i];
      auto number = getConstantIntValue(by);
      offset = offset + (number ? getAffineConstantExpr(*number, context)
                                : scalars.get(cast<Value>(by)));
      size = getConstantIntValue(step.getMixedSizes()[i]).value_or(unknown);
      if (!dropped.test(i))
        kept.push_back(dim);
    }
    dims = kept;
  }
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    indices = load.getIndices();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    indices = store.getIndices();
  for (auto [dim, index] : llvm::zip(dims, indices)) {
    part[dim].first = part[dim].first + scalars.get(index);
    part[dim].second = 1;
  }
  for (Value operand : op->getOperands()) {
    auto local = dyn_cast<MemRefType>(operand.getType());
    if (!local ||
        mlir::tile::getMemorySpace(local) == mlir::tile::MemorySpace::Global ||
        local.getRank() != int64_t(dims.size()))
      continue;
    for (auto [dim, extent] : llvm::zip(dims, local.getShape()))
      part[dim].second = std::min(part[dim].second, extent);
  }
  return part;
}

bool mlir::tile::ascend::isApart(const GlobalPart &a, const GlobalPart &c,
                                 const Scalars &scalars) {
  return llvm::any_of(llvm::zip(a, c), [&](auto dims) {
    auto &[x, y] = dims;
    auto distance = scalars.getDifference(x.first, y.first);
    return distance && (*distance >= y.second || -*distance >= x.second);
  });
}
