//===- Windows.cpp - convolutions of images in memory ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a product whose rows are pixels of the result. For one place
// in the window and some channels, what the pixels of a rectangle read is a
// rectangle of the image, which the copies of the chip bring. What lies outside
// of the image reads as 0, and so does its padding.
//
// With a stride, pixels are every second, third ... one: of the image as
// (rows / stride) x stride x (columns / stride) x (stride * channels).
//
//===----------------------------------------------------------------------===//

#include "Parameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A dimension of the image between its number and its channels.
struct Axis {
  unsigned output = 0;            ///< the loop over the result
  std::optional<unsigned> window; ///< the one that is summed over
  int64_t stride = 1, dilation = 1, low = 0;
  int64_t extent = 0, count = 0; ///< of the image, and of the result
};

class WindowEmitter {
public:
  WindowEmitter(const Contraction &c, const Chain &chain)
      : c(c), op(c.op), chain(chain), loc(op.getLoc()),
        root(chain.empty() ? op.getOperation() : chain.back()), elements(root) {
  }
  bool match();
  void run(KernelParameters &parameters);

private:
  bool matchImage();
  bool matchAxis(AffineExpr place, Axis &axis) const;
  void chooseTile(KernelParameters &parameters);
  int64_t countTiles(ArrayRef<int64_t> extents);
  Value getImage();
  void copyImage(OpBuilder &b, Value buffer, Value target, Value step,
                 ArrayRef<Value> offsets);
  void store(OpBuilder &b, ProductEmitter &product, const Outputs &outputs,
             Value sum, ArrayRef<Value> offsets);

  Contraction c;
  linalg::LinalgOp op;
  const Chain &chain;
  Location loc;
  Operation *root;
  ElementBuilder elements;

