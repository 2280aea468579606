//===- KernelBuffers.cpp - the buffers of a lowered kernel ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuffers.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
using mlir::tile::AllocOp;
using mlir::tile::KernelOp;
using mlir::tile::MemorySpace;
using mlir::tile::MemorySpaceAttr;

KernelBuffers::KernelBuffers(KernelOp kernel, OpBuilder &b)
    : kernel(kernel), b(b), spec(getSpec(kernel)) {}

SmallVector<int64_t> mlir::tile::ascend::dropUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept;
  llvm::copy_if(shape, std::back_inserter(kept),
                [](int64_t extent) { return extent != 1; });
  if (kept.empty())
    kept.push_back(1);
  return kept;
}

Value mlir::tile::ascend::createConstant(OpBuilder &b, Location loc,
                                         Type element, double value) {
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, value))
                       : TypedAttr(b.getIntegerAttr(element, int64_t(value)));
  return arith::ConstantOp::create(b, loc, attr);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Value KernelBuffers::createMatrix(Location loc, std::optional<int64_t> rows,
                                  int64_t columns, Type element) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto space = MemorySpaceAttr::get(b.getContext(), MemorySpace::UB);
  auto alloc = [&](ArrayRef<int64_t> shape) -> Value {
    auto type = MemRefType::get(shape, element, AffineMap(), space);
    return AllocOp::create(b, loc, type, mlir::tile::LayoutAttr(),
                           IntegerAttr());
  };
  if (!rows)
    return alloc({columns});
  int64_t bytes = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  int64_t pitch = llvm::alignTo(columns, spec.blockBytes / bytes);
  Value buffer = alloc({*rows, pitch});
  if (pitch == columns)
    return buffer;
  return createPart(loc, buffer, b.getIndexAttr(0), b.getIndexAttr(0), *rows,
                    columns);
}

Value KernelBuffers::createLike(Location loc, Value matrix, Type element) {
  auto type = cast<MemRefType>(matrix.getType());
  Matrix shape = *getMatrix(type);
  if (type.getRank() == 1)
    return createMatrix(loc, std::nullopt, shape.columns, element);
  return createMatrix(loc, shape.rows, shape.columns, element);
}

Value KernelBuffers::createPart(Location loc, Value matrix,
                                OpFoldResult rowOffset,
                                OpFoldResult columnOffset, int64_t rows,
                                int64_t columns) {
  auto type = cast<MemRefType>(matrix.getType());
  OpFoldResult one = b.getIndexAttr(1);
  if (type.getRank() == 1) {
    if (type.getDimSize(0) == columns)
      return matrix;
    return memref::SubViewOp::create(b, loc, matrix, {columnOffset},
                                     {b.getIndexAttr(columns)}, {one});
  }
  if (type.getDimSize(0) == rows && type.getDimSize(1) == columns)
    return matrix;
  return memref::SubViewOp::create(
      b, loc, matrix, {rowOffset, columnOffset},
      {b.getIndexAttr(rows), b.getIndexAttr(columns)}, {one, one});
}

