//===- Images.cpp - images of convolutions, and those of few channels -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies bring rows of 32 bytes or more. Where a pixel has fewer, as in the
// first layer of a network, the pixels that a row of the window reads are
// written next to each other, with zeros up to such a size:
//
//   rows[n, y, x, q] = image[n, y, x * stride + q / channels, q % channels]
//
// What is left is a convolution along the other axes with q as its channels.
//
//===----------------------------------------------------------------------===//

#include "Images.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// `output * stride + window * dilation`
static bool matchAxis(const Contraction &c, AffineExpr place, ImageAxis &axis) {
  SmallVector<AffineExpr> terms{place};
  bool hasOutput = false;
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    auto binary = dyn_cast<AffineBinaryOpExpr>(term);
    if (binary && term.getKind() == AffineExprKind::Add) {
      terms.append({binary.getLHS(), binary.getRHS()});
      continue;
    }
    int64_t factor = 1;
    if (binary) {
      auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (term.getKind() != AffineExprKind::Mul || !constant)
        return false;
      factor = constant.getValue();
      term = binary.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(term);
    if (!dim || factor < 1)
      return false;
    unsigned loop = dim.getPosition();
    if (!hasOutput && llvm::is_contained(c.m, loop)) {
      hasOutput = true;
      axis.output = loop;
      axis.stride = factor;
    } else if (!axis.window && llvm::is_contained(c.k, loop)) {
      axis.window = loop;
      axis.dilation = factor;
    } else {
      return false;
    }
  }
  return hasOutput;
}

SmallVector<unsigned> Image::getWindows() const {
  SmallVector<unsigned> loops;
  for (const ImageAxis &axis : axes)
    if (axis.window)
      loops.push_back(*axis.window);
  loops.push_back(channel);
  return loops;
}

bool Image::fillsTiles(const Contraction &c) const {
  linalg::LinalgOp op = c.op;
  int64_t pixels = 1, features = op.getStaticLoopRanges()[c.n.front()];
  for (const ImageAxis &axis : axes)
    pixels *= axis.count;
  return pixels >= 32 && !ShapedType::isDynamic(features) && features >= 16;
}

/// The operand of the op that a value of the body is.
static OpOperand *getOperand(const Contraction &c, Value value) {
  linalg::LinalgOp op = c.op;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  return op.getMatchingOpOperand(argument);
}

std::optional<Image> tile::matchImage(const Contraction &c) {
  linalg::LinalgOp op = c.op;
  OpOperand *operand = getOperand(c, c.lhs);
  if (!operand)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(operand);
  Image image;
  image.tensor = operand->get();
  SmallVector<int64_t> low(map.getNumResults(), 0);
  if (auto pad = image.tensor.getDefiningOp<tensor::PadOp>()) {
    Value padding = pad.getConstantPaddingValue();
    if (!padding || (!matchPattern(padding, m_AnyZeroFloat()) &&
                     !matchPattern(padding, m_Zero())))
      return std::nullopt;
    low.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
    image.tensor = pad.getSource();
  }
  auto type = dyn_cast<RankedTensorType>(image.tensor.getType());
  if (!type || type.getRank() < 3 || type.getRank() > 4 ||
      llvm::any_of(low, ShapedType::isDynamic) || low.front() != 0 ||
      low.back() != 0)
    return std::nullopt;
  auto first = dyn_cast<AffineDimExpr>(map.getResults().front());
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!first || !last || !llvm::is_contained(c.m, first.getPosition()) ||
      !llvm::is_contained(c.k, last.getPosition()))
    return std::nullopt;
  image.number = first.getPosition();
  image.channel = last.getPosition();
  image.channels = type.getShape().back();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (int64_t dim = 1; dim + 1 < type.getRank(); ++dim) {
    ImageAxis axis;
    if (!matchAxis(c, map.getResult(dim), axis))
      return std::nullopt;
    axis.low = low[dim];
    axis.extent = type.getDimSize(dim);
    axis.count = ranges[axis.output];
    if (ShapedType::isDynamic(axis.extent) || ShapedType::isDynamic(axis.count))
      return std::nullopt;
    image.axes.push_back(axis);
  }
  SmallVector<unsigned> windows = image.getWindows(), sums = c.k;
  bool isEmpty =
      llvm::any_of(windows, [&](unsigned loop) { return ranges[loop] < 1; });
  llvm::sort(windows);
  llvm::sort(sums);
  if (isEmpty || windows != sums || c.m.size() != image.axes.size() + 1)
    return std::nullopt;
  return image;
}

