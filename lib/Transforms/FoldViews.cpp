//===- FoldViews.cpp - parts of buffers as regions of them ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tile {
#define GEN_PASS_DEF_FOLDVIEWSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static bool isGlobal(Value buffer) {
  return getMemorySpace(buffer) == MemorySpace::Global;
}

namespace {
/// The offsets of a region under construction: expressions over operands.
class Offsets {
public:
  explicit Offsets(const BufferRegion &from)
      : map(from.map ? from.map
                     : AffineMap::getMultiDimIdentityMap(
                           0, from.buffer.getContext())),
        operands(from.operands), context(from.buffer.getContext()) {
    if (!from.map)
      map = AffineMap::get(0, 0,
                           SmallVector<AffineExpr>(
                               from.sizes.size(),
                               getAffineConstantExpr(0, context)),
                           context);
  }

  AffineExpr get(unsigned dim) const { return map.getResult(dim); }
  AffineExpr get(OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return getAffineConstantExpr(*constant, context);
    added.push_back(cast<Value>(value));
    return getAffineDimExpr(map.getNumDims() + added.size() - 1, context);
  }
  /// The region at these offsets.
  BufferRegion build(Value buffer, ArrayRef<AffineExpr> results,
                     ArrayRef<int64_t> sizes) const {
    BufferRegion region;
    region.buffer = buffer;
    region.map = simplifyAffineMap(
        AffineMap::get(map.getNumDims() + added.size(), map.getNumSymbols(),
                       results, context));
    region.operands.append(operands.begin(),
                           operands.begin() + map.getNumDims());
    llvm::append_range(region.operands, added);
    region.operands.append(operands.begin() + map.getNumDims(),
                           operands.end());
    region.sizes.assign(sizes.begin(), sizes.end());
    return region;
  }

private:
  AffineMap map;
  SmallVector<Value> operands, added;
  MLIRContext *context;
};
} // namespace

/// Whether dimension `dim` of the view has all of dimension `of` of its source.
static bool isWholeDim(memref::SubViewOp view, unsigned of) {
  if (!isConstantIntValue(view.getMixedOffsets()[of], 0))
    return false;
  OpFoldResult size = view.getMixedSizes()[of];
  int64_t extent = view.getSourceType().getDimSize(of);
  if (!ShapedType::isDynamic(extent))
    return isConstantIntValue(size, extent);
  auto value = dyn_cast<Value>(size);
  auto dim = value ? value.getDefiningOp<memref::DimOp>() : memref::DimOp();
  return dim && dim.getSource() == view.getSource() &&
         dim.getConstantIndex() == of;
}

/// The region in the source of the view; none where it would not be bounded by
/// the view.
static std::optional<BufferRegion>
findInSource(Operation *op, memref::SubViewOp view, const BufferRegion &region) {
  SmallVector<bool> proven(region.sizes.size(), true);
  if (isGlobal(view.getSource()))
    proven = findProvenDims(op, region);
  Offsets offsets(region);
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<AffineExpr> results;
  SmallVector<int64_t> sizes;
  unsigned next = 0;
  for (auto [dim, start] : llvm::enumerate(view.getMixedOffsets())) {
    AffineExpr at = offsets.get(start);
    if (dropped[dim]) {
      results.push_back(at);
      sizes.push_back(1);
      continue;
    }
    if (!isConstantIntValue(view.getMixedStrides()[dim], 1) ||
        (!proven[next] && !isWholeDim(view, dim)))
      return std::nullopt;
    results.push_back(at + offsets.get(next));
    sizes.push_back(region.sizes[next++]);
  }
  return offsets.build(view.getSource(), results, sizes);
}

