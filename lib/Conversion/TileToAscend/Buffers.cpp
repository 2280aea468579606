//===- Buffers.cpp - matrices in UB ---------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace target = ::tile::target;
using mlir::tile::AllocOp;
using mlir::tile::MemorySpace;
using mlir::tile::MemorySpaceAttr;

SmallVector<int64_t> mlir::tile::ascend::dropUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept;
  llvm::copy_if(shape, std::back_inserter(kept),
                [](int64_t extent) { return extent != 1; });
  if (kept.empty())
    kept.push_back(1);
  return kept;
}

Value KernelLowering::constantIndex(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value KernelLowering::constantOf(Location loc, Type element, double value) {
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, value))
                       : TypedAttr(b.getIntegerAttr(element, int64_t(value)));
  return arith::ConstantOp::create(b, loc, attr);
}

Value KernelLowering::createMatrix(Location loc, std::optional<int64_t> rows,
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

Value KernelLowering::createLike(Location loc, Value matrix, Type element) {
  auto type = cast<MemRefType>(matrix.getType());
  Matrix shape = *getMatrix(type);
  if (type.getRank() == 1)
    return createMatrix(loc, std::nullopt, shape.columns, element);
  return createMatrix(loc, shape.rows, shape.columns, element);
}

Value KernelLowering::createPart(Location loc, Value matrix,
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

Value KernelLowering::getMatrixOf(Operation *op, Value buffer) {
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
    if (!source)
      return {};
    SmallVector<int64_t> shape = dropUnits(type.getShape());
    Matrix from = *getMatrix(cast<MemRefType>(source.getType()));
    int64_t rows = type.getNumElements() / shape.back();
    if (from.columns == shape.back() && from.rows == rows)
      return matrices[buffer] = source;
    op->emitError() << "cannot reshape " << reshape.getSource().getType()
                    << " to " << type << ": rows lie apart in 'ub'";
    return {};
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

Type KernelLowering::getComputeType(StringRef instruction, Type element) const {
  auto type = mlir::tile::getElementType(element);
  if (type && spec.supports(instruction, *type))
    return element;
  return Float32Type::get(element.getContext());
}

//===----------------------------------------------------------------------===//
// Casts and copies
//===----------------------------------------------------------------------===//

static RoundMode getRounding(Type from, Type to) {
  if (isa<FloatType>(from) && isa<IntegerType>(to))
    return RoundMode::Trunc;
  unsigned a = from.getIntOrFloatBitWidth(), z = to.getIntOrFloatBitWidth();
  auto wide = dyn_cast<FloatType>(to);
  bool exact = isa<FloatType>(from) ? a < z
                                    : !wide || a <= wide.getFPMantissaWidth();
  return exact ? RoundMode::None : RoundMode::RInt;
}

/// Whether the chip converts in one step.
bool KernelLowering::hasCast(Type from, Type to) const {
  // This one takes a scale.
  if (from.isInteger(32) && to.isF16())
    return false;
  auto a = mlir::tile::getElementType(from), z = mlir::tile::getElementType(to);
  return a && z && spec.hasCast(*a, *z);
}

Value KernelLowering::createWrap(Location loc, Value matrix, unsigned bits) {
  auto type = cast<MemRefType>(matrix.getType());
  Type element = type.getElementType();
  Value shift =
      constantOf(loc, element, element.getIntOrFloatBitWidth() - bits);
  Value high = createLike(loc, matrix, element),
        low = createLike(loc, matrix, element);
  ScalarOp::create(b, loc, ScalarKind::Shl, high, matrix, shift);
  ScalarOp::create(b, loc, ScalarKind::Shrs, low, high, shift);
  return low;
}

LogicalResult KernelLowering::createCast(Operation *op, Value target,
                                         Value source, bool fits) {
  Type from = cast<MemRefType>(source.getType()).getElementType();
  Type to = cast<MemRefType>(target.getType()).getElementType();
  bool isNarrower = isa<IntegerType>(from) && isa<IntegerType>(to) &&
                    from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  if (isNarrower && !fits) {
    if (!supports("ShiftLeft", from))
      return op->emitError() << "a conversion from " << from << " to " << to
                             << " wraps, but the vector unit saturates";
    source = createWrap(op->getLoc(), source, to.getIntOrFloatBitWidth());
  }
  return createCastSteps(op, target, source);
}

LogicalResult KernelLowering::createCastSteps(Operation *op, Value target,
                                              Value source) {
  Location loc = op->getLoc();
  Type from = cast<MemRefType>(source.getType()).getElementType();
  Type to = cast<MemRefType>(target.getType()).getElementType();
  if (hasCast(from, to)) {
    CastOp::create(b, loc, getRounding(from, to), target, source);
    return success();
  }
  Type half = b.getF16Type(), single = b.getF32Type(), word = b.getI32Type();
  for (Type middle : {single, half, word}) {
    bool exact = isa<FloatType>(middle) || isa<IntegerType>(from);
    if (!exact || !hasCast(from, middle) || !hasCast(middle, to))
      continue;
    // A fraction is cut off once.
    bool cuts = isa<FloatType>(from) && isa<IntegerType>(to) &&
                getRounding(from, middle) != RoundMode::None;
    Value step = createLike(loc, source, middle);
    CastOp::create(b, loc,
                   cuts ? RoundMode::Trunc : getRounding(from, middle), step,
                   source);
    CastOp::create(b, loc, getRounding(middle, to), target, step);
    return success();
  }
  // 8-bit integers go by f16, and from there on by 16-bit integers or by f32.
  auto isByte = [](Type type) { return type.isInteger(8); };
  Type middle = isByte(from) ? half : isByte(to) ? Type(b.getI16Type()) : Type();
  if (!middle || from == middle || to == middle)
    return op->emitError() << chip.name << " has no conversion from " << from
                           << " to " << to;
  Value step = createLike(loc, source, middle);
  return success(succeeded(createCastSteps(op, step, source)) &&
                 succeeded(createCastSteps(op, target, step)));
}

LogicalResult KernelLowering::createCopy(Operation *op, Value target,
                                         Value source) {
  auto to = cast<MemRefType>(target.getType());
  auto from = cast<MemRefType>(source.getType());
  if (to.getShape() != from.getShape())
    return op->emitError() << "cannot copy "
                           << mlir::tile::formatShape(from.getShape()) << " to "
                           << mlir::tile::formatShape(to.getShape())
                           << " inside of 'ub'";
  if (to.getElementType() != from.getElementType())
    return createCast(op, target, source);
  if (supports("Copy", to.getElementType())) {
    CopyUbOp::create(b, op->getLoc(), target, source);
    return success();
  }
  if (!to.getElementType().isInteger(8))
    return op->emitError() << chip.name << " has no Copy for "
                           << to.getElementType();
  Value step = createLike(op->getLoc(), source, b.getF16Type());
  return success(succeeded(createCast(op, step, source)) &&
                 succeeded(createCast(op, target, step)));
}
