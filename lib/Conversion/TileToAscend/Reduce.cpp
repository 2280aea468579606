//===- Reduce.cpp - reductions by the vector unit -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementConversion.h"
#include "WholeVectors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>
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
  bool exclusive = false; // of `pair` Or
};

/// Integers as i32: narrow ones in the high bits, where they wrap and compare
/// like i32; unsigned ones with the sign bit flipped; maxima of magnitudes as
/// minima of what is negative, which has one number more.
class Integers {
public:
  Integers(KernelLowering &lowering, tl::ReduceOp op)
      : l(lowering), op(op), loc(op.getLoc()),
        shift(32 - cast<MemRefType>(op.getSource().getType())
                       .getElementTypeBitWidth()) {
    bool isSum = op.getKind() == tl::ReduceKind::Sum ||
                 op.getKind() == tl::ReduceKind::AbsSum;
    bool isBits = op.getKind() == tl::ReduceKind::And ||
                  op.getKind() == tl::ReduceKind::Or ||
                  op.getKind() == tl::ReduceKind::Xor;
    flips = op.getIsUnsigned() && !isSum && !isBits;
    negates = !op.getIsUnsigned() && op.getKind() == tl::ReduceKind::AbsMax;
  }

  /// Whether they are taken as they are.
  bool isPlain() const { return shift == 0 && !flips && !negates; }
  FailureOr<Value> enter(Value matrix);
  LogicalResult leave(Value target, Value matrix);

  /// Elements in their role; the old content has no magnitude taken.
  Value getMagnitude(Value matrix);
  Value getOld(Value matrix);

private:
  Value apply(ScalarKind kind, Value matrix, double value) {
    Value result = l.buffers.createLike(loc, matrix, l.b.getI32Type());
    ScalarOp::create(l.b, loc, kind, result, matrix,
                     l.constantOf(loc, l.b.getI32Type(), value));
    return result;
  }

  KernelLowering &l;
  tl::ReduceOp op;
  Location loc;
  int64_t shift;
  bool flips, negates;
};

/// What takes the place of NaN, and whether 1 takes that of numbers.
struct Replacement {
  double otherwise;
  bool marks = false;
};
} // namespace

/// Two vectors, of which the target may be the left one. Exclusive or is
/// (x | y) - (x & y).
static void createCombined(KernelLowering &l, Location loc, Combine combine,
                           Value target, Value lhs, Value rhs) {
  Value both;
  if (combine.exclusive) {
    Type element = cast<MemRefType>(target.getType()).getElementType();
    both = l.buffers.createLike(loc, target, element);
    BinaryOp::create(l.b, loc, BinaryKind::And, both, lhs, rhs);
  }
  BinaryOp::create(l.b, loc, combine.pair, target, lhs, rhs);
  if (both)
    BinaryOp::create(l.b, loc, BinaryKind::Sub, target, target, both);
}

namespace {
/// Folds matrices to one row of elements, or to one element a row. NaN is
/// replaced in parts of a few KB, since the buffers for all of it would not fit.
class Folder {
public:
  Folder(KernelLowering &lowering, Operation *op, Combine combine, Type element,
         std::optional<Replacement> replacement)
      : l(lowering), loc(op->getLoc()), combine(combine), element(element),
        replacement(replacement) {}

  /// One element for each row, into a vector.
  void foldRows(Value target, Value source);
  /// `extent` groups of rows to one, of as many rows as the target has.
  void foldGroups(Value target, Value source, int64_t extent);

private:
  void foldNumbersOfRows(Value target, Value source);
  void foldRowsOf(Value target, Value source);
  void foldGroupsOf(Value target, Value source, int64_t extent);
  /// Calls `create` with the first element, as an index, and the number of
  /// elements of parts of `count`, the last one smaller.
  void forEachPart(int64_t first, int64_t count, int64_t size,
                   function_ref<void(OpFoldResult, int64_t)> create);
  Value replace(Value matrix) {
    return replaceNaN(l, loc, matrix, replacement->otherwise,
                      replacement->marks);
  }
  int64_t getBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  Value getColumns(Value matrix, int64_t from, int64_t count) {
    return l.buffers.createPart(loc, matrix, l.b.getIndexAttr(0),
                                l.b.getIndexAttr(from), getRows(matrix), count);
  }
  int64_t getRows(Value matrix) {
    return getMatrix(cast<MemRefType>(matrix.getType()))->rows;
  }
  void gatherColumns(Value target, Value source);
  void create(Value target, Value lhs, Value rhs) {
    createCombined(l, loc, combine, target, lhs, rhs);
  }