/// Offset and extent in each of `shape`, which one dimension merges; false
/// where the tile may cross from one row of the innermost to the next.
static bool splitOffset(AffineExpr offset, int64_t size,
                        ArrayRef<int64_t> shape,
                        SmallVectorImpl<AffineExpr> &results,
                        SmallVectorImpl<int64_t> &sizes) {
  if (shape.size() == 1) {
    results.push_back(offset);
    sizes.push_back(size);
    return true;
  }
  int64_t inner = shape.back();
  if (inner % size != 0 || !offset.isMultipleOf(size))
    return false;
  int64_t below = ShapedType::getNumElements(shape.drop_front());
  for (auto [i, extent] : llvm::enumerate(shape)) {
    // What lies behind the end stays behind it, in the outermost.
    AffineExpr at = offset.floorDiv(below);
    results.push_back(i == 0 ? at : at % extent);
    sizes.push_back(i + 1 == shape.size() ? size : 1);
    if (i + 1 < shape.size())
      below /= shape[i + 1];
  }
  return true;
}

static std::optional<BufferRegion> findInSource(ReshapeOp reshape,
                                                const BufferRegion &region) {
  auto from = cast<MemRefType>(reshape.getSource().getType());
  auto to = cast<MemRefType>(reshape.getView().getType());
  if (!isGlobal(reshape.getSource()) || from.getRank() < to.getRank())
    return std::nullopt;
  auto groups = getReassociationIndicesForCollapse(from.getShape(),
                                                   to.getShape());
  if (!groups || llvm::is_contained(from.getShape(), 0))
    return std::nullopt;
  Offsets offsets(region);
  SmallVector<AffineExpr> results;
  SmallVector<int64_t> sizes;
  for (auto [dim, group] : llvm::enumerate(*groups))
    if (!splitOffset(offsets.get(dim), region.sizes[dim],
                     from.getShape().slice(group.front(), group.size()),
                     results, sizes))
      return std::nullopt;
  return offsets.build(reshape.getSource(), results, sizes);
}

/// The dimension of a group that is more than 1 by its type, or the first one;
/// none of a group with several.
static std::optional<int64_t> findOnlyDim(ArrayRef<int64_t> group,
                                          ArrayRef<int64_t> shape) {
  auto isLong = [&](int64_t dim) { return shape[dim] != 1; };
  if (llvm::count_if(group, isLong) > 1)
    return std::nullopt;
  auto found = llvm::find_if(group, isLong);
  return found == group.end() ? group.front() : *found;
}

/// Dynamic extents are only those of dimensions of 1 that go or come.
static std::optional<BufferRegion> findInSource(memref::CollapseShapeOp view,
                                                const BufferRegion &region) {
  if (!isGlobal(view.getSrc()) || !view.getSrcType().getLayout().isIdentity())
    return std::nullopt;
  Offsets offsets(region);
  unsigned rank = view.getSrcType().getRank();
  SmallVector<AffineExpr> results(rank,
                                  getAffineConstantExpr(0, view.getContext()));
  SmallVector<int64_t> sizes(rank, 1);
  for (auto [dim, group] : llvm::enumerate(view.getReassociationIndices())) {
    auto only = findOnlyDim(group, view.getSrcType().getShape());
    if (!only)
      return std::nullopt;
    results[*only] = offsets.get(dim);
    sizes[*only] = region.sizes[dim];
  }
  return offsets.build(view.getSrc(), results, sizes);
}

static std::optional<BufferRegion> findInSource(memref::ExpandShapeOp view,
                                                const BufferRegion &region) {
  if (!isGlobal(view.getSrc()) || !view.getSrcType().getLayout().isIdentity())
    return std::nullopt;
  Offsets offsets(region);
  SmallVector<AffineExpr> results;
  SmallVector<int64_t> sizes;
  for (ArrayRef<int64_t> group : view.getReassociationIndices()) {
    auto only = findOnlyDim(group, view.getResultType().getShape());
    if (!only)
      return std::nullopt;
    // Behind the one place of a dimension of 1 there is padding.
    for (int64_t dim : group)
      if (dim != *only &&
          (region.sizes[dim] != 1 ||
           offsets.get(dim) != getAffineConstantExpr(0, view.getContext())))
        return std::nullopt;
    results.push_back(offsets.get(*only));
    sizes.push_back(region.sizes[*only]);
  }
  return offsets.build(view.getSrc(), results, sizes);
}

