//===- Decompose.cpp - linalg ops that are several ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {
/// An op that is several linalg ops, such as a softmax.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &b) const override {
    if (!cast<DestinationStyleOpInterface>(op.getOperation())
             .hasPureTensorSemantics())
      return failure();
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(b);
    if (failed(results))
      return failure();
    b.replaceOp(op, *results);
    return success();
  }
};

/// A tensor of which each packed dimension is two neighbours: the tiles, and
/// what is in a tile.
struct Unfolded {
  SmallVector<ReassociationIndices> groups; // a dimension: one or two
  SmallVector<int64_t> permutation;         // of these, to the packed ones

  Unfolded(int64_t rank, ArrayRef<int64_t> inner, ArrayRef<int64_t> outer);
};
} // namespace

Unfolded::Unfolded(int64_t rank, ArrayRef<int64_t> inner,
                   ArrayRef<int64_t> outer) {
  int64_t next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    groups.push_back({next++});
    if (llvm::is_contained(inner, dim))
      groups.back().push_back(next++);
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    permutation.push_back(groups[outer.empty() ? dim : outer[dim]].front());
  for (int64_t dim : inner)
    permutation.push_back(groups[dim].back());
}

/// The extents of the dimensions in the order in front of `permutation`.
static SmallVector<OpFoldResult> undo(ArrayRef<int64_t> permutation,
                                      ArrayRef<OpFoldResult> extents) {
  SmallVector<OpFoldResult> result(extents);
  for (auto [to, from] : llvm::enumerate(permutation))
    result[from] = extents[to];
  return result;
}

static OpFoldResult apply(OpBuilder &b, Location loc, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
}

using TensorValue = TypedValue<RankedTensorType>;

/// Source and target of a pack or unpack; null where they are memrefs.
template <typename Op>
static std::pair<TensorValue, TensorValue> getTensors(Op op) {
  auto source = dyn_cast<TensorValue>(op.getSource());
  auto dest = dyn_cast<TensorValue>(op.getDest());
  return source && dest ? std::pair(source, dest)
                        : std::pair<TensorValue, TensorValue>();
}

namespace {
// Not linalg::lowerPack and linalg::lowerUnPack, whose inner tiles are static.

/// A pad up to whole tiles, an expansion, and a transpose.
struct DecomposePack : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &b) const override {
    auto [source, dest] = getTensors(op);
    if (!source)
      return failure();
    Location loc = op.getLoc();
    Unfolded tiles(source.getType().getRank(), op.getInnerDimsPos(),
                   op.getOuterDimsPerm());
    SmallVector<OpFoldResult> unfolded =
        undo(tiles.permutation, tensor::getMixedSizes(b, loc, dest));
    Value whole = op.getPaddingValue()
                      ? pad(b, loc, source, op.getPaddingValue(),
                            fold(b, loc, tiles, unfolded))
                      : Value(source);
    auto [shape, dynamic] = decomposeMixedValues(unfolded);
    Value expanded = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, source.getType().getElementType()),
        whole, tiles.groups, unfolded);
    b.replaceOpWithNewOp<linalg::TransposeOp>(op, expanded, dest,
                                              tiles.permutation);
    return success();
  }

  /// The extents of the dimensions with whole tiles.
  static SmallVector<OpFoldResult> fold(OpBuilder &b, Location loc,
                                        const Unfolded &tiles,
                                        ArrayRef<OpFoldResult> unfolded) {
    SmallVector<OpFoldResult> result;
    AffineExpr count, size;
    bindSymbols(b.getContext(), count, size);
    for (const ReassociationIndices &group : tiles.groups)
      result.push_back(group.size() == 1
                           ? unfolded[group.front()]
                           : apply(b, loc, count * size,
                                   {unfolded[group[0]], unfolded[group[1]]}));
    return result;
  }

  static Value pad(OpBuilder &b, Location loc, TensorValue source, Value value,
                   ArrayRef<OpFoldResult> extents) {
    SmallVector<OpFoldResult> low, high;
    AffineExpr whole, part;
    bindSymbols(b.getContext(), whole, part);
    for (auto [extent, old] :
         llvm::zip(extents, tensor::getMixedSizes(b, loc, source))) {
      low.push_back(b.getIndexAttr(0));
      high.push_back(apply(b, loc, whole - part, {extent, old}));
    }
    auto [shape, dynamic] = decomposeMixedValues(llvm::to_vector(extents));
    auto type = RankedTensorType::get(shape, source.getType().getElementType());
    return tensor::PadOp::create(b, loc, type, source, low, high, value);
  }
};

/// A transpose, a collapse, and the slice without what fills up tiles.
struct DecomposeUnpack : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &b) const override {
    auto [source, dest] = getTensors(op);
    if (!source)
      return failure();
    Location loc = op.getLoc();
    int64_t rank = dest.getType().getRank();
    Unfolded tiles(rank, op.getInnerDimsPos(), op.getOuterDimsPerm());
    Value empty = tensor::EmptyOp::create(
        b, loc, undo(tiles.permutation, tensor::getMixedSizes(b, loc, source)),
        source.getType().getElementType());
    SmallVector<int64_t> back = invertPermutationVector(tiles.permutation);
    Value unfolded =
        linalg::TransposeOp::create(b, loc, source, empty, back)->getResult(0);
    Value whole =
        tensor::CollapseShapeOp::create(b, loc, unfolded, tiles.groups);
    SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)),
        ones(rank, b.getIndexAttr(1));
    b.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, dest.getType(), whole, zeros, tensor::getMixedSizes(b, loc, dest),
        ones);
    return success();
  }
};
/// A branch in a body, without stores, of which both sides are computed.
struct SelectBranch : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp branch,
                                PatternRewriter &b) const override {
    if (!isa<linalg::LinalgOp>(branch->getParentOp()) ||
        branch.getNumResults() == 0)
      return failure();
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      for (Operation &inner : block->without_terminator())
        if (inner.getNumRegions() != 0 || !isMemoryEffectFree(&inner))
          return failure();
    SmallVector<Value> then(branch.thenYield().getOperands()),
        other(branch.elseYield().getOperands());
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      b.eraseOp(block->getTerminator());
      b.inlineBlockBefore(block, branch);
    }
    SmallVector<Value> results;
    for (auto [yes, no] : llvm::zip_equal(then, other))
      results.push_back(arith::SelectOp::create(
          b, branch.getLoc(), branch.getCondition(), yes, no));
    b.replaceOp(branch, results);
    return success();
  }
};
} // namespace

void tile::decomposeLinalg(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  patterns.add<DecomposeAggregate, DecomposePack, DecomposeUnpack,
               SelectBranch>(function.getContext());
  // It is no error if there is nothing to do.
  (void)applyPatternsGreedily(function, std::move(patterns));
}