//===----------------------------------------------------------------------===//
// Few channels
//===----------------------------------------------------------------------===//

namespace {
class RowGatherer {
public:
  RowGatherer(const Contraction &c, const Image &image)
      : c(c), op(c.op), image(image), last(image.axes.back()), loc(op.getLoc()),
        b(op) {}
  bool match();
  linalg::LinalgOp run();

private:
  ArrayRef<ImageAxis> getOthers() const {
    return ArrayRef(image.axes).drop_back();
  }
  Value isBelow(OpBuilder &b, Value index, int64_t extent);
  Value create(ArrayRef<OpFoldResult> shape,
               function_ref<Value(OpBuilder &, ValueRange)> element);
  Value read(OpBuilder &b, Value tensor, SmallVector<Value> at, Value inside,
             unsigned guarded);
  Value gatherImage();
  Value gatherFilter();
  Value padOthers(Value rows);

  const Contraction &c;
  linalg::LinalgOp op;
  const Image &image;
  const ImageAxis &last;
  Location loc;
  OpBuilder b;
  OpOperand *filter = nullptr;
  SmallVector<Operation *, 2> gathered;
  int64_t taps = 1, width = 0, padded = 0;
};
} // namespace

bool RowGatherer::match() {
  unsigned bits = c.operand.getIntOrFloatBitWidth();
  filter = getOperand(c, c.rhs);
  if (!filter || bits > 16 || !c.batch.empty() || c.n.size() != 1 ||
      op.getNumDpsInputs() != 2 ||
      !op.getMatchingIndexingMap(filter).isProjectedPermutation() ||
      image.channels < 1 || image.channels * bits > 128 ||
      !image.fillsTiles(c) ||
      op.getMatchingOpOperand(cast<BlockArgument>(c.lhs)) == filter ||
      !llvm::hasNItems(op.getBlock()->getOps<linalg::IndexOp>(), 0))
    return false;
  auto type = cast<RankedTensorType>(image.tensor.getType());
  for (const ImageAxis &axis : getOthers())
    if (axis.stride > 1 && type.isDynamicDim(0))
      return false;
  if (last.window)
    taps = op.getStaticLoopRanges()[*last.window];
  width = taps * image.channels;
  // Rows of 128 or 64 bytes are copied fastest.
  for (int64_t step : {128 * 8 / bits, 64 * 8 / bits, 32 * 8 / bits}) {
    padded = llvm::alignTo(width, step);
    if (padded * 2 <= width * 3)
      break;
  }
  return true;
}

Value RowGatherer::isBelow(OpBuilder &b, Value index, int64_t extent) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                               arith::ConstantIndexOp::create(b, loc, extent));
}

/// A tensor whose elements are computed from their indices.
Value RowGatherer::create(
    ArrayRef<OpFoldResult> shape,
    function_ref<Value(OpBuilder &, ValueRange)> element) {
  Value empty = tensor::EmptyOp::create(b, loc, shape, c.operand);
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty,
      b.getMultiDimIdentityMap(shape.size()), iterators,
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> indices;
        for (size_t dim = 0; dim < shape.size(); ++dim)
          indices.push_back(linalg::IndexOp::create(b, loc, dim));
        linalg::YieldOp::create(b, loc, element(b, indices));
      });
  gathered.push_back(generic);
  return generic.getResult(0);
}

/// An element, or 0 if it is not `inside`: then its index in one dimension may
/// be anything.
Value RowGatherer::read(OpBuilder &b, Value tensor, SmallVector<Value> at,
                        Value inside, unsigned guarded) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  at[guarded] = arith::SelectOp::create(b, loc, inside, at[guarded], zero);
  Value value = tensor::ExtractOp::create(b, loc, tensor, at);
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(c.operand));
  return arith::SelectOp::create(b, loc, inside, value, none);
}

