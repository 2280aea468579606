//===- CausalMask.cpp - scores that a mask hides behind a diagonal --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A value in the body of an op, for the element whose loops are given as
/// functions of the row (d0) and the column (d1); null where they are not.
struct Element {
  linalg::LinalgOp op;
  Value value;
  SmallVector<AffineExpr> ivs;

  Element at(Value other) const { return {op, other, ivs}; }
  Operation *getDefiningOp() const {
    Operation *inner = value.getDefiningOp();
    return inner && inner->getBlock() == linalg::LinalgOp(op).getBlock()
               ? inner
               : nullptr;
  }
};

class MaskMatcher {
public:
  explicit MaskMatcher(MLIRContext *context)
      : row(getAffineDimExpr(0, context)),
        column(getAffineDimExpr(1, context)) {}
  /// By how many columns a row sees more than its own number.
  std::optional<int64_t> matchScores(const Element &element);

  AffineExpr row, column;

private:
  AffineExpr getIndex(const Element &element);
  std::optional<int64_t> matchCondition(const Element &element, bool wanted);
  std::optional<int64_t> matchCompare(const Element &element,
                                      arith::CmpIOp compare, bool wanted);
};
} // namespace

/// The element that an argument of a body is, if an op computes it.
static std::optional<Element> getProducer(const Element &element) {
  linalg::LinalgOp op = element.op;
  auto argument = dyn_cast<BlockArgument>(element.value);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  auto source = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!source || !isElementwise(source) || source->getNumResults() != 1)
    return std::nullopt;
  AffineMap result = source.getMatchingIndexingMap(source.getDpsInitOperand(0));
  SmallVector<AffineExpr> ivs(source.getNumLoops());
  for (auto [index, loop] :
       llvm::zip_equal(op.getMatchingIndexingMap(operand).getResults(),
                       result.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    AffineExpr place = dim ? element.ivs[dim.getPosition()]
                       : isa<AffineConstantExpr>(index) ? index
                                                        : AffineExpr();
    ivs[cast<AffineDimExpr>(loop).getPosition()] = place;
  }
  return Element{source, source.getBlock()->getTerminator()->getOperand(0),
                 ivs};
}

/// Whether a conversion leaves positions what they are: fewer bits would wrap.
static bool keepsPositions(Operation *op) {
  return llvm::all_of(
      SmallVector<Type>{op->getOperand(0).getType(), op->getResult(0).getType()},
      [](Type type) {
        return type.isIndex() ||
               (type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 32);
      });
}

/// An integer as a function of the row and the column.
AffineExpr MaskMatcher::getIndex(const Element &element) {
  if (std::optional<Element> source = getProducer(element))
    return getIndex(*source);
  if (std::optional<int64_t> number = getConstantIntValue(element.value))
    return getAffineConstantExpr(*number, row.getContext());
  Operation *inner = element.getDefiningOp();
  if (!inner)
    return {};
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return element.ivs[index.getDim()];
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(inner) &&
      keepsPositions(inner))
    return getIndex(element.at(inner->getOperand(0)));
  if (!isa<arith::AddIOp, arith::SubIOp>(inner))
    return {};
  AffineExpr left = getIndex(element.at(inner->getOperand(0)));
  AffineExpr right = getIndex(element.at(inner->getOperand(1)));
  if (!left || !right)
    return {};
  return isa<arith::AddIOp>(inner) ? left + right : left - right;
}

/// Whether it is a sum of positions and of numbers that are not negative.
static bool isNeverNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  return !sum ||
         (sum.getKind() == AffineExprKind::Add &&
          isNeverNegative(sum.getLHS()) && isNeverNegative(sum.getRHS()));
}

std::optional<int64_t> MaskMatcher::matchCompare(const Element &element,
                                                 arith::CmpIOp compare,
                                                 bool wanted) {
  using P = arith::CmpIPredicate;
  AffineExpr left = getIndex(element.at(compare.getLhs()));
  AffineExpr right = getIndex(element.at(compare.getRhs()));
  if (!left || !right)
    return std::nullopt;
  P predicate = wanted ? compare.getPredicate()
                       : arith::invertPredicate(compare.getPredicate());
  bool isLess = llvm::is_contained({P::slt, P::sle, P::ult, P::ule}, predicate);
  bool isStrict =
      llvm::is_contained({P::slt, P::sgt, P::ult, P::ugt}, predicate);
  if (predicate == P::eq || predicate == P::ne)
    return std::nullopt;
  if (predicate >= P::ult && !(isNeverNegative(left) && isNeverNegative(right)))
    return std::nullopt;
  // column - row <= shift
  AffineExpr difference = isLess ? left - right : right - left;
  AffineExpr rest = simplifyAffineExpr(difference - column + row, 2, 0);
  auto constant = dyn_cast<AffineConstantExpr>(rest);
  if (!constant)
    return std::nullopt;
  return -constant.getValue() - isStrict;
}