  KernelLowering &l;
  Location loc;
  Combine combine;
  Type element;
  std::optional<Replacement> replacement;
};
} // namespace

/// The bytes of a part in which NaN is replaced, and those of its rows. Each
/// part takes barriers where the vector unit needs any.
constexpr int64_t kPartBytes = 8192, kPartRowBytes = 1024;
static int64_t getPartBytes(const ::tile::target::AscendSpec &spec) {
  return spec.isOrdered(::tile::target::Engine::V) ? kPartBytes
                                                   : 2 * kPartBytes;
}

constexpr double kLowest = std::numeric_limits<int32_t>::min();

FailureOr<Value> Integers::enter(Value matrix) {
  if (shift != 0) {
    Value wide = l.buffers.createLike(loc, matrix, l.b.getI32Type());
    if (failed(createCast(l, op, wide, matrix)))
      return failure();
    matrix = apply(ScalarKind::Muls, wide, std::ldexp(1.0, shift));
  }
  return flips ? apply(ScalarKind::Adds, matrix, kLowest) : matrix;
}

LogicalResult Integers::leave(Value target, Value matrix) {
  if (flips)
    matrix = apply(ScalarKind::Adds, matrix, kLowest);
  if (negates)
    matrix = apply(ScalarKind::Muls, matrix, -1);
  if (shift == 0)
    return createCopy(l, op, target, matrix);
  // As few bits as there are, f32 has them all.
  Type single = l.b.getF32Type();
  Value wide = l.buffers.createLike(loc, matrix, single);
  if (failed(createCast(l, op, wide, matrix)))
    return failure();
  ScalarOp::create(l.b, loc, ScalarKind::Muls, wide, wide,
                   l.constantOf(loc, single, std::ldexp(1.0, -shift)));
  return createCast(l, op, target, wide);
}

Value Integers::getMagnitude(Value matrix) {
  Value negative = apply(ScalarKind::Muls, matrix, -1);
  Value result = l.buffers.createLike(loc, matrix, l.b.getI32Type());
  BinaryOp::create(l.b, loc, negates ? BinaryKind::Min : BinaryKind::Max,
                   result, matrix, negative);
  return result;
}

Value Integers::getOld(Value matrix) {
  if (!negates)
    return matrix;
  // A negative one loses against any magnitude.
  return apply(ScalarKind::Muls, apply(ScalarKind::Maxs, matrix, 0), -1);
}

/// The columns of a block, one after the other: for integers no instruction
/// works across lanes.
void Folder::gatherColumns(Value target, Value source) {
  auto type = cast<MemRefType>(source.getType());
  Matrix shape = *getMatrix(type);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t perBlock = l.spec.blockBytes / bytes;
  Value lines = l.buffers.createMatrix(
      loc, type.getRank() == 1 ? std::nullopt : std::optional(shape.rows),
      perBlock, element);
  CopyUbOp::create(l.b, loc, getColumns(lines, 0, shape.columns), source);
  Type word = l.b.getI32Type();
  Value offsets = l.buffers.createMatrix(loc, std::nullopt, shape.rows, word);
  Value column = l.buffers.createMatrix(loc, std::nullopt, shape.rows, element);
  ScalarOp::create(l.b, loc, ScalarKind::Muls, offsets,
                   l.buffers.createIndexSequence(loc, shape.rows),
                   l.constantOf(loc, word, l.spec.blockBytes));
  GatherOp::create(l.b, loc, target, lines, offsets);
  for (int64_t i = 1; i < shape.columns; ++i) {
    ScalarOp::create(l.b, loc, ScalarKind::Adds, offsets, offsets,
                     l.constantOf(loc, word, bytes));
    GatherOp::create(l.b, loc, column, lines, offsets);
    create(target, target, column);
  }
}

void Folder::forEachPart(int64_t first, int64_t count, int64_t size,
                         function_ref<void(OpFoldResult, int64_t)> create) {
  int64_t whole = (count - first) / size;
  if (whole == 1) {
    create(l.b.getIndexAttr(first), size);
  } else if (whole > 1) {
    auto loop = scf::ForOp::create(
        l.b, loc, l.constantIndex(loc, first),
        l.constantIndex(loc, first + whole * size), l.constantIndex(loc, size));
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToStart(loop.getBody());
    create(loop.getInductionVar(), size);
  }
  first += whole * size;
  if (first < count)
    create(l.b.getIndexAttr(first), count - first);
}

