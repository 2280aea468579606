//===- Multiples.cpp - what numbers are multiples of ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Multiples.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;

// Of operands that ops share, each use is looked at: so many ops in a row.
static constexpr unsigned kMaxDepth = 12;

static bool isMultiple(Value value, int64_t factor, unsigned depth);

static bool isMultiple(AffineExpr expr, ValueRange operands, int64_t factor,
                       unsigned depth) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isMultiple(operands[dim.getPosition()], factor, depth);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add)
    return isMultiple(binary.getLHS(), operands, factor, depth) &&
           isMultiple(binary.getRHS(), operands, factor, depth);
  auto scale = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                      : AffineConstantExpr();
  if (scale && expr.getKind() == AffineExprKind::Mul)
    return isMultiple(binary.getLHS(), operands,
                      factor / std::gcd(factor, scale.getValue()), depth);
  return expr.isMultipleOf(factor);
}

static bool isMultiple(Value value, int64_t factor, unsigned depth) {
  if (factor == 1)
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % factor == 0;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    return loop && arg == loop.getInductionVar() &&
           isMultiple(loop.getLowerBound(), factor, depth) &&
           isMultiple(loop.getStep(), factor, depth);
  }
  Operation *def = value.getDefiningOp();
  if (!def || depth == 0)
    return false;
  --depth;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def))
    return apply.getAffineMap().getNumSymbols() == 0 &&
           isMultiple(apply.getAffineMap().getResult(0), apply.getOperands(),
                      factor, depth);
  if (isa<arith::AddIOp, arith::SubIOp>(def))
    return isMultiple(def->getOperand(0), factor, depth) &&
           isMultiple(def->getOperand(1), factor, depth);
  if (isa<arith::MulIOp>(def)) {
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> constant =
              getConstantIntValue(def->getOperand(i)))
        return isMultiple(def->getOperand(1 - i),
                          factor / std::gcd(factor, *constant), depth);
    return isMultiple(def->getOperand(0), factor, depth) ||
           isMultiple(def->getOperand(1), factor, depth);
  }
  return false;
}

bool tile::isMultiple(Value value, int64_t factor) {
  return ::isMultiple(value, factor, kMaxDepth);
}

bool tile::isMultiple(AffineExpr expr, ValueRange operands, int64_t factor) {
  return ::isMultiple(expr, operands, factor, kMaxDepth);
}
