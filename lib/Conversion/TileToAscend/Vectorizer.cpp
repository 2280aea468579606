//===- Vectorizer.cpp - the body of a tile.parallel as vectors ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each value of the body becomes a matrix in UB with one element for each
// iteration; a value that does not depend on all iteration variables stays a
// row, a column or a scalar. Loops around the last two dimensions stay loops.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "VectorIntegers.h"

#include "Tile/Conversion/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

/// The dimensions that are not 1; the first one if there is no other.
static SmallVector<unsigned> getDims(tl::ParallelOp parallel) {
  SmallVector<unsigned> dims;
  for (auto [i, extent] : llvm::enumerate(parallel.getStaticExtents()))
    if (extent != 1)
      dims.push_back(i);
  if (dims.empty())
    dims.push_back(0);
  return dims;
}

Vectorizer::Vectorizer(KernelLowering &lowering, tl::ParallelOp parallel)
    : VectorBuilder(lowering, parallel, getDims(parallel)),
      linear(lowering.b, parallel), dims(getDims(parallel)) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<VectorOperand> Vectorizer::getOperand(Value value) {
  auto known = operands.find(value);
  if (known != operands.end())
    return known->second;
  if (Value before = linear.hoist(value)) {
    VectorOperand operand;
    operand.scalar = before;
    return operand;
  }
  return emitUnsupported(value);
}

/// The value as it is held.
FailureOr<VectorOperand> Vectorizer::getHeld(Value value) {
  FailureOr<VectorOperand> operand = getOperand(value);
  if (succeeded(operand) && operand->scalar && value.getType().isInteger(8))
    operand->scalar =
        arith::ExtSIOp::create(b, loc(), b.getI16Type(), operand->scalar);
  return operand;
}

/// 1 or 0 in f32: of a mask, or of a condition that is the same for all.
FailureOr<VectorOperand> Vectorizer::getCondition(Value condition) {
  Type element = b.getF32Type();
  if (masks.contains(condition))
    return getFlags(*this, masks.lookup(condition), element);
  FailureOr<VectorOperand> value = getOperand(condition);
  if (failed(value))
    return failure();
  if (value->shape != VectorShape::Scalar)
    return emitUnsupported(condition);
  value->scalar = arith::SIToFPOp::create(
      b, loc(), element,
      arith::ExtUIOp::create(b, loc(), b.getI32Type(), value->scalar));
  return value;
}

void Vectorizer::define(Value result, const VectorOperand &operand) {
  operands[result] = operand;
  temps.insert(operand.matrix);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

LogicalResult Vectorizer::vectorize(Operation *op) {
  current = op;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return vectorizeLoad(*this, load);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return vectorizeStore(*this, store);
  if (auto atomic = dyn_cast<tl::AtomicOp>(op))
    return vectorizeAtomic(*this, atomic);
  if (isa<tl::AssumeOp>(op))
    return success();
  // Indices are looked at where they are used.
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      isIndex(op->getResult(0).getType()))
    return success();
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      linear.hoist(op->getResult(0)))
    return success();
  return vectorizeCompute(*this, op);
}

/// The larger or smaller number of two, of which one may be NaN: the vector
/// unit keeps a NaN.
template <typename OpTy, typename LimitOpTy>
static void leaveOutNaN(OpTy op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto getNumber = [&](Value x, Value otherwise) -> Value {
    APFloat number(0.0);
    if (matchPattern(x, m_ConstantFloat(&number)) && !number.isNaN())
      return x;
    Value isNumber =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, x);
    return arith::SelectOp::create(b, loc, isNumber, x, otherwise);
  };
  Value x = op.getLhs(), y = op.getRhs();
  if (!bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::nnan))
    std::tie(x, y) = std::pair(getNumber(x, y), getNumber(y, x));
  // It leaves the sign of a zero open.
  op.replaceAllUsesWith(
      LimitOpTy::create(b, loc, x, y,
                        op.getFastmath() | arith::FastMathFlags::nsz)
          .getResult());
  op.erase();
}

