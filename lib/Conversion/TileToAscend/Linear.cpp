//===- Linear.cpp - indices as linear functions of iteration variables ----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linear.h"

#include "Tile/Conversion/TotalArithmetic.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::ascend;

bool mlir::tile::ascend::hasScalarForm(Operation *op) {
  return isa<math::FmaOp>(op) ||
         (!isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !isa<arith::BitcastOp>(op));
}

Value LinearForm::hoist(Value value) {
  if (!parallel->isAncestor(value.getParentRegion()->getParentOp()))
    return value;
  if (Value known = hoisted.lookup(value))
    return known;
  Operation *def = value.getDefiningOp();
  if (!def || def->getNumRegions() != 0 || !isMemoryEffectFree(def) ||
      !hasScalarForm(def))
    return {};
  IRMapping mapping;
  for (Value operand : def->getOperands()) {
    Value before = hoist(operand);
    if (!before)
      return {};
    mapping.map(operand, before);
  }
  Operation *clone = b.clone(*def, mapping);
  makeDivisionTotal(clone);
  for (auto [old, fresh] : llvm::zip(def->getResults(), clone->getResults()))
    hoisted[old] = fresh;
  return hoisted.lookup(value);
}

std::optional<Linear> LinearForm::add(Location loc, std::optional<Linear> a,
                                      std::optional<Linear> c,
                                      int64_t factor) {
  c = scale(loc, c, factor);
  if (!a || !c)
    return std::nullopt;
  for (auto [x, y] : llvm::zip_equal(a->coefficients, c->coefficients))
    x += y;
  a->constant += c->constant;
  if (!a->uniform)
    a->uniform = c->uniform;
  else if (c->uniform)
    a->uniform = arith::AddIOp::create(b, loc, a->uniform, c->uniform);
  return a;
}

std::optional<Linear> LinearForm::scale(Location loc, std::optional<Linear> a,
                                        int64_t factor) {
  if (!a || factor == 1)
    return a;
  for (int64_t &coefficient : a->coefficients)
    coefficient *= factor;
  a->constant *= factor;
  if (a->uniform)
    a->uniform = arith::MulIOp::create(
        b, loc, a->uniform,
        arith::ConstantOp::create(
            b, loc, b.getIntegerAttr(a->uniform.getType(), factor)));
  return a;
}

std::optional<Linear> LinearForm::expand(Location loc, AffineExpr expr,
                                         ValueRange operands,
                                         unsigned numDims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return get(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return get(operands[numDims + symbol.getPosition()]);
  Linear result;
  result.coefficients.assign(parallel.getBody().getNumArguments(), 0);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result.constant = constant.getValue();
    return result;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Add)
    return add(loc, expand(loc, binary.getLHS(), operands, numDims),
               expand(loc, binary.getRHS(), operands, numDims), 1);
  if (expr.getKind() == AffineExprKind::Mul && factor)
    return scale(loc, expand(loc, binary.getLHS(), operands, numDims),
                 factor.getValue());
  // Quotients of uniform values.
  SmallVector<Value> before;
  for (Value operand : operands) {
    before.push_back(hoist(operand));
    if (!before.back())
      return std::nullopt;
  }
  result.uniform = affine::AffineApplyOp::create(
      b, loc, AffineMap::get(numDims, operands.size() - numDims, expr),
      before);
  return result;
}

std::optional<Linear> LinearForm::get(Value value) {
  Linear result;
  Block &body = parallel.getBody().front();
  result.coefficients.assign(body.getNumArguments(), 0);
  if (auto arg = dyn_cast<BlockArgument>(value))
    if (arg.getOwner() == &body) {
      result.coefficients[arg.getArgNumber()] = 1;
      return result;
    }
  if (auto constant = getConstantIntValue(value)) {
    result.constant = *constant;
    return result;
  }
  if (Value before = hoist(value)) {
    result.uniform = before;
    return result;
  }
  Operation *def = value.getDefiningOp();
  if (!def)
    return std::nullopt;
  Location loc = def->getLoc();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def))
    return expand(loc, apply.getAffineMap().getResult(0),
                  apply.getMapOperands(), apply.getAffineMap().getNumDims());
  if (auto sum = dyn_cast<arith::AddIOp>(def))
    return add(loc, get(sum.getLhs()), get(sum.getRhs()), 1);
  if (auto difference = dyn_cast<arith::SubIOp>(def))
    return add(loc, get(difference.getLhs()), get(difference.getRhs()), -1);
  if (auto product = dyn_cast<arith::MulIOp>(def)) {
    if (auto factor = getConstantIntValue(product.getRhs()))
      return scale(loc, get(product.getLhs()), *factor);
    if (auto factor = getConstantIntValue(product.getLhs()))
      return scale(loc, get(product.getRhs()), *factor);
  }
  return std::nullopt;
}

Value LinearForm::getUniform(Location loc, const Linear &linear) {
  Type type = linear.uniform ? linear.uniform.getType() : b.getIndexType();
  if (linear.uniform && linear.constant == 0)
    return linear.uniform;
  Value constant = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, linear.constant));
  if (!linear.uniform)
    return constant;
  return arith::AddIOp::create(b, loc, linear.uniform, constant);
}
