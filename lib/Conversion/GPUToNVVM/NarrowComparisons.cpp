//===- NarrowComparisons.cpp - comparisons of indices in 32 bits ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToNVVM/Passes.h"

#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tile {
#define GEN_PASS_DEF_NARROWCOMPARISONSPASS
#include "Tile/Conversion/GPUToNVVM/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr unsigned kBits = 32;

//===----------------------------------------------------------------------===//
// Loops without a known end
//===----------------------------------------------------------------------===//

namespace {
/// Of an integer over all iterations of a loop.
struct Interval {
  int64_t least, most;
};

/// A loop whose end is not known, and the comparisons in it of what grows with
/// its variable: its first iterations, which are all there are in practice,
/// become a loop of their own, in which these have 32 bits.
class LoopSplitter {
public:
  LoopSplitter(DataFlowSolver &solver, scf::ForOp loop)
      : solver(solver), loop(loop) {}

  bool split();

private:
  bool collect();
  void emitRest(OpBuilder &b, Value middle);
  void narrow(OpBuilder &b);
  std::optional<Interval> bound(Value value);
  std::optional<Interval> boundLeaf(Value value);
  bool dependsOnLoop(Value value) {
    return loop.getRegion().isAncestor(value.getParentRegion());
  }

  DataFlowSolver &solver;
  scf::ForOp loop;
  int64_t begin = 0, step = 0, end = 0; // of the first loop
  /// Operands that are compared to what grows.
  SmallVector<OpOperand *> limits;
};
} // namespace

// What grows stays so far below 2^31 that limits can be clamped to 32 bits.
static constexpr int64_t kFar = int64_t(1) << 30;

std::optional<Interval> LoopSplitter::boundLeaf(Value value) {
  auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!state || state->getValue().isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &range = state->getValue().getValue();
  if (range.smin().getSignificantBits() > kBits ||
      range.smax().getSignificantBits() > kBits)
    return std::nullopt;
  return Interval{range.smin().getSExtValue(), range.smax().getSExtValue()};
}

std::optional<Interval> LoopSplitter::bound(Value value) {
  if (value == loop.getInductionVar())
    return Interval{begin, end - step};
  auto *op = value.getDefiningOp();
  std::optional<Interval> found;
  if (isa_and_nonnull<arith::AddIOp>(op)) {
    auto a = bound(op->getOperand(0)), b = bound(op->getOperand(1));
    if (a && b)
      found = Interval{a->least + b->least, a->most + b->most};
  } else if (APInt factor; isa_and_nonnull<arith::MulIOp>(op) &&
                           matchPattern(op->getOperand(1),
                                        m_ConstantInt(&factor)) &&
                           !factor.isNegative() && factor.ult(kFar)) {
    if (auto a = bound(op->getOperand(0)))
      found = Interval{a->least * factor.getSExtValue(),
                       a->most * factor.getSExtValue()};
  } else {
    found = boundLeaf(value);
  }
  if (found && (found->least < -kFar || found->most > kFar))
    return std::nullopt;
  return found;
}

/// Whether the loop holds nothing that waits for other threads and is short.
static bool isShortWork(scf::ForOp loop) {
  constexpr int kMostOps = 100;
  int count = 0;
  return !loop.getBody()
              ->walk([&](Operation *op) {
                bool known =
                    isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::GEPOp>(op) ||
                    isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                                    memref::MemRefDialect, scf::SCFDialect,
                                    vector::VectorDialect>(op->getDialect());
                return known && ++count <= kMostOps ? WalkResult::advance()
                                                    : WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool LoopSplitter::collect() {
  using P = arith::CmpIPredicate;
  constexpr int64_t kLeastComparisons = 4;
  int64_t evaluated = 0;
  limits.clear();
  loop.getBody()->walk([&](arith::CmpIOp op) {
    if (!op.getLhs().getType().isIndex() ||
        !llvm::is_contained({P::slt, P::sle, P::sgt, P::sge},
                            op.getPredicate()))
      return;
    for (OpOperand &limit : op->getOpOperands()) {
      Value grows = op->getOperand(1 - limit.getOperandNumber());
      if (!dependsOnLoop(grows) || boundLeaf(grows) || !bound(grows) ||
          (dependsOnLoop(limit.get()) && !boundLeaf(limit.get())))
        continue;
      int64_t times = 1;
      for (auto inner = op->getParentOfType<scf::ForOp>(); inner != loop;
           inner = inner->getParentOfType<scf::ForOp>())
        times *= std::clamp<int64_t>(
            inner.getStaticTripCount().value_or(APInt(64, 1)).getLimitedValue(
                kLeastComparisons),
            1, kLeastComparisons);
      evaluated += std::min(times, kLeastComparisons);
      limits.push_back(&limit);
      break;
    }
  });
  return evaluated >= kLeastComparisons;
}

/// The iterations from `middle` on, as they were, where there are any.
void LoopSplitter::emitRest(OpBuilder &b, Value middle) {
  Location loc = loop.getLoc();
  b.setInsertionPointAfter(loop);
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                       loop.getUpperBound(), middle);
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(), exists,
                                  /*withElseRegion=*/loop.getNumResults() > 0);
  loop->replaceAllUsesWith(branch.getResults());
  b.setInsertionPointToStart(branch.thenBlock());
  auto rest = cast<scf::ForOp>(b.clone(*loop));
  rest.getLowerBoundMutable().assign(middle);
  rest.getInitArgsMutable().assign(loop.getResults());
  if (loop.getNumResults() == 0)
    return;
  scf::YieldOp::create(b, loc, rest.getResults());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, loop.getResults());
}

