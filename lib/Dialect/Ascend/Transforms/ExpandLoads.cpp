//===- ExpandLoads.cpp - loads of the cube's operands, call by call -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandInstructions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;

static MemRefType getMemRef(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}
static int64_t getBytes(Value buffer) {
  return getMemRef(buffer).getElementTypeBitWidth() / 8;
}

namespace {
/// A matrix in L1, or part of one, in fractals of 16 rows and 32 bytes.
struct Fractals {
  Value base;
  bool isZz;
  int64_t baseRows, baseColumns; // of the whole matrix
  int64_t row, column;           // of the first one
  int64_t rows, columns;         // how many
  int64_t elements;              // of 32 bytes

  /// From one fractal to the next: down a column, along a row.
  int64_t down() const { return isZz ? baseColumns : 1; }
  int64_t along() const { return isZz ? 1 : baseRows; }
  int64_t at(int64_t down, int64_t along) const {
    return (row + down) * this->down() + (column + along) * this->along();
  }
};

/// Writes the loads of one operand.
class LoadExpander {
public:
  LoadExpander(OpBuilder &b, Operation *op);

  void loadA(bool transpose);
  void loadB(bool transpose);

private:
  Value createFractals(Value base, int64_t first, int64_t count);
  Value createStrided(int64_t first, int64_t count, int64_t gap);
  void createLoad(int64_t to, int64_t from, int64_t repeat, int64_t stride,
                  int64_t gap, bool transpose);
  void createLoads(int64_t rows, int64_t pitch, int64_t rowStride,
                   int64_t columns, int64_t stride, bool transpose);
  void createTransposed(int64_t to, int64_t from, int64_t repeat,
                        int64_t stride, int64_t gap, int64_t blockGap);
  void createMatrix(int64_t to, int64_t row, int64_t rows, int64_t columns,
                    int64_t targetStride, bool transpose);
  void createBarrier();
  void loadWhole(bool transposes);

  OpBuilder &b;
  Operation *op;
  Location loc;
  Value target;
  const target::AscendSpec &spec;
  int64_t bytes;
  Fractals from;
};
} // namespace

LoadExpander::LoadExpander(OpBuilder &b, Operation *op)
    : b(b), op(op), loc(op->getLoc()), target(op->getOperand(0)),
      spec(getSpec(op)), bytes(getBytes(target)) {
  Value view = op->getOperand(1);
  MemRefType type = getMemRef(view);
  from.base = tl::getBaseBuffer(view);
  MemRefType base = getMemRef(from.base);
  int64_t square = getSquare(spec, bytes), side = spec.accumulatorFractal;
  auto [row, column] = *getCubeOffsets(view);
  from.elements = spec.blockBytes / bytes;
  from.isZz = getL1Format(*getChip(op), bytes) == target::Format::Zz;
  from.baseRows = llvm::alignTo(base.getDimSize(0), square) / side;
  from.baseColumns = llvm::alignTo(base.getDimSize(1), square) / from.elements;
  from.row = row / side;
  from.column = column / from.elements;
  from.rows = llvm::divideCeil(type.getDimSize(0), side);
  from.columns = llvm::divideCeil(type.getDimSize(1), from.elements);
}

/// A view in the order of the memory.
Value LoadExpander::createFractals(Value base, int64_t first, int64_t count) {
  MemRefType type = getMemRef(base);
  int64_t fractal = spec.fractalBytes / bytes;
  auto view = MemRefType::get(
      {count * fractal}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), first * fractal, {1}),
      type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, loc, view, base, first * fractal,
                                           ArrayRef<int64_t>{count * fractal},
                                           ArrayRef<int64_t>{1});
}

/// A view of fractals with `gap` others between them.
Value LoadExpander::createStrided(int64_t first, int64_t count, int64_t gap) {
  MemRefType type = getMemRef(target);
  int64_t fractal = spec.fractalBytes / bytes, side = spec.accumulatorFractal;
  int64_t sizes[] = {count, side, fractal / side};
  int64_t strides[] = {(gap + 1) * fractal, fractal / side, 1};
  auto view = MemRefType::get(
      sizes, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), first * fractal, strides),
      type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, loc, view, target,
                                           first * fractal, sizes, strides);
}

void LoadExpander::createLoad(int64_t to, int64_t at, int64_t repeat,
                              int64_t stride, int64_t gap, bool transpose) {
  LoadDataOp::create(b, loc,
                     gap == 0 ? createFractals(target, to, repeat)
                              : createStrided(to, repeat, gap),
                     createFractals(from.base, at, (repeat - 1) * stride + 1),
                     repeat, stride, transpose);
}

/// Rows of fractals, `pitch` fractals apart in the target. A call takes a row
/// or a column, whichever takes fewer calls.
void LoadExpander::createLoads(int64_t rows, int64_t pitch, int64_t rowStride,
                               int64_t columns, int64_t stride,
                               bool transpose) {
  int64_t first = from.at(0, 0);
  if (rows <= columns)
    for (int64_t i = 0; i < rows; ++i)
      createLoad(i * pitch, first + i * rowStride, columns, stride, 0,
                 transpose);
  else
    for (int64_t j = 0; j < columns; ++j)
      createLoad(j, first + j * stride, rows, rowStride, pitch - 1, transpose);
}