Value KernelBuffers::reshapeMatrix(Operation *op, mlir::tile::ReshapeOp reshape,
                                   Value source) {
  MemRefType type = reshape.getType();
  auto sourceType = cast<MemRefType>(source.getType());
  SmallVector<int64_t> sizes = dropUnits(type.getShape());
  int64_t columns = sizes.back(), rows = type.getNumElements() / columns;
  Matrix from = *getMatrix(sourceType);
  if (from.columns == columns && from.rows == rows)
    return source;
  int64_t blockElements =
      spec.blockBytes / std::max(1u, type.getElementTypeBitWidth() / 8);
  bool isSourceDense = sourceType.getLayout().isIdentity();
  if (!isSourceDense || (rows > 1 && columns % blockElements != 0)) {
    op->emitError() << "cannot reshape " << reshape.getSource().getType()
                    << " to " << type << ": rows of "
                    << (isSourceDense ? columns : from.columns)
                    << " elements begin at multiples of " << blockElements
                    << " in 'ub'; copy element by element in tile.parallel";
    return {};
  }
  SmallVector<int64_t> strides{1};
  sizes = {columns};
  if (rows > 1) {
    sizes = {rows, columns};
    strides = {columns, 1};
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(source);
  auto view = MemRefType::get(sizes, type.getElementType(), AffineMap(),
                              sourceType.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, reshape.getLoc(), view, source, 0,
                                           sizes, strides);
}

/// The bits of a matrix as other elements: both have rows without gaps.
static Value viewMatrix(Operation *op, mlir::tile::ViewOp show, Value source,
                        int64_t blockBytes, OpBuilder &b) {
  MemRefType type = show.getType();
  auto sourceType = cast<MemRefType>(source.getType());
  SmallVector<int64_t> sizes = dropUnits(type.getShape());
  int64_t columns = sizes.back(), rows = type.getNumElements() / columns;
  int64_t rowBytes = columns * type.getElementTypeBitWidth() / 8;
  bool isDense = sourceType.getLayout().isIdentity();
  if (!isDense || (rows > 1 && rowBytes % blockBytes != 0)) {
    op->emitError() << "cannot show " << show.getSource().getType() << " as "
                    << type << ": rows of "
                    << (isDense ? rowBytes
                                : getMatrix(sourceType)->columns *
                                      sourceType.getElementTypeBitWidth() / 8)
                    << " bytes begin at multiples of " << blockBytes
                    << " bytes in 'ub'; make them as long, or take bits apart "
                       "by 'arith.bitcast'";
    return {};
  }
  sizes = {columns};
  if (rows > 1)
    sizes = {rows, columns};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(source);
  auto view = MemRefType::get(sizes, type.getElementType(), AffineMap(),
                              sourceType.getMemorySpace());
  return mlir::tile::ViewOp::create(b, show.getLoc(), view, source);
}

Value KernelBuffers::getMatrixOf(Operation *op, Value buffer) {
  if (Value known = matrices.lookup(buffer))
    return known;
  auto type = cast<MemRefType>(buffer.getType());
  Operation *def = buffer.getDefiningOp();
  if (mlir::tile::getMemorySpace(type) != MemorySpace::UB || !def) {
    op->emitError() << "expected a buffer of this kernel in 'ub', got " << type;
    return {};
  }
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0) {
    op->emitError() << "elements of type " << element
                    << " have no place in 'ub'; widen them to i8";
    return {};
  }
  if (auto reshape = dyn_cast<mlir::tile::ReshapeOp>(def)) {
    Value source = getMatrixOf(op, reshape.getSource());
    return source ? matrices[buffer] = reshapeMatrix(op, reshape, source)
                  : Value();
  }
  if (auto show = dyn_cast<mlir::tile::ViewOp>(def)) {
    Value source = getMatrixOf(op, show.getSource());
    return source ? matrices[buffer] = viewMatrix(op, show, source,
                                                  spec.blockBytes, b)
                  : Value();
  }
  if (!isa<AllocOp>(def)) {
    op->emitError() << "'" << def->getName() << "' of a buffer in 'ub' cannot "
                    << "be lowered to Ascend";
    return {};
  }
  SmallVector<int64_t> shape = dropUnits(type.getShape());
  int64_t columns = shape.pop_back_val();
  std::optional<int64_t> rows;
  for (int64_t extent : shape)
    rows = rows.value_or(1) * extent;
  return matrices[buffer] = createMatrix(def->getLoc(), rows, columns, element);
}

/// Where an element of a tile is in its matrix.
FailureOr<SmallVector<Value>>
KernelBuffers::getMatrixIndices(Operation *op, Value buffer, ValueRange indices,
                                Value &matrix) {
  matrix = getMatrixOf(op, buffer);
  if (!matrix)
    return failure();
  Location loc = op->getLoc();
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  SmallVector<Value> used;
  SmallVector<int64_t> extents;
  for (auto [index, extent] : llvm::zip_equal(indices, shape))
    if (extent != 1) {
      used.push_back(index);
      extents.push_back(extent);
    }
  if (used.empty())
    return SmallVector<Value>{arith::ConstantIndexOp::create(b, loc, 0)};
  if (used.size() == 1)
    return used;
  Value row = used.front();
  for (size_t dim = 1; dim + 1 < used.size(); ++dim)
    row = arith::AddIOp::create(
        b, loc,
        arith::MulIOp::create(
            b, loc, row, arith::ConstantIndexOp::create(b, loc, extents[dim])),
        used[dim]);
  return SmallVector<Value>{row, used.back()};
}

