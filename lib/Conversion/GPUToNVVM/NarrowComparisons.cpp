//===- NarrowComparisons.cpp - comparisons of indices in 32 bits ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToNVVM/Passes.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::tile {
#define GEN_PASS_DEF_NARROWCOMPARISONSPASS
#include "Tile/Conversion/GPUToNVVM/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr unsigned kBits = 32;

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
    getOperation().walk([&](arith::CmpIOp op) {
      if (op.getLhs().getType().isIndex())
        comparisons.push_back(op);
    });
    if (comparisons.empty())
      return;
    DataFlowSolver solver;
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(getOperation())))
      return signalPassFailure();
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
};
} // namespace
