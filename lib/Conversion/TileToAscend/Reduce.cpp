//===- Reduce.cpp - reductions by the vector unit -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {
/// The instructions of a kind: across lanes, and of two vectors.
struct Combine {
  ReduceKind across;
  BinaryKind pair;
  bool absolute;
};

/// Folds a matrix down to a vector, in a buffer of its own.
class Folder {
public:
  Folder(KernelLowering &lowering, Operation *op, Combine combine)
      : l(lowering), loc(op->getLoc()), combine(combine) {}

  /// One element for each row.
  Value foldRows(Value source, Type element);
  /// One element for each column.
  Value foldColumns(Value source, Type element);

private:
  Value getColumns(Value matrix, int64_t from, int64_t count) {
    return l.createPart(loc, matrix, l.b.getIndexAttr(0),
                        l.b.getIndexAttr(from), getRows(matrix), count);
  }
  int64_t getRows(Value matrix) {
    return getMatrix(cast<MemRefType>(matrix.getType()))->rows;
  }
  void create(Value target, Value lhs, Value rhs) {
    BinaryOp::create(l.b, loc, combine.pair, target, lhs, rhs);
  }

  KernelLowering &l;
  Location loc;
  Combine combine;
};
} // namespace

Value Folder::foldRows(Value source, Type element) {
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t lanes =
      l.spec.repeatBytes / (element.getIntOrFloatBitWidth() / 8);
  int64_t width = shape.columns;
  bool isVector = cast<MemRefType>(source.getType()).getRank() == 1;
  Value folded;
  while (width > lanes) {
    // The first half takes in the second.
    int64_t half = llvm::alignTo(llvm::divideCeil(width, 2), lanes);
    Value from = folded ? folded : source;
    if (!folded)
      folded = l.createMatrix(
          loc, isVector ? std::nullopt : std::optional(shape.rows), half,
          element);
    create(getColumns(folded, 0, width - half),
           getColumns(from, 0, width - half),
           getColumns(from, half, width - half));
    if (from == source && width - half < half)
      CopyUbOp::create(l.b, loc,
                       getColumns(folded, width - half, 2 * half - width),
                       getColumns(from, width - half, 2 * half - width));
    width = half;
  }
  Value row = folded ? getColumns(folded, 0, width) : source;
  Value result = l.createMatrix(loc, std::nullopt, shape.rows, element);
  ReduceOp::create(l.b, loc, combine.across, result, row);
  return result;
}

Value Folder::foldColumns(Value source, Type element) {
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  auto getPart = [&](Value matrix, int64_t from, int64_t count) {
    return l.createPart(loc, matrix, l.b.getIndexAttr(from),
                        l.b.getIndexAttr(0), count, shape.columns);
  };
  int64_t height = llvm::divideCeil(shape.rows, 2);
  Value folded = l.createMatrix(loc, height, shape.columns, element);
  CopyUbOp::create(l.b, loc, folded, getPart(source, 0, height));
  if (height < shape.rows)
    create(getPart(folded, 0, shape.rows - height),
           getPart(folded, 0, shape.rows - height),
           getPart(source, height, shape.rows - height));
  while (height > 1) {
    int64_t half = llvm::divideCeil(height, 2);
    create(getPart(folded, 0, height - half), getPart(folded, 0, height - half),
           getPart(folded, half, height - half));
    height = half;
  }
  Value row = getPart(folded, 0, 1);
  // One row is a vector.
  auto type = cast<MemRefType>(row.getType());
  auto shapeAttr = memref::SubViewOp::inferRankReducedResultType(
      {shape.columns}, type, ArrayRef<int64_t>{0, 0},
      ArrayRef<int64_t>{1, shape.columns}, ArrayRef<int64_t>{1, 1});
  OpFoldResult zero = l.b.getIndexAttr(0), one = l.b.getIndexAttr(1);
  return memref::SubViewOp::create(
      l.b, loc, cast<MemRefType>(shapeAttr), row, {zero, zero},
      {one, l.b.getIndexAttr(shape.columns)}, {one, one});
}

static std::optional<Combine> getCombine(tl::ReduceKind kind) {
  switch (kind) {
  case tl::ReduceKind::Sum:
    return Combine{ReduceKind::Sum, BinaryKind::Add, false};
  case tl::ReduceKind::AbsSum:
    return Combine{ReduceKind::Sum, BinaryKind::Add, true};
  case tl::ReduceKind::Max:
    return Combine{ReduceKind::Max, BinaryKind::Max, false};
  case tl::ReduceKind::AbsMax:
    return Combine{ReduceKind::Max, BinaryKind::Max, true};
  case tl::ReduceKind::Min:
    return Combine{ReduceKind::Min, BinaryKind::Min, false};
  default:
    return std::nullopt;
  }
}

LogicalResult KernelLowering::lowerReduce(tl::ReduceOp op) {
  Location loc = op.getLoc();
  std::optional<Combine> combine = getCombine(op.getKind());
  auto type = cast<MemRefType>(op.getSource().getType());
  Type element = type.getElementType();
  if (!combine || !isa<FloatType>(element))
    return op.emitError() << "the vector unit has no reduction '"
                          << stringifyEnum(op.getKind()) << "' of " << element;
  Value source = getMatrixOf(op, op.getSource());
  Value target = source ? getMatrixOf(op, op.getTarget()) : Value();
  if (!target)
    return failure();
  // Which side of the matrix the dimension is.
  int64_t dim = op.getDim(), last = type.getRank() - 1;
  auto isOne = [](int64_t extent) { return extent == 1; };
  bool isLast = llvm::all_of(type.getShape().drop_front(dim + 1), isOne);
  bool isFirst = llvm::all_of(type.getShape().take_front(dim), isOne) &&
                 llvm::count_if(type.getShape(),
                                [](int64_t extent) { return extent != 1; }) <=
                     2;
  bool isUnit = type.getDimSize(dim) == 1;
  if (!isLast && !isFirst && !isUnit)
    return op.emitError() << "dimension " << dim << " of "
                          << tl::formatShape(type.getShape())
                          << " is neither the first nor the last ("
                          << last << ") of a matrix; transpose the tile";
  // Sums are in f32.
  bool isSum = combine->across == ReduceKind::Sum;
  Type compute = isSum ? Type(b.getF32Type())
                       : getComputeType("WholeReduceMax", element);
  if (compute != element) {
    Value wide = createLike(loc, source, compute);
    if (failed(createCast(op, wide, source)))
      return failure();
    source = wide;
  }
  if (combine->absolute) {
    Value positive = createLike(loc, source, compute);
    UnaryOp::create(b, loc, UnaryKind::Abs, positive, source);
    source = positive;
  }
  Folder folder(*this, op, *combine);
  Value result = source;
  if (!isUnit)
    result = isLast ? folder.foldRows(source, compute)
                    : folder.foldColumns(source, compute);
  if (op.getCombine()) {
    Value old = target;
    Type stored = cast<MemRefType>(target.getType()).getElementType();
    if (stored != compute) {
      old = createLike(loc, target, compute);
      if (failed(createCast(op, old, target)))
        return failure();
    }
    Value sum = stored == compute ? target : createLike(loc, target, compute);
    BinaryOp::create(b, loc, combine->pair, sum, old, result);
    return sum == target ? success() : createCast(op, target, sum);
  }
  return createCopy(op, target, result);
}