/// Squares of two fractals, or of one of elements of 2 bytes, each transposed
/// as a whole.
void LoadExpander::createTransposed(int64_t to, int64_t at, int64_t repeat,
                                    int64_t stride, int64_t gap,
                                    int64_t blockGap) {
  int64_t parts = bytes == 2 ? 1 : 2;
  int64_t written = (repeat - 1) * (gap + 1) + (parts - 1) * (blockGap + 1) + 1;
  LoadTransposedOp::create(
      b, loc, createFractals(target, to, written),
      createFractals(from.base, at, ((repeat - 1) * stride + 1) * parts),
      repeat, stride, gap, blockGap);
}

void LoadExpander::createMatrix(int64_t to, int64_t row, int64_t rows,
                                int64_t columns, int64_t targetStride,
                                bool transpose) {
  int64_t down = rows, along = columns, side = spec.accumulatorFractal;
  if (transpose) {
    down = columns * from.elements / side;
    along = rows * side / from.elements;
  }
  LoadMatrixOp::create(
      b, loc, createFractals(target, to, (along - 1) * targetStride + down),
      from.base, ArrayRef<int64_t>{from.row + row, from.column},
      ArrayRef<int64_t>{rows, columns},
      ArrayRef<int64_t>{from.baseRows, targetStride}, transpose);
}

/// Squares reach past an odd row of fractals of the target: the next row comes
/// after them.
void LoadExpander::createBarrier() {
  PipeBarrierOp::create(b, loc, Pipe::MTE1);
}

/// The matrix in L1 as it is, or transposed, to a memory with columns of
/// fractals (Nz; of L0B, Zn of the matrix there).
void LoadExpander::loadWhole(bool transposes) {
  if (!transposes)
    return createMatrix(0, 0, from.rows, from.columns, from.rows, false);
  int64_t side = spec.accumulatorFractal;
  int64_t height =
      llvm::divideCeil(getMemRef(op->getOperand(1)).getDimSize(1), side);
  // Fractals in a square, and how many columns come to stand one above the
  // other.
  int64_t step = getSquare(spec, bytes) / side;
  int64_t rows = llvm::alignTo(from.rows, step);
  int64_t columns =
      llvm::alignTo(from.columns, std::max<int64_t>(1, side / from.elements));
  bool isOdd = columns * from.elements > height * side;
  if (!isOdd)
    return createMatrix(0, 0, rows, columns, height, true);
  for (int64_t i = 0; i < rows; i += step) {
    if (i != 0)
      createBarrier();
    createMatrix(i / step * height, i, step, columns, height, true);
  }
}

void LoadExpander::loadA(bool transpose) {
  if (loadsWholeMatrices(*getChip(op)))
    return loadWhole(transpose);
  // Rows of fractals, of which those of 4 bytes are rounded to squares.
  int64_t k = llvm::alignTo(getMemRef(target).getDimSize(1),
                            bytes == 4 ? getSquare(spec, bytes)
                                       : from.elements) /
              from.elements;
  if (!transpose) {
    createLoads(from.rows, k, from.down(), from.columns, from.along(), false);
    return;
  }
  if (bytes == 2) {
    createLoads(from.columns, k, from.along(), k, from.down(), true);
    return;
  }
  // A square is two rows of fractals of bytes, or two fractals of a row.
  int64_t step = bytes == 4 ? 2 : 1, count = bytes == 4 ? k / 2 : k;
  for (int64_t i = 0; i < from.columns; i += step)
    createTransposed((bytes == 4 ? i / 2 : 2 * i) * k, from.at(0, i), count,
                     bytes == 4 ? from.down() / 2 : 1, step - 1,
                     bytes == 4 ? 0 : k - 1);
}

void LoadExpander::loadB(bool transpose) {
  if (loadsWholeMatrices(*getChip(op)))
    return loadWhole(!transpose);
  int64_t n = llvm::divideCeil(getMemRef(target).getDimSize(1),
                               spec.accumulatorFractal);
  if (transpose) {
    createLoads(from.columns, n, from.along(), n, from.down(), false);
    return;
  }
  if (bytes == 2) {
    createLoads(from.rows, n, from.down(), n, from.along(), true);
    return;
  }
  if (bytes == 4) {
    for (int64_t j = 0; j < from.rows; ++j)
      createTransposed(2 * j * n, from.at(j, 0), n, 1, 0, n - 1);
    return;
  }
  for (int64_t j = 0; j < from.rows; j += 2) {
    if (j != 0 && n % 2 != 0)
      createBarrier();
    createTransposed(j / 2 * n, from.at(j, 0), from.columns, from.along() / 2,
                     1, 0);
  }
}

void mlir::tile::ascend::expandLoadL0A(LoadL0AOp op, OpBuilder &b) {
  LoadExpander(b, op).loadA(op.getTranspose());
}

void mlir::tile::ascend::expandLoadL0B(LoadL0BOp op, OpBuilder &b) {
  LoadExpander(b, op).loadB(op.getTranspose());
}
