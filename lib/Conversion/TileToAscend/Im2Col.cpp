//===- Im2Col.cpp - windows of a convolution ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pixel of a window has C neighbours in GM and in the matrix. Where those are
// whole blocks of 32 bytes at multiples of them, each is a copy; otherwise the
// scalar unit moves the elements.
//
//===----------------------------------------------------------------------===//

#include "ElementConversion.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {
/// Where elements of the matrix come from.
class Windows {
public:
  Windows(OpBuilder &b, tl::Im2ColOp op)
      : b(b), loc(op.getLoc()), op(op),
        image(cast<MemRefType>(op.getImage().getType())) {}

  int64_t channels() const { return image.getDimSize(3); }

  /// The first row (0) or column (1) of the tile in the matrix.
  Value getFirst(unsigned dim) {
    return affine::AffineApplyOp::create(
        b, loc, op.getImageMap().getSubMap({dim}), op.getImageIndices());
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// Quotient and remainder of what is not negative, or a multiple of `by`.
  std::pair<Value, Value> split(Value value, int64_t by) {
    return {arith::DivUIOp::create(b, loc, value, constant(by)),
            arith::RemUIOp::create(b, loc, value, constant(by))};
  }

  /// The pixel (n, h, w) of row p and window position `at`; 0 where it, or
  /// `column`, is outside, which the second result says.
  std::pair<SmallVector<Value>, Value> getPixel(Value p, Value at,
                                                Value column) {
    auto [nh, ow] = split(p, op.getOutputExtent(1));
    auto [n, oh] = split(nh, op.getOutputExtent(0));
    auto [kh, kw] = split(at, op.getKernel()[1]);
    Value h = getPosition(oh, kh), w = getPosition(ow, kw);
    Value inside = isBelow(n, memref::DimOp::create(b, loc, op.getImage(), 0));
    for (Value index : {p, column})
      inside = arith::AndIOp::create(
          b, loc, inside,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index,
                                constant(0)));
    for (auto [value, extent] :
         {std::pair(kh, op.getKernel()[0]), std::pair(h, image.getDimSize(1)),
          std::pair(w, image.getDimSize(2))})
      inside = arith::AndIOp::create(b, loc, inside,
                                     isBelow(value, constant(extent)));
    SmallVector<Value> pixel;
    for (Value index : {n, h, w})
      pixel.push_back(
          arith::SelectOp::create(b, loc, inside, index, constant(0)));
    return {pixel, inside};
  }

private:
  Value isBelow(Value value, Value extent) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value,
                                 extent);
  }
  Value getPosition(Value output, Value tap) {
    Value at = arith::MulIOp::create(b, loc, output, constant(op.getStride()));
    at =
        add(at, arith::MulIOp::create(b, loc, tap, constant(op.getDilation())));
    return arith::SubIOp::create(b, loc, at, constant(op.getPad()));
  }

  OpBuilder &b;
  Location loc;
  tl::Im2ColOp op;
  MemRefType image;
};
} // namespace