void Folder::foldRows(Value target, Value source) {
  if (!replacement)
    return foldRowsOf(target, source);
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  bool isVector = cast<MemRefType>(source.getType()).getRank() == 1;
  int64_t perBlock = l.spec.blockBytes / getBytes();
  int64_t rowBytes = std::min(shape.columns * getBytes(), kPartRowBytes);
  int64_t rows =
      std::max(perBlock, getPartBytes(l.spec) / rowBytes / perBlock * perBlock);
  if (isVector || shape.rows <= rows)
    return foldNumbersOfRows(target, source);
  forEachPart(0, shape.rows, rows, [&](OpFoldResult first, int64_t count) {
    foldNumbersOfRows(
        l.buffers.createPart(loc, target, l.b.getIndexAttr(0), first, 1, count),
        l.buffers.createPart(loc, source, first, l.b.getIndexAttr(0), count,
                             shape.columns));
  });
}

/// Of some rows, one column of parts after the other.
void Folder::foldNumbersOfRows(Value target, Value source) {
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t width = std::min(shape.columns, kPartRowBytes / getBytes());
  auto getPart = [&](OpFoldResult first, int64_t count) {
    return l.buffers.createPart(loc, source, l.b.getIndexAttr(0), first,
                                shape.rows, count);
  };
  Value folded = replace(getPart(l.b.getIndexAttr(0), width));
  forEachPart(width, shape.columns, width,
              [&](OpFoldResult first, int64_t count) {
                Value part = getColumns(folded, 0, count);
                create(part, part, replace(getPart(first, count)));
              });
  foldRowsOf(target, folded);
}

void Folder::foldGroups(Value target, Value source, int64_t extent) {
  if (!replacement)
    return foldGroupsOf(target, source, extent);
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t group = shape.rows / extent;
  int64_t bytes = group * shape.columns * getBytes();
  int64_t groups =
      std::clamp<int64_t>(getPartBytes(l.spec) / bytes, 1, extent);
  auto foldPart = [&](Value to, OpFoldResult first, int64_t count) {
    Value part = replace(l.buffers.createPart(
        loc, source, first, l.b.getIndexAttr(0), count, shape.columns));
    if (count > group)
      foldGroupsOf(to, part, count / group);
    else
      CopyUbOp::create(l.b, loc, to,
                       group == 1
                           ? l.buffers.createRow(loc, part, l.b.getIndexAttr(0))
                           : part);
  };
  foldPart(target, l.b.getIndexAttr(0), groups * group);
  if (groups == extent)
    return;
  Value other = l.buffers.createLike(loc, target, element);
  forEachPart(groups * group, shape.rows, groups * group,
              [&](OpFoldResult first, int64_t count) {
                foldPart(other, first, count);
                create(target, target, other);
              });
}