static std::optional<BufferRegion> findInSource(Operation *op,
                                                const BufferRegion &region) {
  if (llvm::any_of(region.sizes, ShapedType::isDynamic))
    return std::nullopt;
  Operation *def = region.buffer.getDefiningOp();
  if (auto view = dyn_cast_or_null<memref::SubViewOp>(def))
    return findInSource(op, view, region);
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(def))
    return findInSource(reshape, region);
  if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(def))
    return findInSource(collapse, region);
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(def))
    return findInSource(expand, region);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether it has made one of the sides a region of what that is a view of.
static bool foldCopy(CopyOp copy) {
  BufferRegion source = copy.getSourceRegion(), target = copy.getTargetRegion();
  auto from = findInSource(copy, source), to = findInSource(copy, target);
  if (!from && !to)
    return false;
  auto getMap = [](const BufferRegion &region) {
    return AffineMapAttr::get(region.map);
  };
  auto getSizes = [&](const BufferRegion &region) {
    return DenseI64ArrayAttr::get(copy.getContext(), region.sizes);
  };
  if (from) {
    copy.getSourceMutable().assign(from->buffer);
    copy.getSourceIndicesMutable().assign(from->operands);
    copy.setSourceMapAttr(getMap(*from));
    copy.setSourceSizesAttr(getSizes(*from));
  }
  if (to) {
    copy.getTargetMutable().assign(to->buffer);
    copy.getTargetIndicesMutable().assign(to->operands);
    copy.setTargetMapAttr(getMap(*to));
    copy.setTargetSizesAttr(getSizes(*to));
  }
  return true;
}

/// The tile that a part is taken of, if the operand is one.
static memref::SubViewOp findPart(Value operand) {
  auto view = operand.getDefiningOp<memref::SubViewOp>();
  return view && !isGlobal(view.getSource()) ? view : memref::SubViewOp();
}

/// Gives the op a tile of its own for each part of a tile that it takes.
static LogicalResult separateParts(Operation *op) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(op, accesses)))
    return success();
  for (OpOperand &operand : op->getOpOperands()) {
    memref::SubViewOp part = findPart(operand.get());
    if (!part)
      continue;
    bool reads = false, writes = false;
    for (const Access &access : accesses)
      if (access.operand == &operand) {
        reads |= access.kind != AccessKind::Write;
        writes |= access.kind != AccessKind::Read;
      }
    for (OpFoldResult stride : part.getMixedStrides())
      if (!isConstantIntValue(stride, 1))
        return op->emitOpError("takes a part of a tile with strides other "
                               "than 1; copy it to a tile of its own first");
    MemRefType type = part.getType();
    if (llvm::is_contained(type.getShape(), 0))
      return op->emitOpError("expected a part of a tile to have elements, got ")
             << formatShape(type.getShape());
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value tile = AllocOp::create(
        b, loc,
        MemRefType::get(type.getShape(), type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace()),
        LayoutAttr(), IntegerAttr());
    auto copy = [&](Value from, Value to) {
      CopyOp::create(b, loc, from, ValueRange(), to, ValueRange(),
                     AffineMapAttr(), DenseI64ArrayAttr(), AffineMapAttr(),
                     DenseI64ArrayAttr(), /*is_unsigned=*/false,
                     /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                     TransferAttr(), /*signal=*/Value());
    };
    if (reads)
      copy(part, tile);
    b.setInsertionPointAfter(op);
    if (writes)
      copy(tile, part);
    operand.set(tile);
    remark::missed(loc, remark::RemarkOpts::name("PartOfTile")
                            .category("tile-fold-views"))
        << remark::reason("'{0}' takes whole tiles; the part of {1} has one of "
                          "its own",
                          op->getName().getStringRef(),
                          formatShape(type.getShape()));
  }
  return success();
}