  MatrixView filter;
  Value image;
  unsigned number = 0, channel = 0; ///< loops
  SmallVector<Axis, 2> axes;
  int64_t channels = 0, depth = 0; ///< of the image, and of a tile
  SmallVector<int64_t> tile;       ///< images, and pixels along each axis
  int64_t rows = 1, columns = 0;   ///< of the tile of the product
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// `output * stride + window * dilation`
bool WindowEmitter::matchAxis(AffineExpr place, Axis &axis) const {
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

/// The left operand: images, some axes, and channels innermost.
bool WindowEmitter::matchImage() {
  auto argument = dyn_cast<BlockArgument>(c.lhs);
  if (!argument || argument.getOwner() != op.getBlock())
    return false;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  AffineMap map = op.getMatchingIndexingMap(operand);
  image = operand->get();
  SmallVector<int64_t> low(map.getNumResults(), 0);
  if (auto pad = image.getDefiningOp<tensor::PadOp>()) {
    Value padding = pad.getConstantPaddingValue();
    if (!padding || (!matchPattern(padding, m_AnyZeroFloat()) &&
                     !matchPattern(padding, m_Zero())))
      return false;
    low.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
    image = pad.getSource();
  }
  auto type = dyn_cast<RankedTensorType>(image.getType());
  if (!type || type.getRank() < 3 || type.getRank() > 4 || !isInMemory(image) ||
      llvm::any_of(low, ShapedType::isDynamic) || low.front() != 0 ||
      low.back() != 0)
    return false;
  auto first = dyn_cast<AffineDimExpr>(map.getResults().front());
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!first || !last || !llvm::is_contained(c.m, first.getPosition()) ||
      last.getPosition() != c.k.back())
    return false;
  number = first.getPosition();
  channel = last.getPosition();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> windows;
  for (int64_t dim = 1; dim + 1 < type.getRank(); ++dim) {
    Axis axis;
    if (!matchAxis(map.getResult(dim), axis))
      return false;
    axis.low = low[dim];
    axis.extent = type.getDimSize(dim);
    axis.count = ranges[axis.output];
    if (ShapedType::isDynamic(axis.extent) ||
        ShapedType::isDynamic(axis.count) ||
        (axis.stride > 1 &&
         (axis.extent % axis.stride != 0 || !type.hasStaticShape())))
      return false;
    if (axis.window)
      windows.push_back(*axis.window);
    axes.push_back(axis);
  }
  channels = type.getShape().back();
  // The order of the filter is that of its steps.
  windows.push_back(channel);
  return ArrayRef(c.k) == ArrayRef(windows) && c.m.size() == axes.size() + 1 &&
         llvm::none_of(windows,
                       [&](unsigned loop) { return ranges[loop] < 1; });
}

bool WindowEmitter::match() {
  unsigned bits = c.operand.getIntOrFloatBitWidth();
  SmallVector<unsigned> k = c.k;
  if (bits > 16 || !c.batch.empty() || c.n.size() != 1 ||
      !matchMatrix(op, c.rhs, c.batch, c.n, k, filter))
    return false;
  c.k = k;
  if (!matchImage())
    return false;
  // A step reads up to 128 bytes of each pixel, and whole channels.
  for (int64_t bytes : {128, 64, 32})
    if (depth == 0 && channels % (bytes * 8 / bits) == 0)
      depth = bytes * 8 / bits;
  int64_t pixels = 1;
  for (const Axis &axis : axes)
    pixels *= axis.count;
  int64_t features = op.getStaticLoopRanges()[c.n.front()];
  return depth != 0 && pixels >= 32 && !ShapedType::isDynamic(features) &&
         features >= 16;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t WindowEmitter::countTiles(ArrayRef<int64_t> extents) {
  int64_t images = op.getStaticLoopRanges()[number];
  int64_t count =
      ShapedType::isDynamic(images) ? 1 : llvm::divideCeil(images, extents[0]);
  for (auto [axis, extent] : llvm::zip_equal(axes, extents.drop_front()))
    count *= llvm::divideCeil(axis.count, extent);
  return count;
}

/// A rectangle of pixels that wastes least: of 128, or of 64 if there were too
/// few tiles.
void WindowEmitter::chooseTile(KernelParameters &parameters) {
  int64_t features = op.getStaticLoopRanges()[c.n.front()];
  bool isDynamic = ShapedType::isDynamic(op.getStaticLoopRanges()[number]);
  columns = std::min<int64_t>(llvm::PowerOf2Ceil(features), 128);
  for (int64_t size : {128, 64}) {
    rows = size;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int64_t inner = size; inner >= 1; inner /= 2)
      for (int64_t outer = size / inner; outer >= 1; outer /= 2) {
        SmallVector<int64_t> extents{size / inner / outer};
        if (axes.size() == 2)
          extents.push_back(outer);
        else
          extents.front() *= outer;
        extents.push_back(inner);
        if ((isDynamic && extents.front() != 1) || countTiles(extents) >= least)
          continue;
        least = countTiles(extents);
        tile = extents;
      }
    if (parameters.fillsChip(least * llvm::divideCeil(features, columns)))
      return;
  }
}

/// The image, with the parities of strided axes as dimensions.
Value WindowEmitter::getImage() {
  Value buffer = elements.getBuffer(image);
  if (llvm::all_of(axes, [](const Axis &axis) { return axis.stride == 1; }))
    return buffer;
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape{type.getDimSize(0)};
  SmallVector<ReassociationIndices> split{{0}}, merged{{0}};
  for (const Axis &axis : axes) {
    int64_t dim = shape.size();
    shape.push_back(axis.extent / axis.stride);
    merged.push_back({dim});
    split.push_back({dim});
    if (axis.stride == 1)
      continue;
    shape.push_back(axis.stride);
    merged.push_back({dim + 1});
    split.back().push_back(dim + 1);
  }
  int64_t last = shape.size();
  shape.push_back(channels);
  split.push_back({last});
  // The innermost parity is a part of the channels.
  if (axes.back().stride > 1)
    merged.back().push_back(last);
  else
    merged.push_back({last});
  OpBuilder &host = elements.getHost();
  Value expanded =
      memref::ExpandShapeOp::create(host, loc, shape, buffer, split);
  if (merged.size() == shape.size())
    return expanded;
  return memref::CollapseShapeOp::create(host, loc, expanded, merged);
}

/// Copies what the pixels at the offsets read in one step.
void WindowEmitter::copyImage(OpBuilder &b, Value buffer, Value target,
                              Value step, ArrayRef<Value> offsets) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> shape;
  for (const Axis &axis : axes)
    if (axis.window)
      shape.push_back(b.getIndexAttr(ranges[*axis.window]));
  shape.push_back(b.getIndexAttr(channels / depth));
  SmallVector<Value> places = delinearize(b, loc, step, shape);
  Value channelOffset = mulIndex(b, loc, places.back(), b.getIndexAttr(depth));
  SmallVector<Value> starts{offsets.front()};
  SmallVector<int64_t> sizes{tile.front()};
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  unsigned next = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Axis &axis = axes[i];
    Value window = axis.window ? places[next++] : zero;
    AffineExpr shift = d1 * axis.dilation - axis.low;
    auto apply = [&](AffineExpr expr) {
      return applyMap(b, loc, AffineMap::get(2, 0, expr),
                      {offsets[i + 1], window})
          .front();
    };
    starts.push_back(apply(d0 + shift.floorDiv(axis.stride)));
    sizes.push_back(tile[i + 1]);
    if (axis.stride == 1)
      continue;
    Value parity = apply(shift % axis.stride);
    if (i + 1 == axes.size()) {
      channelOffset =
          addIndex(b, loc, mulIndex(b, loc, parity, b.getIndexAttr(channels)),
                   OpFoldResult(channelOffset));
      continue;
    }
    starts.push_back(parity);
    sizes.push_back(1);
  }
  starts.push_back(channelOffset);
  sizes.push_back(depth);
  CopyOp::create(b, loc, buffer, starts, target, ValueRange(),
                 AffineMapAttr::get(b.getMultiDimIdentityMap(starts.size())),
                 b.getDenseI64ArrayAttr(sizes), AffineMapAttr(),
                 DenseI64ArrayAttr(), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), Value());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void WindowEmitter::store(OpBuilder &b, ProductEmitter &product,
                          const Outputs &outputs, Value sum,
                          ArrayRef<Value> offsets) {
  SmallVector<OpFoldResult> extents =
      getAsIndexOpFoldResult(b.getContext(), tile);
  SmallVector<unsigned> loops{number};
  for (const Axis &axis : axes)
    loops.push_back(axis.output);
  loops.push_back(c.n.front());
  SmallVector<int64_t> sizes(tile);
  sizes.push_back(columns);
  createParallel(b, loc, {rows, columns}, [&](OpBuilder &b, ValueRange local) {
    SmallVector<Value> places = delinearize(b, loc, local[0], extents);
    places.push_back(local[1]);
    SmallVector<Value> ivs(product.sizes.size());
    Value value = memref::LoadOp::create(b, loc, sum, local), inside;
    for (auto [i, loop] : llvm::enumerate(loops)) {
      ivs[loop] = addIndex(b, loc, offsets[i], OpFoldResult(places[i]));
      if (Choice(sizes[i]).divides(product.sizes[loop]))
        continue;
      Value fits =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, ivs[loop],
                                asValue(b, loc, product.sizes[loop]));
      inside = inside ? arith::AndIOp::create(b, loc, inside, fits) : fits;
    }
    OpBuilder::InsertionGuard guard(b);
    if (inside) {
      auto branch = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    SmallVector<Value> at;
    value = product.finish(b, chain, value, ivs, at);
    outputs.store(b, loc, 0, value, at);
  });
}

