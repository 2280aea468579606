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

/// What is refused, or becomes other ops, before any is lowered.
static LogicalResult prepare(tl::ParallelOp parallel) {
  RewritePatternSet patterns(parallel.getContext());
  tl::populateExpandClassTestPatterns(patterns);
  walkAndApplyPatterns(parallel, std::move(patterns));
  for (Operation &op : llvm::make_early_inc_range(parallel.getBody().front())) {
    if (isa<tl::AllocOp>(op))
      return op.emitError("a buffer of one iteration cannot be lowered to "
                          "Ascend; keep a value instead, or a tile outside of "
                          "'tile.parallel'");
    if (auto larger = dyn_cast<arith::MaxNumFOp>(op))
      leaveOutNaN<arith::MaxNumFOp, arith::MaximumFOp>(larger);
    else if (auto smaller = dyn_cast<arith::MinNumFOp>(op))
      leaveOutNaN<arith::MinNumFOp, arith::MinimumFOp>(smaller);
    else if (auto compare = dyn_cast<arith::CmpFOp>(op))
      splitCompare(compare);
  }
  return success();
}

LogicalResult Vectorizer::run() {
  Location at = parallel.getLoc();
  if (failed(prepare(parallel)))
    return failure();
  if (llvm::is_contained(parallel.getStaticExtents(), ShapedType::kDynamic))
    return parallel.emitError("on Ascend, the extents of 'tile.parallel' are "
                              "static; guard the tail instead");
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