/// One op for all views that only change the shape.
static void unifyReshape(Operation *op) {
  auto from = cast<MemRefType>(op->getOperand(0).getType());
  auto to = cast<MemRefType>(op->getResult(0).getType());
  if (!from.hasStaticShape() || !to.hasStaticShape() ||
      !from.getLayout().isIdentity() || !to.getLayout().isIdentity())
    return;
  OpBuilder b(op);
  op->replaceAllUsesWith(
      ReshapeOp::create(b, op->getLoc(), to, op->getOperand(0)));
  op->erase();
}

/// The extent of a buffer; of one with joined or divided dimensions, from those
/// of the memory.
static OpFoldResult getExtent(OpBuilder &b, Location loc, Value buffer,
                              int64_t dim) {
  Operation *view = buffer.getDefiningOp();
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(view))
    return expand.getMixedOutputShape()[dim];
  auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(view);
  if (!collapse)
    return memref::getMixedSize(b, loc, buffer, dim);
  AffineExpr product = b.getAffineConstantExpr(1);
  SmallVector<OpFoldResult> extents;
  ReassociationIndices group = collapse.getReassociationIndices()[dim];
  for (int64_t joined : group) {
    product = product * b.getAffineSymbolExpr(extents.size());
    extents.push_back(getExtent(b, loc, collapse.getSrc(), joined));
  }
  return affine::makeComposedFoldedAffineApply(b, loc, product, extents);
}

/// Extents of views, grids among them, follow from those of the memory.
static void foldExtents(Operation *root) {
  root->walk([](memref::DimOp dim) {
    Value buffer = dim.getSource();
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(
            buffer.getDefiningOp()) ||
        !index || *index < 0 ||
        *index >= cast<MemRefType>(buffer.getType()).getRank())
      return;
    OpBuilder b(dim);
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
        b, dim.getLoc(), getExtent(b, dim.getLoc(), buffer, *index)));
    dim.erase();
  });
}

static bool isRowMajor(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
}

/// What is left of dynamic dimensions that are joined or divided, as a cast that
/// names its extents: upstream divides by one dynamic extent alone, and Ascend C
/// has no other views.
static void castView(Operation *view) {
  Value source = view->getOperand(0);
  auto type = cast<MemRefType>(view->getResult(0).getType());
  auto expand = dyn_cast<memref::ExpandShapeOp>(view);
  if (type.hasStaticShape() || !isGlobal(source) ||
      !(expand || isRowMajor(source)))
    return;
  OpBuilder b(view);
  Location loc = view->getLoc();
  auto multiply = [&](OpFoldResult lhs, OpFoldResult rhs) {
    return affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1),
        {lhs, rhs});
  };
  // What the type does not know, the cast does not either.
  auto fit = [&](OpFoldResult value, int64_t known) -> OpFoldResult {
    if (ShapedType::isDynamic(known))
      return getValueOrCreateConstantIndexOp(b, loc, value);
    return b.getIndexAttr(known);
  };
  SmallVector<int64_t> knownStrides;
  int64_t knownOffset;
  if (failed(type.getStridesAndOffset(knownStrides, knownOffset)))
    return;
  OpFoldResult offset = b.getIndexAttr(0), stride = b.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes, strides(type.getRank());
  for (auto [dim, known] : llvm::enumerate(type.getShape()))
    sizes.push_back(fit(getExtent(b, loc, view->getResult(0), dim), known));
  auto addStride = [&](int64_t dim) {
    strides[dim] = fit(stride, knownStrides[dim]);
    stride = multiply(stride, sizes[dim]);
  };
  if (isRowMajor(source)) {
    for (int64_t dim = type.getRank(); dim-- > 0;)
      addStride(dim);
  } else {
    auto known = memref::ExtractStridedMetadataOp::create(b, loc, source);
    offset = known.getConstifiedMixedOffset();
    SmallVector<OpFoldResult> old = known.getConstifiedMixedStrides();
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices())) {
      stride = old[dim];
      for (int64_t part : llvm::reverse(group))
        addStride(part);
    }
  }
  view->getResult(0).replaceAllUsesWith(memref::ReinterpretCastOp::create(
      b, loc, type, source, fit(offset, knownOffset), sizes, strides));
  view->erase();
}

