//===- Fusion.cpp - which linalg ops become one -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "Kernels.h"
#include "Tile/Conversion/LinalgToTile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

// Declared here because the header of linalg's transformations includes
// SCF/Utils/Utils.h, whose function mlir::tile has the name of our namespace.
namespace mlir::linalg {
using ControlFusionFn = std::function<bool(OpOperand *)>;
void populateElementwiseOpsFusionPatterns(RewritePatternSet &patterns,
                                          const ControlFusionFn &control);
void populateFoldReshapeOpsByExpansionPatterns(RewritePatternSet &patterns,
                                               const ControlFusionFn &control);
void populateConstantFoldLinalgOperations(RewritePatternSet &patterns,
                                          const ControlFusionFn &control);
FailureOr<GenericOp> generalizeNamedOp(RewriterBase &rewriter, LinalgOp op);
} // namespace mlir::linalg

namespace mlir::tile {
#define GEN_PASS_DEF_FUSELINALGPASS
#include "Tile/Conversion/LinalgToTile/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The operand whose elements the op moves, if it does nothing else.
static OpOperand *getMovedOperand(linalg::LinalgOp op) {
  if (op->getNumResults() != 1)
    return nullptr;
  auto moved =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!moved || moved.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(moved);
  return op.isDpsInput(operand) ? operand : nullptr;
}

/// Whether the op reads fewer bits than it yields, as a dequantisation does.
static bool isWidening(linalg::LinalgOp op) {
  unsigned bits = 0;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(operand).isPermutation()) {
      Type type = getElementTypeOrSelf(operand->get());
      bits += type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
    }
  Type type = getElementTypeOrSelf(op->getResult(0));
  return type.isIntOrFloat() && bits < type.getIntOrFloatBitWidth();
}

/// Takes loops of one iteration out of a product and of an access: a window of
/// one pixel is no window.
static AffineMap dropUnitLoops(Contraction &product, AffineMap access) {
  SmallVector<int64_t> ranges = product.op.getStaticLoopRanges();
  SmallVector<AffineExpr> loops;
  for (auto [loop, range] : llvm::enumerate(ranges))
    loops.push_back(range == 1 ? getAffineConstantExpr(0, access.getContext())
                               : getAffineDimExpr(loop, access.getContext()));
  for (SmallVector<unsigned> *group : {&product.m, &product.n, &product.k})
    if (llvm::any_of(*group, [&](unsigned loop) { return ranges[loop] != 1; }))
      llvm::erase_if(*group, [&](unsigned loop) { return ranges[loop] == 1; });
  SmallVector<AffineExpr> places;
  for (AffineExpr place : access.getResults()) {
    AffineExpr left = place.replaceDims(loops);
    // What is left of a dimension of one element stays where it is.
    places.push_back(isa<AffineConstantExpr>(left) ? place : left);
  }
  return AffineMap::get(access.getNumDims(), 0, places, access.getContext());
}

/// Whether what is computed element by element becomes a part of the op that
/// reads it. An operand of a product is read many times, and is fastest as a
/// matrix or an image in memory.
static bool isFused(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  if (!producer || !producer->hasOneUse())
    return false;
  auto source = dyn_cast<linalg::LinalgOp>(producer);
  auto reader = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!source || !reader || !isElementwise(source) ||
      !reader.isDpsInput(operand))
    return true;
  std::optional<Contraction> product = matchContraction(reader);
  if (!product)
    return true;
  AffineMap map =
      dropUnitLoops(*product, reader.getMatchingIndexingMap(operand));
  bool isMatrix = product->isMatrix(map, product->readsOnLeft(*operand));
  if (!isMatrix && map.isProjectedPermutation())
    return true;
  OpOperand *moved = getMovedOperand(source);
  if (!moved)
    return isWidening(source);
  if (!isMatrix)
    return true;
  AffineMap result = source.getMatchingIndexingMap(source.getDpsInitOperand(0));
  return product->isMatrix(source.getMatchingIndexingMap(moved)
                               .compose(inversePermutation(result))
                               .compose(map),
                           product->readsOnLeft(*operand));
}

/// Moves extents that a body asks for in front of its op.
static void hoistExtents(func::FuncOp function) {
  function.walk([](tensor::DimOp dim) {
    auto op = dyn_cast<linalg::LinalgOp>(dim->getParentOp());
    if (op && llvm::all_of(dim->getOperands(), [&](Value operand) {
          return operand.getParentRegion() != dim->getParentRegion();
        }))
      dim->moveBefore(op);
  });
}

/// Whether the number is computed from extents so that it is one, or a count of
/// elements, neither of which is negative or overflows.
static bool isCount(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number >= 0;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp, arith::ExtUIOp>(op))
    return true;
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return isCount(select.getTrueValue()) && isCount(select.getFalseValue());
  return isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp, arith::AddIOp,
                         arith::MulIOp, arith::DivSIOp>(op) &&
         llvm::all_of(op->getOperands(), isCount);
}

/// No extent is negative; frontends ask before they compute one that was left
/// open.
static void foldSigns(func::FuncOp function) {
  function.walk([](arith::CmpIOp compare) {
    bool isLess = compare.getPredicate() == arith::CmpIPredicate::slt;
    bool isAtLeast = compare.getPredicate() == arith::CmpIPredicate::sge;
    if ((!isLess && !isAtLeast) || !isCount(compare.getLhs()) ||
        !isConstantIntValue(compare.getRhs(), 0))
      return;
    OpBuilder b(compare);
    compare.replaceAllUsesWith(
        arith::ConstantOp::create(b, compare.getLoc(), b.getBoolAttr(isAtLeast))
            .getResult());
  });
}