void Folder::foldRowsOf(Value target, Value source) {
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t perBlock = l.spec.blockBytes / bytes;
  bool isInteger = isa<IntegerType>(element);
  int64_t lanes = isInteger ? perBlock : l.spec.repeatBytes / bytes;
  int64_t width = shape.columns;
  bool isVector = cast<MemRefType>(source.getType()).getRank() == 1;
  Value folded;
  while (width > lanes) {
    // The first half takes in the second.
    int64_t half = llvm::alignTo(llvm::divideCeil(width, 2), lanes);
    int64_t second = width - half;
    Value from = folded ? folded : source;
    if (!folded)
      folded = l.buffers.createMatrix(
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
  Value rest = folded ? getColumns(folded, 0, width) : source;
  if (isInteger)
    gatherColumns(target, rest);
  else
    ReduceOp::create(l.b, loc, combine.across, target, rest);
}

void Folder::foldGroupsOf(Value target, Value source, int64_t extent) {
  Matrix shape = *getMatrix(cast<MemRefType>(source.getType()));
  int64_t group = shape.rows / extent;
  auto getGroups = [&](Value matrix, int64_t from, int64_t count) {
    if (count * group == 1) // a vector, like its target
      return l.buffers.createRow(loc, matrix, l.b.getIndexAttr(from));
    return l.buffers.createPart(loc, matrix, l.b.getIndexAttr(from * group),
                                l.b.getIndexAttr(0), count * group,
                                shape.columns);
  };
  Value from = source, folded;
  while (extent > 1) {
    int64_t half = llvm::divideCeil(extent, 2), second = extent - half;
    Value to = target;
    if (half > 1) {
      if (!folded)
        folded =
            l.buffers.createMatrix(loc, half * group, shape.columns, element);
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

static Combine getCombine(tl::ReduceKind kind) {
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
  case tl::ReduceKind::And:
    return Combine{ReduceKind::Sum, BinaryKind::And, false};
  case tl::ReduceKind::Or:
    return Combine{ReduceKind::Sum, BinaryKind::Or, false};
  case tl::ReduceKind::Xor:
    return Combine{ReduceKind::Sum, BinaryKind::Or, false, /*exclusive=*/true};
  }
  llvm_unreachable("expected a kind of reduction");
}

/// Reduces all lines of a matrix: `before` groups of `extent` groups of rows,
/// or the elements of each row.
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
  auto loop =
      scf::ForOp::create(b, loc, l.constantIndex(loc, 0),
                         l.constantIndex(loc, steps), l.constantIndex(loc, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto getPart = [&](Value matrix, int64_t rows, int64_t columns) -> Value {
    Value first = arith::MulIOp::create(b, loc, loop.getInductionVar(),
                                        l.constantIndex(loc, rows));
    return l.buffers.createPart(loc, matrix, first, b.getIndexAttr(0), rows,
                                columns);
  };
  Value lines = getPart(source, from.rows / steps, from.columns);
  int64_t rows = to.rows / steps;
  if (isLast)
    folder.foldRows(l.buffers.createRow(loc, target, loop.getInductionVar()),
                    lines);
  else if (rows == 1)
    folder.foldGroups(l.buffers.createRow(loc, target, loop.getInductionVar()),
                      lines, extent);
  else
    folder.foldGroups(getPart(target, rows, to.columns), lines, extent);
}

/// The source reduced to the target or, unless that is right as it is, to a new
/// matrix; the source itself where there is nothing to reduce.
static Value fold(KernelLowering &l, tl::ReduceOp op, Combine combine,
                  Value source, Value target, bool isRight = true,
                  std::optional<Replacement> replacement = std::nullopt) {
  auto type = cast<MemRefType>(op.getSource().getType());
  int64_t dim = op.getDim(), extent = type.getDimSize(dim);
  if (extent == 1)
    return source;
  auto getCount = [](ArrayRef<int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                           std::multiplies<>());
  };
  Type compute = cast<MemRefType>(source.getType()).getElementType();
  isRight &= cast<MemRefType>(target.getType()).getElementType() == compute;
  Value result = isRight && !op.getCombine()
                     ? target
                     : l.buffers.createLike(op.getLoc(), target, compute);
  Folder folder(l, op, combine, compute, replacement);
  foldLines(l, op.getLoc(), folder, result, source,
            getCount(type.getShape().take_front(dim)), extent,
            getCount(type.getShape().drop_front(dim + 1)) == 1);
  return result;
}

static LogicalResult reduceIntegers(KernelLowering &l, tl::ReduceOp op,
                                    Combine combine, Value source,
                                    Value target) {
  Integers integers(l, op);
  FailureOr<Value> wide = integers.enter(source);
  if (failed(wide))
    return failure();
  if (combine.absolute && !op.getIsUnsigned()) {
    wide = integers.getMagnitude(*wide);
    if (combine.pair == BinaryKind::Max)
      combine.pair = BinaryKind::Min;
  }
  Value result = fold(l, op, combine, *wide, target, integers.isPlain());
  if (op.getCombine()) {
    FailureOr<Value> old = integers.enter(target);
    if (failed(old))
      return failure();
    Value both = l.buffers.createLike(op.getLoc(), target, l.b.getI32Type());
    createCombined(l, op.getLoc(), combine, both, integers.getOld(*old),
                   result);
    result = both;
  }
  return result == target ? success() : integers.leave(target, result);
}

/// The largest or smallest number of each line, and NaN where the op says so:
/// a line without numbers, where the largest one, -∞ for want of others, is
/// below the smallest one, ∞; or, with `propagate_nan`, a line with a NaN.
static Value foldNumbers(KernelLowering &l, tl::ReduceOp op, Combine combine,
                         Value source, Value target, bool mayLackNumbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isMax = combine.pair == BinaryKind::Max;
  double none = isMax ? -infinity : infinity;
  if (cast<MemRefType>(op.getSource().getType()).getDimSize(op.getDim()) == 1)
    return source;
  Value result =
      fold(l, op, combine, source, target, /*isRight=*/true, Replacement{none});
  bool propagates = op.getPropagateNan();
  if (!propagates && !mayLackNumbers)
    return result;
  bool takesLeast = isMax || propagates;
  Combine other{takesLeast ? ReduceKind::Min : ReduceKind::Max,
                takesLeast ? BinaryKind::Min : BinaryKind::Max, false};
  Replacement replacement{propagates ? 0 : -none, propagates};
  Value limit = fold(l, op, other, source, target, /*isRight=*/false,
                     replacement);
  Location loc = op.getLoc();
  if (!propagates)
    return keepWhere(l, loc, isMax ? CompareMode::GE : CompareMode::LE, result,
                     limit, result);
  Type element = cast<MemRefType>(limit.getType()).getElementType();
  Value ones = l.buffers.createLike(loc, limit, element);
  DuplicateOp::create(l.b, loc, ones, l.constantOf(loc, element, 1));
  return keepWhere(l, loc, CompareMode::EQ, limit, ones, result);
}

static LogicalResult reduceFloats(KernelLowering &l, tl::ReduceOp op,
                                  Combine combine, Value source, Value target) {
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  // Sums are in f32.
  bool isSum = combine.across == ReduceKind::Sum;
  Type element = cast<MemRefType>(source.getType()).getElementType();
  Type compute = isSum ? Type(b.getF32Type())
                       : getComputeType(l, "WholeReduceMax", element);
  if (compute != element) {
    Value wide = l.buffers.createLike(loc, source, compute);
    if (failed(createCast(l, op, wide, source)))
      return failure();
    source = wide;
  }
  if (combine.absolute) {
    Value positive = l.buffers.createLike(loc, source, compute);
    UnaryOp::create(b, loc, UnaryKind::Abs, positive, source);
    source = positive;
  }
  int64_t extent = cast<MemRefType>(op.getSource().getType())
                       .getDimSize(op.getDim());
  bool hasOldNumber =
      op.getCombine() && l.isNumber(op.getTarget()) && extent > 1;
  Value result = isSum ? fold(l, op, combine, source, target)
                       : foldNumbers(l, op, combine, source, target,
                                     /*mayLackNumbers=*/!hasOldNumber);
  if (result == target)
    return success();
  if (!op.getCombine())
    return createCopy(l, op, target, result);
  Type stored = cast<MemRefType>(target.getType()).getElementType();
  Value old = target;
  if (stored != compute) {
    old = l.buffers.createLike(loc, target, compute);
    if (failed(createCast(l, op, old, target)))
      return failure();
  }
  if (!isSum && (!hasOldNumber || op.getPropagateNan()))
    return createCopy(l, op, target,
                      createLimit(l, loc, combine.pair, old, result,
                                  op.getPropagateNan()));
  Value sum =
      stored == compute ? target : l.buffers.createLike(loc, target, compute);
  BinaryOp::create(b, loc, combine.pair, sum, old, result);
  return sum == target ? success() : createCast(l, op, target, sum);
}

namespace {
struct ReduceModel : LoweringModel<ReduceModel, tl::ReduceOp> {
  void rejectTiles(Operation *op, SubBlockTiling &tiling) const;
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

/// Along its rows each core reduces its own.
void ReduceModel::rejectTiles(Operation *self, SubBlockTiling &tiling) const {
  auto op = cast<tl::ReduceOp>(self);
  Value source = op.getSource(), target = op.getTarget();
  auto to = cast<MemRefType>(target.getType());
  auto from = cast<MemRefType>(source.getType());
  if (!tiling.isTiled(source) || !tiling.isTiled(target))
    return tiling.tie(source, target, op);
  unsigned dim = tiling.getRowDim(source), reduced = op.getDim();
  unsigned kept =
      to.getRank() == from.getRank() || reduced > dim ? dim : dim - 1;
  if (reduced == dim || tiling.getRowDim(target) != kept)
    return tiling.rejectAll(op, "a reduction combines its rows");
  tiling.tie(source, target, op);
}

LogicalResult ReduceModel::lowerToInstructions(Operation *self,
                                               KernelLowering &l) const {
  auto op = cast<tl::ReduceOp>(self);
  Combine combine = getCombine(op.getKind());
  auto type = cast<MemRefType>(op.getSource().getType());
  Type element = type.getElementType();
  bool isInteger = isa<IntegerType>(element);
  if (element.isF64() || element.isInteger(64))
    return op.emitError() << "the vector unit has no reduction '"
                          << stringifyEnum(op.getKind()) << "' of " << element
                          << "; it reduces floats of at most 32 bits, i8, i16 "
                             "and i32";
  Value source = l.buffers.getMatrixOf(op, op.getSource());
  Value target = source ? l.buffers.getMatrixOf(op, op.getTarget()) : Value();
  if (!target)
    return failure();
  if (isInteger)
    return reduceIntegers(l, op, combine, source, target);
  return reduceFloats(l, op, combine, source, target);
}

void mlir::tile::ascend::attachReduceModels(MLIRContext *context) {
  tl::ReduceOp::attachInterface<ReduceModel>(*context);
}