void WindowEmitter::run(KernelParameters &parameters) {
  OpBuilder b(root);
  Outputs outputs(b, root);
  chooseTile(parameters);
  ProductEmitter product(c, elements, /*tf32=*/false);
  SmallVector<OpFoldResult> shape{product.sizes[number]};
  for (const Axis &axis : axes)
    shape.push_back(product.sizes[axis.output]);
  shape.push_back(product.sizes[c.n.front()]);
  SmallVector<Choice> sizes(tile.begin(), tile.end());
  sizes.push_back(columns);
  TiledKernel tiled = createTiledKernel(b, loc, shape, sizes, rows * 2);
  elements.moveHost(tiled.kernel);
  b = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  Value from = getImage(), other = getMatrixView(elements, loc, filter);
  SmallVector<Choice> box;
  for (int64_t extent : tile)
    if (extent > 1)
      box.push_back(extent);
  box.push_back(depth);
  ProductEmitter::Side left = product.getLeft(), right = product.getRight();
  Value pixels = createTile(b, loc, box, c.operand, MemorySpace::Shared);
  left.transposed = false;
  left.tile = pixels;
  if (box.size() != 2)
    left.tile = ReshapeOp::create(
        b, loc,
        MemRefType::get(
            {rows, depth}, c.operand, MemRefLayoutAttrInterface(),
            MemorySpaceAttr::get(b.getContext(), MemorySpace::Shared)),
        pixels);
  right.transposed = filter.transposed;
  SmallVector<Choice> filterTile{depth, columns};
  if (!right.transposed)
    std::swap(filterTile[0], filterTile[1]);
  right.tile = createTile(b, loc, filterTile, c.operand, MemorySpace::Shared);
  Value sum = createTile(b, loc, {rows, columns}, c.sum, MemorySpace::Fragment);
  FillOp::create(b, loc, sum,
                 arith::ConstantOp::create(b, loc, b.getZeroAttr(c.sum)));
  int64_t steps = *getConstantIntValue(product.volumeK) / depth;
  createPipelined(
      b, elements.getHost(), loc, b.getIndexAttr(steps), /*width=*/1,
      /*stages=*/3, [&](OpBuilder &b, Value step) {
        copyImage(b, from, pixels, step, ArrayRef(tiled.offsets).drop_back());
        SmallVector<Value> place{mulIndex(b, loc, step, b.getIndexAttr(depth)),
                                 tiled.offsets.back()};
        if (!right.transposed)
          std::swap(place[0], place[1]);
        CopyOp::create(b, loc, other, place, right.tile, ValueRange(),
                       AffineMapAttr::get(b.getMultiDimIdentityMap(2)),
                       DenseI64ArrayAttr(), AffineMapAttr(),
                       DenseI64ArrayAttr(), /*is_unsigned=*/false,
                       /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                       TransferAttr(), Value());
        product.multiply(b, left, right, sum, /*clear=*/false);
      });
  store(b, product, outputs, sum, tiled.offsets);
  OpBuilder behind(root);
  outputs.finish(behind);
}

bool tile::emitWindowProduct(const Contraction &contraction, const Chain &chain,
                             KernelParameters &parameters) {
  WindowEmitter emitter(contraction, chain);
  if (!emitter.match())
    return false;
  emitter.run(parameters);
  return true;
}