/// Comparisons without an instruction, as two that have one.
static void splitCompare(arith::CmpFOp op) {
  using P = arith::CmpFPredicate;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getLhs(), y = op.getRhs();
  auto compare = [&](P predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, lhs, rhs);
  };
  Value result;
  switch (op.getPredicate()) {
  case P::ORD:
    result = arith::AndIOp::create(b, loc, compare(P::OEQ, x, x),
                                   compare(P::OEQ, y, y));
    break;
  case P::UNO:
    result = arith::OrIOp::create(b, loc, compare(P::UNE, x, x),
                                  compare(P::UNE, y, y));
    break;
  case P::ONE:
    result = arith::OrIOp::create(b, loc, compare(P::OLT, x, y),
                                  compare(P::OGT, x, y));
    break;
  case P::UEQ:
    result = arith::AndIOp::create(b, loc, compare(P::UGE, x, y),
                                   compare(P::ULE, x, y));
    break;
  default:
    return;
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

/// The high half of a product of 32-bit integers, from products of halves of
/// 16 bits: each sum of two is below 2^32.
template <typename OpTy>
static void expandProduct(OpTy op) {
  constexpr bool isSigned = std::is_same_v<OpTy, arith::MulSIExtendedOp>;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getLhs(), y = op.getRhs();
  Type type = x.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value sixteen = constant(16), mask = constant(0xffff);
  auto high = [&](Value v) -> Value {
    return arith::ShRUIOp::create(b, loc, v, sixteen);
  };
  auto low = [&](Value v) -> Value {
    return arith::AndIOp::create(b, loc, v, mask);
  };
  auto multiply = [&](Value a, Value c) -> Value {
    return arith::MulIOp::create(b, loc, a, c);
  };
  auto add = [&](Value a, Value c) -> Value {
    return arith::AddIOp::create(b, loc, a, c);
  };
  Value xl = low(x), xh = high(x), yl = low(y), yh = high(y);
  Value middle = add(multiply(xh, yl), high(multiply(xl, yl)));
  Value other = add(multiply(xl, yh), low(middle));
  Value top = add(multiply(xh, yh), add(high(middle), high(other)));
  if (isSigned) {
    // A negative factor stands for itself and 2^32.
    auto signs = [&](Value of, Value factor) -> Value {
      Value all = arith::ShRSIOp::create(b, loc, of, constant(31));
      return arith::AndIOp::create(b, loc, all, factor);
    };
    top = arith::SubIOp::create(b, loc, top, add(signs(x, y), signs(y, x)));
  }
  op->replaceAllUsesWith(ValueRange{multiply(x, y), top});
  op->erase();
}

/// The product of a value that is computed here alone and a number, where it
/// takes the place of other numbers; null if it does not.
static Value scaleConstants(OpBuilder &b, Value value, double factor) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse())
    return {};
  Location loc = op->getLoc();
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    APFloat number(0.0);
    if (!matchPattern(product.getRhs(), m_ConstantFloat(&number)))
      return {};
    Value scaled = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(value.getType(), number.convertToFloat() * factor));
    return arith::MulFOp::create(b, loc, product.getLhs(), scaled,
                                 product.getFastmath());
  }
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return {};
  SmallVector<Value> sides;
  for (Value side : op->getOperands())
    sides.push_back(scaleConstants(b, side, factor));
  if (!llvm::all_of(sides, [](Value side) { return side; }))
    return {};
  Operation *sum = b.clone(*op);
  sum->setOperands(sides);
  return sum->getResult(0);
}