/// A condition that holds only for columns up to `row + shift`, where it is
/// `wanted`.
std::optional<int64_t> MaskMatcher::matchCondition(const Element &element,
                                                   bool wanted) {
  if (std::optional<Element> source = getProducer(element))
    return matchCondition(*source, wanted);
  Operation *inner = element.getDefiningOp();
  if (!inner)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpIOp>(inner)) {
    // A truth value that was stored as an integer.
    bool isNot = compare.getPredicate() == arith::CmpIPredicate::eq;
    if ((isNot || compare.getPredicate() == arith::CmpIPredicate::ne) &&
        matchPattern(compare.getRhs(), m_Zero()))
      return matchCondition(element.at(compare.getLhs()), wanted != isNot);
    return matchCompare(element, compare, wanted);
  }
  if (isa<arith::ExtUIOp, arith::ExtSIOp>(inner))
    return matchCondition(element.at(inner->getOperand(0)), wanted);
  if (isa<arith::XOrIOp>(inner) && matchPattern(inner->getOperand(1), m_One()))
    return matchCondition(element.at(inner->getOperand(0)), !wanted);
  // One of several conditions is enough.
  if (wanted ? isa<arith::AndIOp>(inner) : isa<arith::OrIOp>(inner))
    for (Value side : inner->getOperands())
      if (std::optional<int64_t> shift =
              matchCondition(element.at(side), wanted))
        return shift;
  return std::nullopt;
}

/// Whether the value is a constant below this one.
static bool isBelow(const Element &element, double bound) {
  if (std::optional<Element> source = getProducer(element))
    return isBelow(*source, bound);
  FloatAttr number;
  if (matchPattern(element.value, m_Constant(&number)))
    return number.getValueAsDouble() <= bound;
  Operation *inner = element.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(inner) &&
         isBelow(element.at(inner->getOperand(0)), bound);
}

/// Whether the value is a sum of products, scaled. Nothing hides it, or minus
/// infinity alone.
static bool isPlain(const Element &element, bool maskable = false) {
  if (std::optional<Element> source = getProducer(element))
    return isPlain(*source, maskable);
  linalg::LinalgOp op = element.op;
  if (auto argument = dyn_cast<BlockArgument>(element.value);
      argument && argument.getOwner() == op.getBlock()) {
    auto source = op.getMatchingOpOperand(argument)
                      ->get()
                      .getDefiningOp<linalg::LinalgOp>();
    if (!source || !matchContraction(source))
      return false;
    auto fill = source.getDpsInits().front().getDefiningOp<linalg::FillOp>();
    return fill && matchPattern(fill.getInputs().front(), m_AnyZeroFloat());
  }
  Operation *inner = element.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(inner))
    return isPlain(element.at(inner->getOperand(0)), maskable);
  if (maskable && isa_and_nonnull<arith::SelectOp>(inner))
    for (unsigned side : {1, 2})
      if (matchPattern(inner->getOperand(side), m_NegInfFloat()))
        return isPlain(element.at(inner->getOperand(3 - side)), maskable);
  return isa_and_nonnull<arith::MulFOp, arith::DivFOp>(inner) &&
         matchPattern(inner->getOperand(1), m_Constant()) &&
         isPlain(element.at(inner->getOperand(0)), maskable);
}

bool tile::areScaledProducts(const Reduction &max) {
  linalg::LinalgOp op = max.op;
  return isPlain({op, max.value, SmallVector<AffineExpr>(op.getNumLoops())},
                 /*maskable=*/true);
}

