//===- VectorMasks.cpp - bits of comparisons ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorMasks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;

/// Rows and columns of compared and selected matrices: more than those of the
/// shape where these do not fill vectors.
static std::pair<std::optional<int64_t>, int64_t>
getMaskExtents(VectorBuilder &v, VectorShape shape) {
  int64_t bytes = 4;
  v.parallel.getBody().walk([&](arith::SelectOp op) {
    Type element = op.getType();
    if (element.isInteger() || supports(v.l, "Select", element))
      bytes = std::min<int64_t>(
          bytes, std::max(2u, element.getIntOrFloatBitWidth() / 8));
  });
  int64_t unit = v.l.spec.repeatBytes / bytes;
  if (!v.rows || shape != VectorShape::Full)
    return {std::nullopt,
            llvm::alignTo(shape == VectorShape::Column ? *v.rows : v.columns,
                          unit)};
  bool follows = v.columns % (v.l.spec.blockBytes / bytes) == 0;
  if (follows && *v.rows * v.columns % unit == 0)
    return {v.rows, v.columns};
  return {v.rows, llvm::alignTo(v.columns, unit)};
}

/// The elements of a shape in what has the extents of a mask.
static Value getMaskPart(VectorBuilder &v, Value whole, VectorShape shape) {
  OpFoldResult zero = v.b.getIndexAttr(0);
  if (v.rows && shape == VectorShape::Full)
    return v.l.buffers.createPart(v.loc(), whole, zero, zero, *v.rows,
                                  v.columns);
  return v.l.buffers.createPart(v.loc(), whole, zero, zero, 1,
                                shape == VectorShape::Column ? *v.rows
                                                             : v.columns);
}

/// The matrix, or a copy of it, with the extents of a mask and without gaps.
static Value fitMask(VectorBuilder &v, Value matrix, VectorShape shape) {
  auto type = cast<MemRefType>(matrix.getType());
  Type element = type.getElementType();
  auto [height, width] = getMaskExtents(v, shape);
  Matrix given = *getMatrix(type);
  if (given.columns == width && given.isContiguous())
    return matrix;
  Value whole = v.l.buffers.createMatrix(v.loc(), height, width, element);
  if (given.columns != width)
    DuplicateOp::create(v.b, v.loc(), whole,
                        v.l.constantOf(v.loc(), element, 0));
  CopyUbOp::create(v.b, v.loc(), getMaskPart(v, whole, shape), matrix);
  return whole;
}

VectorMask mlir::tile::ascend::createMask(VectorBuilder &v, CompareMode mode,
                                          const VectorOperand &source,
                                          Value bound) {
  Value matrix = fitMask(v, source.matrix, source.shape);
  if (isa<MemRefType>(bound.getType()))
    bound = fitMask(v, bound, source.shape);
  auto type = cast<MemRefType>(matrix.getType());
  Value bits = v.l.buffers.createMatrix(
      v.loc(), std::nullopt, type.getNumElements() / 8, v.b.getI8Type());
  CompareOp::create(v.b, v.loc(), mode, bits, matrix, bound);
  return VectorMask{source.shape, bits};
}

/// `yes` or `no`, by the bits of a mask; both have its shape.
Value mlir::tile::ascend::choose(VectorBuilder &v, const VectorMask &mask,
                                 Value yes, Value no) {
  if (mask.isInverted)
    std::swap(yes, no);
  Value a = fitMask(v, yes, mask.shape), c = fitMask(v, no, mask.shape);
  Value result = v.l.buffers.createLike(
      v.loc(), a, cast<MemRefType>(a.getType()).getElementType());
  SelectOp::create(v.b, v.loc(), result, mask.bits, a, c);
  return getMaskPart(v, result, mask.shape);
}

/// 1 where the mask is true, and 0 elsewhere.
VectorOperand mlir::tile::ascend::getFlags(VectorBuilder &v,
                                           const VectorMask &mask,
                                           Type element) {
  auto fill = [&](double value) {
    Value all = v.createTemp(mask.shape, element);
    DuplicateOp::create(v.b, v.loc(), all,
                        v.l.constantOf(v.loc(), element, value));
    return all;
  };
  Value one = fill(1), zero = fill(0);
  return VectorOperand{mask.shape, choose(v, mask, one, zero), Value()};
}

/// The mask of elements that are 1.
VectorMask mlir::tile::ascend::getFlagMask(VectorBuilder &v,
                                           const VectorOperand &flags) {
  return createMask(v, CompareMode::EQ, flags,
                    v.l.constantOf(v.loc(), v.b.getF32Type(), 1));
}

/// The mask, repeated for a shape of more elements.
FailureOr<VectorMask> mlir::tile::ascend::spreadMask(VectorBuilder &v,
                                                     const VectorMask &mask,
                                                     VectorShape shape) {
  if (mask.shape == shape)
    return mask;
  Type element = v.b.getF32Type();
  FailureOr<Value> flags =
      v.materialize(getFlags(v, mask, element), shape, element);
  if (failed(flags))
    return failure();
  return getFlagMask(v, VectorOperand{shape, *flags, Value()});
}