/// The vector unit has powers of e. Where they need not be exact, the logarithm
/// of 2 goes into the factors that their argument has.
static void scalePower(math::Exp2Op op) {
  if (!op.getType().isF32() ||
      !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
    return;
  OpBuilder b(op);
  SmallVector<Value> unused{op.getOperand()};
  Value scaled = scaleConstants(b, op.getOperand(), M_LN2);
  if (!scaled)
    return;
  op.replaceAllUsesWith(
      math::ExpOp::create(b, op.getLoc(), scaled, op.getFastmath())
          .getResult());
  op.erase();
  while (!unused.empty()) {
    Operation *old = unused.pop_back_val().getDefiningOp();
    if (!old || !isOpTriviallyDead(old))
      continue;
    llvm::append_range(unused, old->getOperands());
    old->erase();
  }
}

/// The 32-bit integer that was widened to the value.
template <typename ExtOp>
static Value getNarrow(Value value) {
  auto extension = value.getDefiningOp<ExtOp>();
  return extension && extension.getIn().getType().isInteger(32)
             ? extension.getIn()
             : Value();
}

/// The high half of a product of 64 bits, of factors that were 32.
template <typename ExtOp, typename ProductOp>
static bool narrowProduct(arith::TruncIOp op) {
  Operation *shift = op.getIn().getDefiningOp();
  if (!op.getType().isInteger(32) ||
      !isa_and_nonnull<arith::ShRUIOp, arith::ShRSIOp>(shift) ||
      getConstantIntValue(shift->getOperand(1)) != 32)
    return false;
  auto product = shift->getOperand(0).getDefiningOp<arith::MulIOp>();
  Value x = product ? getNarrow<ExtOp>(product.getLhs()) : Value(),
        y = product ? getNarrow<ExtOp>(product.getRhs()) : Value();
  if (!x || !y)
    return false;
  OpBuilder b(op);
  auto halves = ProductOp::create(b, op.getLoc(), x, y);
  op.replaceAllUsesWith(halves.getHigh());
  SetVector<Operation *> replaced;
  replaced.insert_range(ArrayRef<Operation *>{op, shift, product});
  for (Value factor : product->getOperands())
    replaced.insert(factor.getDefiningOp());
  for (Operation *old : replaced)
    if (isOpTriviallyDead(old))
      old->erase();
  expandProduct(halves);
  return true;
}

/// What is refused, or becomes other ops, before any is lowered.
static LogicalResult prepare(tl::ParallelOp parallel) {
  RewritePatternSet patterns(parallel.getContext());
  tl::populateExpandClassTestPatterns(patterns);
  walkAndApplyPatterns(parallel, std::move(patterns));
  for (auto op :
       llvm::make_early_inc_range(parallel.getBody().getOps<arith::TruncIOp>()))
    if (!narrowProduct<arith::ExtUIOp, arith::MulUIExtendedOp>(op))
      narrowProduct<arith::ExtSIOp, arith::MulSIExtendedOp>(op);
  for (Operation &op : llvm::make_early_inc_range(parallel.getBody().front())) {
    if (auto larger = dyn_cast<arith::MaxNumFOp>(op))
      leaveOutNaN<arith::MaxNumFOp, arith::MaximumFOp>(larger);
    else if (auto smaller = dyn_cast<arith::MinNumFOp>(op))
      leaveOutNaN<arith::MinNumFOp, arith::MinimumFOp>(smaller);
    else if (auto compare = dyn_cast<arith::CmpFOp>(op))
      splitCompare(compare);
    else if (auto power = dyn_cast<math::Exp2Op>(op))
      scalePower(power);
    else if (auto product = dyn_cast<arith::MulUIExtendedOp>(op);
             product && product.getType(0).isInteger(32))
      expandProduct(product);
    else if (auto product = dyn_cast<arith::MulSIExtendedOp>(op);
             product && product.getType(0).isInteger(32))
      expandProduct(product);
  }
  return success();
}

LogicalResult Vectorizer::run() {
  Location at = parallel.getLoc();
  if (llvm::is_contained(parallel.getStaticExtents(), ShapedType::kDynamic))
    return parallel.emitError("on Ascend, the extents of 'tile.parallel' are "
                              "static; guard the tail instead");
  if (failed(prepare(parallel)))
    return failure();
  if (llvm::is_contained(parallel.getStaticExtents(), 0))
    return success();
  b.setInsertionPoint(parallel);
  // Outer dimensions are loops around vector code.
  Block &body = parallel.getBody().front();
  while (dims.size() > 2) {
    unsigned dim = dims.front();
    dims.erase(dims.begin());
    auto loop = scf::ForOp::create(
        b, at, l.constantIndex(at, 0),
        l.constantIndex(at, parallel.getStaticExtents()[dim]),
        l.constantIndex(at, 1));
    body.getArgument(dim).replaceAllUsesWith(loop.getInductionVar());
    b.setInsertionPoint(loop.getBody()->getTerminator());
  }
  for (auto [i, extent] : llvm::enumerate(parallel.getStaticExtents()))
    if (extent == 1 && !llvm::is_contained(dims, unsigned(i)))
      body.getArgument(i).replaceAllUsesWith(l.constantIndex(at, 0));
  for (Operation &op : body)
    if (failed(vectorize(&op)))
      return failure();
  return success();
}

LogicalResult mlir::tile::ascend::vectorize(KernelLowering &l,
                                            tl::ParallelOp op) {
  return Vectorizer(l, op).run();
}