/// A convolution with a window of one element is a product of matrices: as a
/// generic op, it loses the loops over its window with the unit dimensions.
static void generalizeUnitWindows(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> found;
  function.walk([&](linalg::LinalgOp op) {
    if (isa<linalg::GenericOp>(op.getOperation()) ||
        llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation();
        }))
      return;
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    if (llvm::any_of(reduced,
                     [&](unsigned loop) { return extents[loop] == 1; }))
      found.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : found) {
    rewriter.setInsertionPoint(op);
    // An op that has no generic form stays as it is.
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

/// Whether a product has a loop of each dimension in both operands but the last
/// one, which one operand lacks: heads of attention that share their keys.
static bool sharesOperand(linalg::LinalgOp product, ArrayRef<int64_t> dims) {
  AffineMap result =
      product.getMatchingIndexingMap(product.getDpsInitOperand(0));
  if (product.getNumDpsInputs() != 2 || dims.size() < 2 ||
      !result.isProjectedPermutation())
    return false;
  AffineMap maps[] = {
      product.getMatchingIndexingMap(product.getDpsInputOperand(0)),
      product.getMatchingIndexingMap(product.getDpsInputOperand(1))};
  auto isInBoth = [&](int64_t dim) {
    unsigned loop = result.getDimPosition(dim);
    return maps[0].isFunctionOfDim(loop) && maps[1].isFunctionOfDim(loop);
  };
  return llvm::all_of(dims.drop_back(), isInBoth) && !isInBoth(dims.back());
}

/// Whether the dimensions are those of a product, or of what is computed from
/// its elements one by one, and one operand of it lacks the last of them.
static bool areSharedHeads(Value tensor, ArrayRef<int64_t> dims,
                           DenseSet<Value> &seen) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || !seen.insert(tensor).second)
    return false;
  if (op.getNumReductionLoops() > 0)
    return sharesOperand(op, dims);
  auto isAlike = [&](OpOperand *operand) {
    return op.getMatchingIndexingMap(operand).isIdentity();
  };
  return op->getNumResults() == 1 && isAlike(op.getDpsInitOperand(0)) &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return isAlike(input) && areSharedHeads(input->get(), dims, seen);
         });
}

/// Whether a reshape is folded into the loops of the op beside it: if nothing
/// else uses it, and where heads of attention that share keys become one
/// dimension, so that all of a softmax has the dimensions of both products.
static bool foldsReshape(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  if (!producer || producer->hasOneUse())
    return producer;
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer);
  auto reader = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!collapse || !reader || matchContraction(reader))
    return false;
  return llvm::any_of(
      collapse.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
        DenseSet<Value> seen;
        return areSharedHeads(collapse.getSrc(), group, seen);
      });
}

namespace {
/// A reshape to extents that are computed, as a collapse and an expansion.
struct SplitReshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!from || !to || from.getRank() == 0 || to.getRank() == 0)
      return b.notifyMatchFailure(op, "expected a known rank above 0");
    auto getFlat = [](RankedTensorType type) {
      int64_t count =
          type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
      return RankedTensorType::get(count, type.getElementType());
    };
    auto getGroup = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(rank))};
    };
    Value value = op.getSource();
    if (from.getRank() > 1)
      value = tensor::CollapseShapeOp::create(b, loc, getFlat(from), value,
                                              getGroup(from.getRank()));
    if (from.hasStaticShape() != to.hasStaticShape())
      value = tensor::CastOp::create(b, loc, getFlat(to), value);
    if (to.getRank() == 1) {
      b.replaceOp(op, value);
      return success();
    }
    SmallVector<OpFoldResult> shape;
    for (auto [dim, extent] : llvm::enumerate(to.getShape())) {
      if (!ShapedType::isDynamic(extent)) {
        shape.push_back(b.getIndexAttr(extent));
        continue;
      }
      Value at = arith::ConstantIndexOp::create(b, loc, dim);
      Value element =
          b.createOrFold<tensor::ExtractOp>(loc, op.getShape(), ValueRange{at});
      if (!element.getType().isIndex())
        element = arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
      shape.push_back(element);
    }
    b.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, to, value,
                                                getGroup(to.getRank()), shape);
    return success();
  }
};

struct FuseLinalg : mlir::tile::impl::FuseLinalgPassBase<FuseLinalg> {
  using FuseLinalgPassBase::FuseLinalgPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    auto hasOneUse = [](OpOperand *operand) {
      Operation *producer = operand->get().getDefiningOp();
      return producer && producer->hasOneUse();
    };
    linalg::populateElementwiseOpsFusionPatterns(patterns, isFused);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, foldsReshape);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, hasOneUse);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    decomposeLinalg(getOperation());
    hoistExtents(getOperation());
    foldSigns(getOperation());
    generalizeUnitWindows(getOperation());
    // It is no error if not everything has been fused.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
    // Behind fusion, which would move these through the ops.
    RewritePatternSet reshapes(context);
    reshapes.add<SplitReshape>(context);
    (void)applyPatternsGreedily(getOperation(), std::move(reshapes), config);
  }
};
} // namespace