Value RowGatherer::gatherImage() {
  SmallVector<OpFoldResult> shape{
      tensor::getMixedSize(b, loc, image.tensor, 0)};
  // Strides divide the extents of what is copied.
  for (const ImageAxis &axis : getOthers())
    shape.push_back(b.getIndexAttr(llvm::alignTo(axis.extent, axis.stride)));
  shape.append({b.getIndexAttr(last.count), b.getIndexAttr(padded)});
  return create(shape, [&](OpBuilder &b, ValueRange indices) -> Value {
    AffineExpr x = b.getAffineDimExpr(0), q = b.getAffineDimExpr(1);
    ValueRange at = indices.take_back(2);
    AffineExpr tap = q.floorDiv(image.channels);
    SmallVector<Value> place(indices.drop_back(2));
    llvm::append_range(
        place, applyMap(b, loc,
                        AffineMap::get(
                            2, 0,
                            {x * last.stride + tap * last.dilation - last.low,
                             q % image.channels},
                            b.getContext()),
                        at));
    size_t column = place.size() - 2;
    Value inside = isBelow(b, place[column], last.extent);
    inside = arith::AndIOp::create(b, loc, inside, isBelow(b, at[1], width));
    for (auto [dim, axis] : llvm::enumerate(getOthers())) {
      if (axis.extent % axis.stride == 0)
        continue;
      Value row = isBelow(b, place[dim + 1], axis.extent);
      place[dim + 1] =
          arith::SelectOp::create(b, loc, row, place[dim + 1],
                                  arith::ConstantIndexOp::create(b, loc, 0));
      inside = arith::AndIOp::create(b, loc, inside, row);
    }
    return read(b, image.tensor, place, inside, column);
  });
}

/// Windows along the other axes, the row, features.
Value RowGatherer::gatherFilter() {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> shape;
  SmallVector<unsigned> loops;
  for (const ImageAxis &axis : getOthers())
    if (axis.window) {
      loops.push_back(*axis.window);
      shape.push_back(b.getIndexAttr(ranges[*axis.window]));
    }
  loops.push_back(c.n.front());
  shape.append({b.getIndexAttr(padded),
                tensor::getMixedSize(
                    b, loc, filter->get(),
                    *op.getMatchingIndexingMap(filter).getResultPosition(
                        b.getAffineDimExpr(c.n.front())))});
  return create(shape, [&](OpBuilder &b, ValueRange indices) -> Value {
    DenseMap<unsigned, Value> ivs;
    SmallVector<Value> others(indices);
    Value q = others[others.size() - 2];
    others.erase(others.end() - 2);
    for (auto [loop, index] : llvm::zip_equal(loops, others))
      ivs[loop] = index;
    AffineExpr row = b.getAffineDimExpr(0);
    SmallVector<Value> split =
        applyMap(b, loc,
                 AffineMap::get(
                     1, 0, {row.floorDiv(image.channels), row % image.channels},
                     b.getContext()),
                 q);
    if (last.window)
      ivs[*last.window] = split[0];
    ivs[image.channel] = last.window ? split[1] : q;
    unsigned guarded = last.window.value_or(image.channel), dim = 0;
    SmallVector<Value> place;
    AffineMap map = op.getMatchingIndexingMap(filter);
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      place.push_back(ivs[map.getDimPosition(i)]);
      if (map.getDimPosition(i) == guarded)
        dim = i;
    }
    return read(b, filter->get(), place, isBelow(b, q, width), dim);
  });
}