/// Counts in 32 bits from here on.
void LoopSplitter::narrow(OpBuilder &b) {
  Location loc = loop.getLoc();
  IntegerType type = b.getIntegerType(kBits);
  for (OpOperand *bound : {&loop.getLowerBoundMutable(),
                           &loop.getUpperBoundMutable(),
                           &loop.getStepMutable()})
    bound->set(arith::IndexCastOp::create(b, loc, type, bound->get()));
  auto variable = cast<BlockArgument>(loop.getInductionVar());
  variable.setType(type);
  b.setInsertionPointToStart(loop.getBody());
  auto wide = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), variable);
  variable.replaceAllUsesExcept(wide, wide);
}

bool LoopSplitter::split() {
  auto first = getConstantIntValue(loop.getLowerBound());
  auto by = getConstantIntValue(loop.getStep());
  if (!loop.getInductionVar().getType().isIndex() || !first || !by ||
      *first < 0 || *first > kFar || *by < 1 || *by > kFar ||
      loop.getUnsignedCmp() || boundLeaf(loop.getUpperBound()) ||
      !isShortWork(loop))
    return false;
  begin = *first, step = *by;
  bool found = false;
  for (int64_t iterations : {1 << 20, 1 << 16, 1 << 12}) {
    end = begin + iterations * step;
    if ((found = collect()))
      break;
  }
  if (!found)
    return false;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value middle =
      arith::MinSIOp::create(b, loc, loop.getUpperBound(), number(end));
  middle = arith::MaxSIOp::create(b, loc, middle, number(begin));
  emitRest(b, middle);
  loop.getUpperBoundMutable().assign(middle);
  b.setInsertionPoint(loop);
  for (OpOperand *limit : limits)
    if (!boundLeaf(limit->get())) {
      Value least = arith::MaxSIOp::create(b, loc, limit->get(), number(-kFar - 1));
      limit->set(arith::MinSIOp::create(b, loc, least, number(kFar + 1)));
    }
  narrow(b);
  return true;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static bool isUnsigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
}

/// Whether the 32 low bits of the value, read as the comparison does, are it.
static bool isNarrow(DataFlowSolver &solver, Value value, bool unsignedBits) {
  auto *state =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!state || state->getValue().isUninitialized())
    return false;
  const ConstantIntRanges &range = state->getValue().getValue();
  if (unsignedBits)
    return range.umax().getActiveBits() <= kBits;
  return range.smin().getSignificantBits() <= kBits &&
         range.smax().getSignificantBits() <= kBits;
}

namespace {
struct NarrowComparisons
    : mlir::tile::impl::NarrowComparisonsPassBase<NarrowComparisons> {
  void runOnOperation() override {
    SmallVector<arith::CmpIOp> comparisons;
    collect(comparisons);
    if (comparisons.empty())
      return;
    std::unique_ptr<DataFlowSolver> found = analyze();
    if (!found)
      return signalPassFailure();
    if (splitLoops(*found)) {
      comparisons.clear();
      collect(comparisons);
      if (!(found = analyze()))
        return signalPassFailure();
    }
    DataFlowSolver &solver = *found;
    llvm::erase_if(comparisons, [&](arith::CmpIOp op) {
      bool unsignedBits = isUnsigned(op.getPredicate());
      return !isNarrow(solver, op.getLhs(), unsignedBits) ||
             !isNarrow(solver, op.getRhs(), unsignedBits);
    });
    for (arith::CmpIOp op : comparisons) {
      OpBuilder b(op);
      for (OpOperand &operand : op->getOpOperands())
        operand.set(arith::IndexCastOp::create(b, op.getLoc(),
                                               b.getIntegerType(kBits),
                                               operand.get()));
    }
  }

private:
  void collect(SmallVectorImpl<arith::CmpIOp> &comparisons) {
    getOperation()->walk([&](arith::CmpIOp op) {
      if (op.getLhs().getType().isIndex())
        comparisons.push_back(op);
    });
  }

  std::unique_ptr<DataFlowSolver> analyze() {
    auto solver = std::make_unique<DataFlowSolver>();
    solver->load<dataflow::DeadCodeAnalysis>();
    solver->load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver->initializeAndRun(getOperation())))
      return nullptr;
    return solver;
  }

  /// Outer loops first; what is in a loop that was split stays.
  bool splitLoops(DataFlowSolver &solver) {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    SmallVector<scf::ForOp> done;
    for (scf::ForOp loop : loops) {
      bool isInside = llvm::any_of(
          done, [&](scf::ForOp outer) { return outer->isAncestor(loop); });
      if (!isInside && LoopSplitter(solver, loop).split())
        done.push_back(loop);
    }
    return !done.empty();
  }
};
} // namespace
