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

#include "Images.h"
#include "Parameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class WindowEmitter {
public:
  WindowEmitter(const Contraction &c, const Chain &chain)
      : c(c), op(c.op), chain(chain), loc(op.getLoc()),
        root(chain.empty() ? op.getOperation() : chain.back()), elements(root) {
  }
  bool match();
  void run(KernelParameters &parameters);

private:
  void chooseTile(KernelParameters &parameters);
  int64_t countTiles(ArrayRef<int64_t> extents);
  Value getImage();
  void copyImage(OpBuilder &b, Value buffer, Value target, Value step,
                 ArrayRef<Value> offsets);
  SmallVector<unsigned> getLoops() const;
  bool isStoredAsTile();
  void storeTile(OpBuilder &b, ProductEmitter &product, Value result, Value sum,
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
  Image image;
  int64_t depth = 0;             ///< channels of a tile
  SmallVector<int64_t> tile;     ///< images, and pixels along each axis
  int64_t rows = 1, columns = 0; ///< of the tile of the product
  int64_t stages = 3;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

bool WindowEmitter::match() {
  unsigned bits = c.operand.getIntOrFloatBitWidth();
  SmallVector<unsigned> k = c.k;
  if (bits > 16 || !c.batch.empty() || c.n.size() != 1 ||
      !matchMatrix(op, c.rhs, c.batch, c.n, k, filter))
    return false;
  c.k = k;
  std::optional<Image> found = matchImage(c);
  // The order of the filter is that of its steps.
  if (!found || !isInMemory(found->tensor) || c.k != found->getWindows())
    return false;
  image = std::move(*found);
  auto type = cast<RankedTensorType>(image.tensor.getType());
  for (const ImageAxis &axis : image.axes)
    if (axis.stride > 1 &&
        (axis.extent % axis.stride != 0 || !type.hasStaticShape()))
      return false;
  // A step reads up to 128 bytes of each pixel, and whole channels.
  for (int64_t bytes : {128, 64, 32})
    if (depth == 0 && image.channels % (bytes * 8 / bits) == 0)
      depth = bytes * 8 / bits;
  return depth != 0 && image.fillsTiles(c);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t WindowEmitter::countTiles(ArrayRef<int64_t> extents) {
  int64_t images = op.getStaticLoopRanges()[image.number];
  int64_t count =
      ShapedType::isDynamic(images) ? 1 : llvm::divideCeil(images, extents[0]);
  for (auto [axis, extent] : llvm::zip_equal(image.axes, extents.drop_front()))
    count *= llvm::divideCeil(axis.count, extent);
  return count;
}

/// A rectangle of pixels that wastes least: of 128, or of 64 if there were too
/// few tiles. The shared memory of a processor with one block is for stages.
void WindowEmitter::chooseTile(KernelParameters &parameters) {
  int64_t features = op.getStaticLoopRanges()[c.n.front()];
  bool isDynamic =
      ShapedType::isDynamic(op.getStaticLoopRanges()[image.number]);
  columns = std::min<int64_t>(llvm::PowerOf2Ceil(features), 128);
  for (int64_t size : {128, 64}) {
    rows = size;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int64_t inner = size; inner >= 1; inner /= 2)
      for (int64_t outer = size / inner; outer >= 1; outer /= 2) {
        SmallVector<int64_t> extents{size / inner / outer};
        if (image.axes.size() == 2)
          extents.push_back(outer);
        else
          extents.front() *= outer;
        extents.push_back(inner);
        if ((isDynamic && extents.front() != 1) || countTiles(extents) >= least)
          continue;
        least = countTiles(extents);
        tile = extents;
      }
    int64_t blocks = least * llvm::divideCeil(features, columns);
    stages = parameters.fillsChip(blocks * 3 / 4) ? 3 : 6;
    if (parameters.fillsChip(blocks))
      return;
  }
}

/// The image, with the parities of strided axes as dimensions. That of the
/// innermost one is a part of the channels.
Value WindowEmitter::getImage() {
  Value buffer = elements.getBuffer(image.tensor);
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape{type.getDimSize(0)};
  int64_t depth = image.channels;
  for (const ImageAxis &axis : image.axes) {
    shape.push_back(axis.extent / axis.stride);
    if (&axis == &image.axes.back())
      depth *= axis.stride;
    else if (axis.stride > 1)
      shape.push_back(axis.stride);
  }
  shape.push_back(depth);
  if (type.getShape() == ArrayRef(shape))
    return buffer;
  // One reshape: tensor copies would see the dimensions of one between.
  return ReshapeOp::create(elements.getHost(), loc,
                           MemRefType::get(shape, type.getElementType()),
                           buffer);
}

/// Copies what the pixels at the offsets read in one step.
void WindowEmitter::copyImage(OpBuilder &b, Value buffer, Value target,
                              Value step, ArrayRef<Value> offsets) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> shape;
  for (const ImageAxis &axis : image.axes)
    if (axis.window)
      shape.push_back(b.getIndexAttr(ranges[*axis.window]));
  shape.push_back(b.getIndexAttr(image.channels / depth));
  SmallVector<Value> places = delinearize(b, loc, step, shape);
  Value channelOffset = mulIndex(b, loc, places.back(), b.getIndexAttr(depth));
  SmallVector<Value> starts{offsets.front()};
  SmallVector<int64_t> sizes{tile.front()};
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  unsigned next = 0;
  for (size_t i = 0; i < image.axes.size(); ++i) {
    const ImageAxis &axis = image.axes[i];
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
    if (i + 1 == image.axes.size()) {
      channelOffset = addIndex(
          b, loc, mulIndex(b, loc, parity, b.getIndexAttr(image.channels)),
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

SmallVector<unsigned> WindowEmitter::getLoops() const {
  SmallVector<unsigned> loops{image.number};
  for (const ImageAxis &axis : image.axes)
    loops.push_back(axis.output);
  loops.push_back(c.n.front());
  return loops;
}

/// Whether a tile of the sums is one of what is stored.
bool WindowEmitter::isStoredAsTile() {
  SmallVector<AffineExpr> places;
  for (unsigned loop : getLoops())
    places.push_back(getAffineDimExpr(loop, op.getContext()));
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults() ==
             ArrayRef(places) &&
         keepsOrder(chain) && llvm::all_of(chain, [](Operation *next) {
           return isa<linalg::LinalgOp>(next);
         });
}

/// Stores the tile as a rectangle of the result.
void WindowEmitter::storeTile(OpBuilder &b, ProductEmitter &product,
                              Value result, Value sum,
                              ArrayRef<Value> offsets) {
  SmallVector<OpFoldResult> extents =
      getAsIndexOpFoldResult(b.getContext(), tile);
  Value done = product.finishTile(
      b, chain, sum, {rows, columns}, [&](OpBuilder &b, ValueRange local) {
        SmallVector<Value> places = delinearize(b, loc, local[0], extents);
        places.push_back(local[1]);
        SmallVector<Value> ivs(product.sizes.size());
        for (auto [loop, offset, place] :
             llvm::zip_equal(getLoops(), offsets, places))
          ivs[loop] = addIndex(b, loc, offset, OpFoldResult(place));
        return ivs;
      });
  SmallVector<int64_t> box(tile), shape;
  box.push_back(columns);
  for (int64_t extent : box)
    if (extent > 1)
      shape.push_back(extent);
  auto type = cast<MemRefType>(done.getType());
  if (type.getShape() != ArrayRef(shape))
    done = ReshapeOp::create(
        b, loc, MemRefType(MemRefType::Builder(type).setShape(shape)), done);
  CopyOp::create(b, loc, done, ValueRange(), result, offsets, AffineMapAttr(),
                 DenseI64ArrayAttr(),
                 AffineMapAttr::get(b.getMultiDimIdentityMap(offsets.size())),
                 b.getDenseI64ArrayAttr(box), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), Value());
}

void WindowEmitter::store(OpBuilder &b, ProductEmitter &product,
                          const Outputs &outputs, Value sum,
                          ArrayRef<Value> offsets) {
  if (isStoredAsTile())
    return storeTile(b, product, outputs.getBuffer(0), sum, offsets);
  SmallVector<OpFoldResult> extents =
      getAsIndexOpFoldResult(b.getContext(), tile);
  SmallVector<unsigned> loops = getLoops();
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
  SmallVector<OpFoldResult> shape{product.sizes[image.number]};
  for (const ImageAxis &axis : image.axes)
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
      b, elements.getHost(), loc, b.getIndexAttr(steps), /*width=*/1, stages,
      [&](OpBuilder &b, Value step) {
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
  if (emitter.match()) {
    emitter.run(parameters);
    return true;
  }
  std::optional<Contraction> rows = gatherWindowRows(contraction);
  if (!rows)
    return false;
  if (!emitMatrixProduct(*rows, chain, /*tf32=*/false, parameters) &&
      !emitWindowProduct(*rows, chain, parameters))
    emitContraction(*rows, /*group=*/nullptr, chain, /*tf32=*/false,
                    parameters);
  return true;
}
