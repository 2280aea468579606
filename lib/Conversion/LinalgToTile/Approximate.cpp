//===- Approximate.cpp - what fewer digits allow --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Approximate.h"
#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLForwardCompat.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tile;
using arith::FastMathFlags;

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

void tile::allowApproximations(Operation *root) {
  root->walk([](arith::ArithFastMathInterface op) {
    FastMathFlags flags = FastMathFlags::none;
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
      flags = FastMathFlags::afn;
    else if (isa<arith::DivFOp>(op.getOperation()))
      flags = FastMathFlags::arcp | FastMathFlags::contract;
    else if (isa<arith::AddFOp, arith::MulFOp, arith::SubFOp>(
                 op.getOperation()))
      flags = FastMathFlags::contract;
    else
      return;
    flags = flags | op.getFastMathFlagsAttr().getValue();
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(), flags));
  });
}

bool tile::hasFastMath(Operation *op, FastMathFlags flags) {
  auto fast = dyn_cast_or_null<arith::ArithFastMathInterface>(op);
  // Conversions may have none.
  arith::FastMathFlagsAttr given =
      fast ? fast.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  return given && arith::bitEnumContainsAll(given.getValue(), flags);
}

void tile::keepWide(KernelOp kernel) {
  kernel.walk([](arith::ExtFOp extend) {
    auto truncate = extend.getIn().getDefiningOp<arith::TruncFOp>();
    Type narrow = extend.getIn().getType();
    if (truncate && truncate.getIn().getType() == extend.getType() &&
        (narrow.isF16() || narrow.isBF16()))
      extend.replaceAllUsesWith(truncate.getIn());
  });
}

//===----------------------------------------------------------------------===//
// Exponentials of a softmax
//===----------------------------------------------------------------------===//

/// The factor of a product with a constant, or of a quotient.
static std::optional<double> getFactor(Operation *op) {
  FloatAttr number;
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op) ||
      !hasFastMath(op, FastMathFlags::contract) ||
      !matchPattern(op->getOperand(1), m_Constant(&number)))
    return std::nullopt;
  double value = number.getValueAsDouble();
  return isa<arith::DivFOp>(op) ? 1 / value : value;
}

static bool isNormal(double value) {
  return std::isnormal(static_cast<float>(value));
}

static void multiply(OpBuilder &b, OpOperand &use, double factor) {
  Location loc = use.getOwner()->getLoc();
  Value by = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(factor));
  use.set(
      arith::MulFOp::create(b, loc, use.get(), by, FastMathFlags::contract));
}

namespace {
/// exp((score - shift) * factor), with log2(e) in the factor of exp.
struct Exponential {
  Operation *exp;
  arith::SubFOp difference;
  double factor;
};
} // namespace

static std::optional<Exponential> matchExponential(Operation *exp) {
  if (!isa<math::ExpOp, math::Exp2Op>(exp) ||
      !exp->getResult(0).getType().isF32() ||
      !isa<linalg::GenericOp>(exp->getParentOp()) ||
      !hasFastMath(exp, FastMathFlags::afn))
    return std::nullopt;
  double factor = isa<math::ExpOp>(exp) ? llvm::numbers::log2e : 1;
  Operation *inner = exp->getOperand(0).getDefiningOp();
  while (inner && inner->hasOneUse()) {
    std::optional<double> times = getFactor(inner);
    if (!times)
      break;
    factor *= *times;
    inner = inner->getOperand(0).getDefiningOp();
  }
  auto difference = dyn_cast_or_null<arith::SubFOp>(inner);
  if (!difference || !difference->hasOneUse() ||
      !hasFastMath(difference, FastMathFlags::contract))
    return std::nullopt;
  return Exponential{exp, difference, factor};
}