/// Whether the C elements of each pixel are whole blocks, in GM and in the
/// tile.
static bool hasWholePixels(tl::Im2ColOp op, MemRefType matrix, int64_t block) {
  auto image = cast<MemRefType>(op.getImage().getType());
  int64_t channels = image.getDimSize(3);
  SmallVector<int64_t> strides;
  int64_t offset;
  return matrix.getRank() == 2 && matrix.getDimSize(1) % channels == 0 &&
         channels * image.getElementTypeBitWidth() / 8 % block == 0 &&
         succeeded(image.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1 &&
         op.getImageMap().getResult(1).isMultipleOf(channels);
}

/// A copy for each pixel of each window, into zeros.
static void createPixelCopies(KernelLowering &l, tl::Im2ColOp op,
                              Value matrix) {
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  Windows windows(b, op);
  auto type = cast<MemRefType>(matrix.getType());
  int64_t channels = windows.channels();
  DuplicateOp::create(b, loc, matrix,
                      l.constantOf(loc, type.getElementType(), 0));
  Value first = windows.getFirst(0);
  Value window = windows.split(windows.getFirst(1), channels).first;
  OpBuilder::InsertionGuard guard(b);
  Value zero = l.constantIndex(loc, 0), one = l.constantIndex(loc, 1);
  auto rows = scf::ForOp::create(b, loc, zero,
                                 l.constantIndex(loc, type.getDimSize(0)), one);
  b.setInsertionPointToStart(rows.getBody());
  auto taps = scf::ForOp::create(
      b, loc, zero, l.constantIndex(loc, type.getDimSize(1) / channels), one);
  b.setInsertionPointToStart(taps.getBody());
  Value row = rows.getInductionVar(), tap = taps.getInductionVar();
  Value position = windows.add(window, tap);
  auto [pixel, inside] =
      windows.getPixel(windows.add(first, row), position, position);
  Value count = arith::SelectOp::create(b, loc, inside, one, zero);
  OpFoldResult unit = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(pixel.begin(), pixel.end()),
      sizes{unit, unit, count, b.getIndexAttr(channels)}, strides(4, unit);
  offsets.push_back(b.getIndexAttr(0));
  auto view = memref::SubViewOp::inferRankReducedResultType(
      {ShapedType::kDynamic, channels},
      cast<MemRefType>(op.getImage().getType()), offsets, sizes, strides);
  Value source = memref::SubViewOp::create(
      b, loc, cast<MemRefType>(view), op.getImage(), offsets, sizes, strides);
  Value column =
      arith::MulIOp::create(b, loc, tap, l.constantIndex(loc, channels));
  CopyGmToUbOp::create(
      b, loc, l.buffers.createPart(loc, matrix, row, column, 1, channels),
      source, Value());
}

namespace {
struct Im2ColModel : LoweringModel<Im2ColModel, tl::Im2ColOp> {
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

LogicalResult Im2ColModel::lowerToInstructions(Operation *self,
                                               KernelLowering &l) const {
  auto op = cast<tl::Im2ColOp>(self);
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getTarget().getType());
  Type element = type.getElementType();
  Value matrix = l.buffers.getMatrixOf(op, op.getTarget());
  if (!matrix)
    return failure();
  if (hasWholePixels(op, cast<MemRefType>(matrix.getType()),
                     l.spec.blockBytes) &&
      getComputeType(l, "Duplicate", element) == element) {
    createPixelCopies(l, op, matrix);
    return success();
  }
  remark::missed(loc, remark::RemarkOpts::name("ScalarWindows")
                          .category("convert-tile-to-ascend"))
      << remark::reason("the scalar unit moves each element: the channels of a "
                        "pixel are no whole blocks of {0} bytes",
                        l.spec.blockBytes);
  Windows windows(b, op);
  Value first[] = {windows.getFirst(0), windows.getFirst(1)};
  Value zero = l.constantOf(loc, element, 0);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> at;
  for (int64_t extent : type.getShape()) {
    auto loop = scf::ForOp::create(b, loc, l.constantIndex(loc, 0),
                                   l.constantIndex(loc, extent),
                                   l.constantIndex(loc, 1));
    b.setInsertionPointToStart(loop.getBody());
    at.push_back(loop.getInductionVar());
  }
  Value column = windows.add(first[1], at[1]);
  auto [tap, channel] = windows.split(column, windows.channels());
  auto [pixel, inside] =
      windows.getPixel(windows.add(first[0], at[0]), tap, column);
  pixel.push_back(channel);
  auto value = scf::IfOp::create(
      b, loc, inside,
      [&, indices = pixel](OpBuilder &then, Location loc) {
        Value read = memref::LoadOp::create(then, loc, op.getImage(), indices);
        scf::YieldOp::create(then, loc, read);
      },
      [&](OpBuilder &otherwise, Location loc) {
        scf::YieldOp::create(otherwise, loc, zero);
      });
  auto indices = l.buffers.getMatrixIndices(op, op.getTarget(), at, matrix);
  if (failed(indices))
    return failure();
  memref::StoreOp::create(b, loc, value.getResult(0), matrix, *indices);
  return success();
}

void mlir::tile::ascend::attachIm2ColModels(MLIRContext *context) {
  tl::Im2ColOp::attachInterface<Im2ColModel>(*context);
}