std::optional<int64_t> MaskMatcher::matchScores(const Element &element) {
  if (std::optional<Element> source = getProducer(element))
    return matchScores(*source);
  Operation *inner = element.getDefiningOp();
  if (!inner)
    return std::nullopt;
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner))
    return matchScores(element.at(inner->getOperand(0)));
  // The weight of what is hidden is 0 if it is infinitely low, and if no other
  // score can be as low.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLow = -1e30;
  auto getBound = [&](Value score) {
    return isPlain(element.at(score)) ? kLow : -kInfinity;
  };
  if (auto select = dyn_cast<arith::SelectOp>(inner)) {
    Element condition = element.at(select.getCondition());
    Value seen = select.getTrueValue(), hidden = select.getFalseValue();
    if (isBelow(element.at(hidden), getBound(seen)))
      return matchCondition(condition, /*wanted=*/true);
    if (isBelow(element.at(seen), getBound(hidden)))
      return matchCondition(condition, /*wanted=*/false);
    return std::nullopt;
  }
  if (!isa<arith::AddFOp>(inner))
    return std::nullopt;
  // A mask that is added: 0 or the lowest number.
  for (unsigned side : {0, 1}) {
    Element mask = element.at(inner->getOperand(side));
    while (std::optional<Element> source = getProducer(mask))
      mask = *source;
    Operation *given = mask.getDefiningOp();
    if (auto select = dyn_cast_or_null<arith::SelectOp>(given)) {
      double bound = getBound(inner->getOperand(1 - side));
      bool isHidden = isBelow(mask.at(select.getFalseValue()), bound);
      Value other = isHidden ? select.getTrueValue() : select.getFalseValue();
      if ((isHidden || isBelow(mask.at(select.getTrueValue()), bound)) &&
          matchPattern(other, m_AnyZeroFloat()))
        if (std::optional<int64_t> shift =
                matchCondition(mask.at(select.getCondition()), isHidden))
          return shift;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> tile::matchCausalMask(const RowGroup &group,
                                             const Reduction &max) {
  linalg::LinalgOp op = max.op;
  auto columns = group.columns.find(op);
  ArrayRef<int> rows = group.rows.find(op)->second;
  if (columns == group.columns.end() || columns->second.size() != 1 ||
      rows.empty())
    return std::nullopt;
  MaskMatcher matcher(op.getContext());
  SmallVector<AffineExpr> ivs(op.getNumLoops());
  ivs[rows.back()] = matcher.row;
  ivs[columns->second.front()] = matcher.column;
  std::optional<int64_t> shift = matcher.matchScores({op, max.value, ivs});
  // The first row sees a column, or its weights are those of hidden scores.
  if (!shift || *shift < 0)
    return std::nullopt;
  return shift;
}

//===----------------------------------------------------------------------===//
// Masks in kernels
//===----------------------------------------------------------------------===//

/// An integer that was made of positions, as an index; null if it is something
/// else.
static Value getAsIndex(OpBuilder &b, Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op)) {
    Value in = cast.getIn();
    bool isPosition = in.getType().isIndex() && keepsPositions(cast) &&
                      (isa<BlockArgument>(in) ||
                       isa<affine::AffineApplyOp>(in.getDefiningOp()));
    return isPosition ? in : Value();
  }
  std::optional<int64_t> number = getConstantIntValue(value);
  if (number && std::abs(*number) < (int64_t(1) << 30))
    return arith::ConstantIndexOp::create(b, value.getLoc(), *number);
  if (isa_and_nonnull<arith::ExtSIOp, arith::TruncIOp>(op))
    return keepsPositions(op) ? getAsIndex(b, op->getOperand(0)) : Value();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return {};
  Value left = getAsIndex(b, op->getOperand(0));
  Value right = left ? getAsIndex(b, op->getOperand(1)) : Value();
  if (!right)
    return {};
  return isa<arith::AddIOp>(op)
             ? arith::AddIOp::create(b, op->getLoc(), left, right).getResult()
             : arith::SubIOp::create(b, op->getLoc(), left, right).getResult();
}

static bool isSigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return llvm::is_contained({P::slt, P::sle, P::sgt, P::sge}, predicate);
}

void tile::compareIndices(KernelOp kernel) {
  kernel.walk([](arith::CmpIOp compare) {
    Type type = compare.getLhs().getType();
    if (!isSigned(compare.getPredicate()) ||
        (!type.isInteger(32) && !type.isInteger(64)))
      return;
    OpBuilder b(compare);
    Value left = getAsIndex(b, compare.getLhs());
    Value right = left ? getAsIndex(b, compare.getRhs()) : Value();
    if (right)
      compare->setOperands({left, right});
  });
}