/// The same of one shape of memory that is seen as another one.
static void castReshape(ReshapeOp view) {
  auto type = cast<MemRefType>(view.getResult().getType());
  OpBuilder b(view);
  view.replaceAllUsesWith(
      memref::ReinterpretCastOp::create(
          b, view.getLoc(), type, view.getSource(), b.getIndexAttr(0),
          getAsIndexOpFoldResult(b.getContext(), type.getShape()),
          getAsIndexOpFoldResult(b.getContext(),
                                 type.getStridesAndOffset().first))
          .getResult());
  view.erase();
}

/// Row-major ones stay on GPUs, which know more of a view than of a cast.
static void castViews(Operation *root) {
  const ::tile::target::Target *target = lookupTarget(root);
  if (!target)
    return;
  if (target->getAscend())
    root->walk([](ReshapeOp view) {
      if (isGlobal(view.getSource()))
        castReshape(view);
    });
  SmallVector<Operation *> views;
  root->walk([&](Operation *op) {
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op) &&
        !(target->getGPU() && isRowMajor(op->getOperand(0))))
      views.push_back(op);
  });
  // What a view shows is there until the views of it are casts.
  for (Operation *view : llvm::reverse(views))
    castView(view);
}

namespace {
struct FoldViewsPass : mlir::tile::impl::FoldViewsPassBase<FoldViewsPass> {
  using FoldViewsPassBase::FoldViewsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
        unifyReshape(op);
    });
    bool hasViews = false;
    getOperation()->walk([&](Operation *op) {
      hasViews |= isa<memref::SubViewOp, ReshapeOp, memref::ExpandShapeOp,
                      memref::CollapseShapeOp>(op);
    });
    if (!hasViews)
      return;
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<TileAccessOpInterface>(op) && !isa<CopyOp>(op) &&
          op->getParentOfType<KernelOp>())
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(separateParts(op)))
        return signalPassFailure();
    getOperation()->walk([](CopyOp copy) {
      while (foldCopy(copy))
        ;
    });
    // Element accesses, whose bounds have been made explicit.
    RewritePatternSet list(&getContext());
    memref::populateFoldMemRefAliasOpPatterns(list);
    // Places in memory whose dimensions are joined or divided.
    affine::populateAffineExpandIndexOpsAsAffinePatterns(list);
    FrozenRewritePatternSet patterns(std::move(list));
    getOperation()->walk([&](KernelOp kernel) {
      SmallVector<Operation *> accesses;
      kernel.walk([&](Operation *op) {
        if (isa<memref::LoadOp, memref::StoreOp, vector::LoadOp,
                vector::StoreOp>(op))
          accesses.push_back(op);
      });
      (void)applyOpPatternsGreedily(accesses, patterns);
      SmallVector<Operation *> places;
      kernel.walk([&](Operation *op) {
        if (isa<affine::AffineLinearizeIndexOp,
                affine::AffineDelinearizeIndexOp>(op))
          places.push_back(op);
      });
      (void)applyOpPatternsGreedily(places, patterns);
    });
    foldExtents(getOperation());
    // Parts of parts come behind what they are parts of.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isa<memref::SubViewOp, memref::CollapseShapeOp,
                  memref::ExpandShapeOp>(op) &&
              op->use_empty())
            op->erase();
        });
    castViews(getOperation());
  }
};
} // namespace