/// By what the value that is used is multiplied in the body, up to selects with
/// a constant. With `apply`, the use gets the value without the factor.
static double moveFactor(OpOperand &use, Block *body, bool apply) {
  Operation *inner = use.get().getDefiningOp();
  if (!inner || inner->getBlock() != body ||
      !inner->getResult(0).getType().isF32())
    return 1;
  if (isa<arith::SelectOp>(inner) && inner->hasOneUse()) {
    FloatAttr hidden;
    bool isLeft = matchPattern(inner->getOperand(1), m_Constant(&hidden));
    if (!isLeft && !matchPattern(inner->getOperand(2), m_Constant(&hidden)))
      return 1;
    double factor =
        moveFactor(inner->getOpOperand(isLeft ? 2 : 1), body, apply);
    double number = hidden.getValueAsDouble(), moved = number / factor;
    // What is too low for a weight stays too low, and finite.
    constexpr double kMost = std::numeric_limits<float>::max();
    if (std::isfinite(number))
      moved = std::clamp(moved, -kMost, kMost);
    if (apply && factor != 1) {
      OpBuilder b(inner);
      inner->setOperand(isLeft ? 1 : 2,
                        arith::ConstantOp::create(b, inner->getLoc(),
                                                  b.getF32FloatAttr(moved)));
    }
    return factor;
  }
  std::optional<double> factor = getFactor(inner);
  if (!factor || !(*factor > 0))
    return 1;
  if (!apply)
    return *factor * moveFactor(inner->getOpOperand(0), body, apply);
  use.set(inner->getOperand(0));
  return *factor * moveFactor(use, body, apply);
}

/// The difference in the body of a reader, if that is all it reads.
static arith::SubFOp findDifference(linalg::GenericOp reader, Value scores,
                                    Value max) {
  arith::SubFOp found;
  reader->walk([&](Operation *op) {
    if (std::optional<Exponential> exponential = matchExponential(op))
      found = exponential->difference;
  });
  if (!found)
    return {};
  unsigned sides = 0;
  for (OpOperand &operand : reader->getOpOperands()) {
    if (operand.get() != scores && operand.get() != max)
      continue;
    BlockArgument argument = reader.getMatchingBlockArgument(&operand);
    unsigned side = operand.get() == scores ? 0 : 1;
    if (!argument.hasOneUse() || argument != found->getOperand(side))
      return {};
    ++sides;
  }
  return sides == 2 ? found : arith::SubFOp();
}

/// The maximum of scaled scores is the scaled maximum. So the factor goes into
/// the exponentials of the differences, if nothing else reads the scores.
static void moveFactors(linalg::LinalgOp max) {
  std::optional<Reduction> reduction = matchReduction(max);
  if (!reduction || reduction->kind != ReduceKind::Max ||
      max.getNumDpsInputs() != 1 || max->getNumResults() != 1 ||
      reduction->value != max.getBlock()->getArgument(0))
    return;
  auto fill = max.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  auto scores = max.getDpsInputs().front().getDefiningOp<linalg::GenericOp>();
  if (!fill || !matchPattern(fill.getInputs().front(), m_NegInfFloat()) ||
      !scores || scores->getNumResults() != 1 || !isElementwise(scores))
    return;
  OpOperand &result = scores.getBody()->getTerminator()->getOpOperand(0);
  double factor = moveFactor(result, scores.getBody(), /*apply=*/false);
  if (factor == 1 || !isNormal(factor))
    return;
  llvm::SetVector<Operation *> differences;
  for (OpResult read : {scores->getResult(0), max->getResult(0)})
    for (Operation *user : read.getUsers()) {
      if (user == max || isa<tensor::DimOp>(user))
        continue;
      auto reader = dyn_cast<linalg::GenericOp>(user);
      arith::SubFOp difference =
          reader
              ? findDifference(reader, scores.getResult(0), max->getResult(0))
              : arith::SubFOp();
      if (!difference)
        return;
      differences.insert(difference);
    }
  moveFactor(result, scores.getBody(), /*apply=*/true);
  for (Operation *difference : differences) {
    OpBuilder b(difference->getContext());
    b.setInsertionPointAfter(difference);
    multiply(b, *difference->getResult(0).use_begin(), factor);
  }
}

void tile::simplifyExponentials(func::FuncOp function) {
  function.walk([](linalg::LinalgOp op) { moveFactors(op); });
  SmallVector<Exponential> found;
  function.walk([&](Operation *op) {
    if (std::optional<Exponential> exponential = matchExponential(op))
      if (isNormal(exponential->factor))
        found.push_back(*exponential);
  });
  for (auto [exp, difference, factor] : found) {
    OpBuilder b(exp);
    OpOperand &operand = exp->getOpOperand(0);
    operand.set(difference);
    multiply(b, operand, factor);
    if (isa<math::Exp2Op>(exp))
      continue;
    auto fast = cast<arith::ArithFastMathInterface>(exp);
    Value power = math::Exp2Op::create(b, exp->getLoc(), operand.get(),
                                       fast.getFastMathFlagsAttr().getValue());
    exp->replaceAllUsesWith(ValueRange(power));
    exp->erase();
  }
}