Value KernelBuffers::createRow(Location loc, Value matrix, OpFoldResult row) {
  auto type = cast<MemRefType>(matrix.getType());
  if (type.getRank() == 1)
    return matrix;
  int64_t columns = type.getDimSize(1);
  OpFoldResult one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets{row, b.getIndexAttr(0)},
      sizes{one, b.getIndexAttr(columns)}, strides{one, one};
  auto rowType = memref::SubViewOp::inferRankReducedResultType(
      {columns}, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, cast<MemRefType>(rowType), matrix,
                                   offsets, sizes, strides);
}

/// Whether the matrix is part of a tile in UB whose rows go on in the block in
/// which those of the part end.
bool KernelBuffers::endsInBlock(Value matrix) const {
  auto type = cast<MemRefType>(matrix.getType());
  auto part = matrix.getDefiningOp<memref::SubViewOp>();
  int64_t bits = type.getShape().back() * type.getElementTypeBitWidth();
  if (mlir::tile::getMemorySpace(type) != MemorySpace::UB || !part ||
      bits % (spec.blockBytes * 8) == 0)
    return false;
  return llvm::any_of(matrices, [&](auto &entry) {
    Value tile = entry.second;
    return tile == part.getSource() &&
           cast<MemRefType>(tile.getType()).getShape().back() !=
               type.getShape().back();
  });
}

//===----------------------------------------------------------------------===//
// Buffers of the cube, and constants
//===----------------------------------------------------------------------===//

Value KernelBuffers::createCubeBuffer(ArrayRef<int64_t> shape, Type element,
                                      MemorySpace space) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto type = MemRefType::get(shape, element, AffineMap(),
                              MemorySpaceAttr::get(b.getContext(), space));
  return AllocOp::create(b, kernel.getLoc(), type, mlir::tile::LayoutAttr(),
                         IntegerAttr());
}

/// 0, 1, 2, …: the first ones by the scalar unit, and then each part from the
/// one before.
Value KernelBuffers::createIndexSequence(Location loc, int64_t count) {
  Value &known = sequences[count];
  if (known)
    return known;
  Type word = b.getI32Type();
  Value all = known = createMatrix(loc, std::nullopt, count, word);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(all.getDefiningOp());
  auto part = [&](int64_t from, int64_t size) {
    return createPart(loc, all, b.getIndexAttr(0), b.getIndexAttr(from), 1,
                      size);
  };
  int64_t unit = std::min(count, spec.blockBytes / 4);
  for (int64_t i = 0; i < unit; ++i)
    memref::StoreOp::create(
        b, loc, createConstant(b, loc, word, double(i)), all,
        ValueRange{arith::ConstantIndexOp::create(b, loc, i)});
  for (int64_t done = unit; done < count;) {
    int64_t next = std::min(done, count - done);
    ScalarOp::create(b, loc, ScalarKind::Adds, part(done, next), part(0, next),
                     createConstant(b, loc, word, double(done)));
    done += next;
  }
  return all;
}

/// Zeros in L1, made once at the beginning of the kernel.
Value KernelBuffers::createZeros(int64_t rows, int64_t columns, Type element) {
  Value &buffer = zeros[{rows, columns, element}];
  if (buffer)
    return buffer;
  buffer = createCubeBuffer({rows, columns}, element, MemorySpace::L1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(buffer.getDefiningOp());
  FillL1Op::create(b, kernel.getLoc(), buffer,
                   createConstant(b, kernel.getLoc(), element, 0));
  return buffer;
}