/// The zeros around the image along the other axes.
Value RowGatherer::padOthers(Value rows) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> low{b.getIndexAttr(0)}, high{b.getIndexAttr(0)};
  SmallVector<int64_t> shape(cast<RankedTensorType>(rows.getType()).getShape());
  bool isPadded = false;
  for (auto [dim, axis] : llvm::enumerate(getOthers())) {
    int64_t reach = (axis.count - 1) * axis.stride + 1;
    if (axis.window)
      reach += (ranges[*axis.window] - 1) * axis.dilation;
    int64_t behind = std::max<int64_t>(reach - axis.low - shape[dim + 1], 0);
    low.push_back(b.getIndexAttr(axis.low));
    high.push_back(b.getIndexAttr(behind));
    shape[dim + 1] += axis.low + behind;
    isPadded |= axis.low != 0 || behind != 0;
  }
  if (!isPadded)
    return rows;
  low.append(2, b.getIndexAttr(0));
  high.append(2, b.getIndexAttr(0));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(c.operand));
  return tensor::PadOp::create(b, loc, RankedTensorType::get(shape, c.operand),
                               rows, low, high, zero);
}

linalg::LinalgOp RowGatherer::run() {
  Value rows = padOthers(gatherImage()), weights = gatherFilter();
  // Its loops are those of the result, the other windows, and the row.
  unsigned count = 0;
  SmallVector<AffineExpr> loops(op.getNumLoops(), b.getAffineConstantExpr(0));
  SmallVector<utils::IteratorType> iterators;
  auto add = [&](unsigned loop, utils::IteratorType kind) {
    loops[loop] = b.getAffineDimExpr(count++);
    iterators.push_back(kind);
  };
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel)
      add(loop, kind);
  SmallVector<AffineExpr> filterPlace;
  for (const ImageAxis &axis : getOthers())
    if (axis.window) {
      add(*axis.window, utils::IteratorType::reduction);
      filterPlace.push_back(loops[*axis.window]);
    }
  add(image.channel, utils::IteratorType::reduction);
  filterPlace.append({loops[image.channel], loops[c.n.front()]});
  SmallVector<AffineExpr> imagePlace{loops[image.number]};
  AffineMap map = op.getMatchingIndexingMap(getOperand(c, c.lhs));
  for (size_t dim = 1; dim < image.axes.size(); ++dim)
    imagePlace.push_back(map.getResult(dim).replaceDims(loops));
  imagePlace.append({loops[last.output], loops[image.channel]});
  OpOperand *init = op.getDpsInitOperand(0);
  SmallVector<AffineExpr> resultPlace;
  for (AffineExpr place : op.getMatchingIndexingMap(init).getResults())
    resultPlace.push_back(place.replaceDims(loops));
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> place :
       {ArrayRef(imagePlace), ArrayRef(filterPlace), ArrayRef(resultPlace)})
    maps.push_back(AffineMap::get(count, 0, place, b.getContext()));
  linalg::LinalgOp made = linalg::GenericOp::create(
      b, loc, op->getResultTypes(), ValueRange{rows, weights}, init->get(),
      maps, iterators, [&](OpBuilder &b, Location loc, ValueRange arguments) {
        IRMapping known;
        known.map(c.lhs, arguments[0]);
        known.map(c.rhs, arguments[1]);
        known.map(op.getRegionOutputArgs().front(), arguments[2]);
        for (Operation &inner : op.getBlock()->without_terminator())
          b.clone(inner, known);
        linalg::YieldOp::create(
            b, loc,
            known.lookup(op.getBlock()->getTerminator()->getOperand(0)));
      });
  // Both are in memory, for the product and for what reads it.
  for (Operation *tensor : gathered)
    emitElements(tensor, /*chain=*/{});
  return made;
}

std::optional<Contraction> tile::gatherWindowRows(const Contraction &c) {
  std::optional<Image> image = matchImage(c);
  if (!image)
    return std::nullopt;
  RowGatherer gatherer(c, *image);
  if (!gatherer.match())
    return std::nullopt;
  linalg::LinalgOp old = c.op, made = gatherer.run();
  remark::passed(old.getLoc(), remark::RemarkOpts::name("GatheredRows")
                                   .category("convert-linalg-to-tile"))
      << remark::reason("pixels of few channels are not copied; a kernel "
                        "writes rows of windows");
  old->getResult(0).replaceAllUsesWith(made->getResult(0));
  return matchContraction(made);
}
