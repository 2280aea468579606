//===- Reduce.cpp - reductions by the vector unit -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

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

/// Folds matrices to one row of elements, or to one element a row.
class Folder {
public:
  Folder(KernelLowering &lowering, Operation *op, Combine combine, Type element)
      : l(lowering), loc(op->getLoc()), combine(combine), element(element) {}

  /// One element for each row, into a vector.
  void foldRows(Value target, Value source);
  /// `extent` groups of rows to one, of as many rows as the target has.
  void foldGroups(Value target, Value source, int64_t extent);

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
  Type element;
};
} // namespace

void Folder::foldRows(Value target, Value source) {
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t lanes = l.spec.repeatBytes / bytes;
  int64_t perBlock = l.spec.blockBytes / bytes;
  int64_t width = shape.columns;
  bool isVector = cast<MemRefType>(source.getType()).getRank() == 1;
  Value folded;
  while (width > lanes) {
    // The first half takes in the second.
    int64_t half = llvm::alignTo(llvm::divideCeil(width, 2), lanes);
    int64_t second = width - half;
    Value from = folded ? folded : source;
    if (!folded)
      folded = l.createMatrix(
          loc, isVector ? std::nullopt : std::optional(shape.rows), half,
          element);
    // What it has no partner for is copied, in whole blocks: the sums of the
    // block in which the second half ends are written over it.
    int64_t alone = second / perBlock * perBlock;
    if (from == source && alone < half)
      CopyUbOp::create(l.b, loc, getColumns(folded, alone, half - alone),
                       getColumns(from, alone, half - alone));
    create(getColumns(folded, 0, second), getColumns(from, 0, second),
           getColumns(from, half, second));
    width = half;
  }
  ReduceOp::create(l.b, loc, combine.across, target,
                   folded ? getColumns(folded, 0, width) : source);
}

void Folder::foldGroups(Value target, Value source, int64_t extent) {
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t group = shape.rows / extent;
  auto getGroups = [&](Value matrix, int64_t from, int64_t count) {
    if (count * group == 1) // a vector, like its target
      return l.createRow(loc, matrix, l.b.getIndexAttr(from));
    return l.createPart(loc, matrix, l.b.getIndexAttr(from * group),
                        l.b.getIndexAttr(0), count * group, shape.columns);
  };
  Value from = source, folded;
  while (extent > 1) {
    int64_t half = llvm::divideCeil(extent, 2), second = extent - half;
    Value to = target;
    if (half > 1) {
      if (!folded)
        folded = l.createMatrix(loc, half * group, shape.columns, element);
      to = folded;
    }
    create(getGroups(to, 0, second), getGroups(from, 0, second),
           getGroups(from, half, second));
    if (second < half && from != to)
      CopyUbOp::create(l.b, loc, getGroups(to, second, 1),
                       getGroups(from, second, 1));
    from = to;
    extent = half;
  }
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

/// Reduces all lines of a matrix: `before` groups of `extent` groups of rows, or
/// the elements of each row.
static void foldLines(KernelLowering &l, Location loc, Folder &folder,
                      Value target, Value source, int64_t before,
                      int64_t extent, bool isLast) {
  OpBuilder &b = l.b;
  auto type = cast<MemRefType>(target.getType());
  if (isLast && type.getRank() == 1)
    return folder.foldRows(target, source);
  if (!isLast && before == 1)
    return folder.foldGroups(target, source, extent);
  // A row, or a group of rows, of the target after the other.
  Matrix to = *getMatrix(type),
         from = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t steps = isLast ? to.rows : before;
  auto loop = scf::ForOp::create(b, loc, l.constantIndex(loc, 0),
                                 l.constantIndex(loc, steps),
                                 l.constantIndex(loc, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto getPart = [&](Value matrix, int64_t rows, int64_t columns) -> Value {
    Value first = arith::MulIOp::create(b, loc, loop.getInductionVar(),
                                        l.constantIndex(loc, rows));
    return l.createPart(loc, matrix, first, b.getIndexAttr(0), rows, columns);
  };
  Value lines = getPart(source, from.rows / steps, from.columns);
  int64_t rows = to.rows / steps;
  if (isLast)
    folder.foldRows(l.createRow(loc, target, loop.getInductionVar()), lines);
  else if (rows == 1)
    folder.foldGroups(l.createRow(loc, target, loop.getInductionVar()), lines,
                      extent);
  else
    folder.foldGroups(getPart(target, rows, to.columns), lines, extent);
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
  int64_t dim = op.getDim(), extent = type.getDimSize(dim);
  auto getCount = [](ArrayRef<int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                           std::multiplies<>());
  };
  Type stored = cast<MemRefType>(target.getType()).getElementType();
  bool isDirect = stored == compute && !op.getCombine();
  Value result = source;
  if (extent != 1) {
    result = isDirect ? target : createLike(loc, target, compute);
    Folder folder(*this, op, *combine, compute);
    foldLines(*this, loc, folder, result, source,
              getCount(type.getShape().take_front(dim)), extent,
              getCount(type.getShape().drop_front(dim + 1)) == 1);
  }
  if (result == target)
    return success();
  if (!op.getCombine())
    return createCopy(op, target, result);
  Value old = target;
  if (stored != compute) {
    old = createLike(loc, target, compute);
    if (failed(createCast(op, old, target)))
      return failure();
  }
  Value sum = stored == compute ? target : createLike(loc, target, compute);
  BinaryOp::create(b, loc, combine->pair, sum, old, result);
  return sum == target ? success() : createCast(op, target, sum);
}
