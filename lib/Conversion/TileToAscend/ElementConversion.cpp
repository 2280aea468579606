//===- ElementConversion.cpp - element by element on matrices -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementConversion.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile::ascend;

Type mlir::tile::ascend::getComputeType(const KernelLowering &l,
                                        StringRef instruction, Type element) {
  auto type = mlir::tile::getElementType(element);
  if (type && l.spec.supports(instruction, *type))
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
  bool exact =
      isa<FloatType>(from) ? a < z : !wide || a <= wide.getFPMantissaWidth();
  return exact ? RoundMode::None : RoundMode::RInt;
}

/// Whether the chip converts in one step.
static bool hasCast(const KernelLowering &l, Type from, Type to) {
  // This one takes a scale.
  if (from.isInteger(32) && to.isF16())
    return false;
  auto a = mlir::tile::getElementType(from), z = mlir::tile::getElementType(to);
  return a && z && l.spec.hasCast(*a, *z);
}

Value mlir::tile::ascend::createWrap(KernelLowering &l, Location loc,
                                     Value matrix, unsigned bits) {
  auto type = cast<MemRefType>(matrix.getType());
  Type element = type.getElementType();
  Value shift =
      l.constantOf(loc, element, element.getIntOrFloatBitWidth() - bits);
  Value high = l.buffers.createLike(loc, matrix, element),
        low = l.buffers.createLike(loc, matrix, element);
  ScalarOp::create(l.b, loc, ScalarKind::Shl, high, matrix, shift);
  ScalarOp::create(l.b, loc, ScalarKind::Shrs, low, high, shift);
  return low;
}

/// i32 as f32, where an inexact number ends with a bit that is set: rounded
/// once more, it is what the integer itself would be rounded to.
static Value createOddCast(KernelLowering &l, Location loc, Value source) {
  Type single = l.b.getF32Type(), word = l.b.getI32Type();
  Value cut = l.buffers.createLike(loc, source, single),
        rest = l.buffers.createLike(loc, source, word),
        negative = l.buffers.createLike(loc, source, word),
        bit = l.buffers.createLike(loc, source, single);
  CastOp::create(l.b, loc, RoundMode::Trunc, cut, source);
  CastOp::create(l.b, loc, RoundMode::Trunc, rest, cut);
  BinaryOp::create(l.b, loc, BinaryKind::Sub, rest, source, rest);
  ScalarOp::create(l.b, loc, ScalarKind::Muls, negative, rest,
                   l.constantOf(loc, word, -1));
  BinaryOp::create(l.b, loc, BinaryKind::Max, rest, rest, negative);
  ScalarOp::create(l.b, loc, ScalarKind::Mins, rest, rest,
                   l.constantOf(loc, word, 1));
  CopyUbOp::create(l.b, loc, bit, rest);
  BinaryOp::create(l.b, loc, BinaryKind::Or, cut, cut, bit);
  return cut;
}

/// Names the types that the chip makes of `from`, and those that it makes `to`
/// of.
static LogicalResult emitNoConversion(KernelLowering &l, Operation *op,
                                      Type from, Type to) {
  InFlightDiagnostic diag = op->emitError() << l.chip.name
                                            << " has no conversion from "
                                            << from << " to " << to;
  Builder &b = l.b;
  SmallVector<Type> results, sources;
  for (Type type :
       {Type(b.getF16Type()), Type(b.getBF16Type()), Type(b.getF32Type()),
        Type(b.getI8Type()), Type(b.getI16Type()), Type(b.getI32Type())}) {
    if (hasCast(l, from, type))
      results.push_back(type);
    if (hasCast(l, type, to))
      sources.push_back(type);
  }
  auto list = [&](StringRef before, ArrayRef<Type> types) {
    diag << before;
    if (types.empty())
      diag << "nothing";
    llvm::interleaveComma(types, diag);
  };
  diag << "; of " << from;
  list(" it makes ", results);
  diag << ", and " << to;
  list(" of ", sources);
  return diag;
}

static LogicalResult createCastSteps(KernelLowering &l, Operation *op,
                                     Value target, Value source) {
  Location loc = op->getLoc();
  Type from = cast<MemRefType>(source.getType()).getElementType();
  Type to = cast<MemRefType>(target.getType()).getElementType();
  if (hasCast(l, from, to)) {
    CastOp::create(l.b, loc, getRounding(from, to), target, source);
    return success();
  }
  Type half = l.b.getF16Type(), single = l.b.getF32Type(),
       word = l.b.getI32Type();
  if (from == word && to.isBF16()) {
    Value odd = createOddCast(l, loc, source);
    CastOp::create(l.b, loc, RoundMode::RInt, target, odd);
    return success();
  }
  for (Type middle : {single, half, word}) {
    bool exact = isa<FloatType>(middle) || isa<IntegerType>(from);
    if (!exact || !hasCast(l, from, middle) || !hasCast(l, middle, to))
      continue;
    // A fraction is cut off once.
    bool cuts = isa<FloatType>(from) && isa<IntegerType>(to) &&
                getRounding(from, middle) != RoundMode::None;
    Value step = l.buffers.createLike(loc, source, middle);
    CastOp::create(l.b, loc,
                   cuts ? RoundMode::Trunc : getRounding(from, middle), step,
                   source);
    CastOp::create(l.b, loc, getRounding(middle, to), target, step);
    return success();
  }
  // 8-bit integers go by f16, and from there on by 16-bit integers or by f32.
  auto isByte = [](Type type) { return type.isInteger(8); };
  Type middle = isByte(from) ? half
                : isByte(to) ? Type(l.b.getI16Type())
                             : Type();
  if (!middle || from == middle || to == middle)
    return emitNoConversion(l, op, from, to);
  Value step = l.buffers.createLike(loc, source, middle);
  return success(succeeded(createCastSteps(l, op, step, source)) &&
                 succeeded(createCastSteps(l, op, target, step)));
}

/// What a copy with `saturate` converts: f32, within the range of the target.
static FailureOr<Value> createClamped(KernelLowering &l, Operation *op,
                                      Value source, FloatType to) {
  Location loc = op->getLoc();
  Type single = l.b.getF32Type();
  Value wide = l.buffers.createLike(loc, source, single), matrix = source;
  if (cast<MemRefType>(source.getType()).getElementType() != single) {
    if (failed(createCastSteps(l, op, wide, source)))
      return failure();
    matrix = wide;
  }
  double largest = APFloat::getLargest(to.getFloatSemantics()).convertToDouble();
  ScalarOp::create(l.b, loc, ScalarKind::Mins, wide, matrix,
                   l.constantOf(loc, single, largest));
  ScalarOp::create(l.b, loc, ScalarKind::Maxs, wide, wide,
                   l.constantOf(loc, single, -largest));
  return wide;
}

LogicalResult mlir::tile::ascend::createCast(KernelLowering &l, Operation *op,
                                             Value target, Value source,
                                             bool fits) {
  Type from = cast<MemRefType>(source.getType()).getElementType();
  Type to = cast<MemRefType>(target.getType()).getElementType();
  auto copy = dyn_cast<mlir::tile::CopyOp>(op);
  bool mayOverflow = isa<FloatType>(from) || to.isF16();
  if (copy && copy.getSaturate() && isa<FloatType>(to) && mayOverflow) {
    FailureOr<Value> clamped = createClamped(l, op, source, cast<FloatType>(to));
    if (failed(clamped))
      return failure();
    if (!to.isF32())
      return createCastSteps(l, op, target, *clamped);
    CopyUbOp::create(l.b, op->getLoc(), target, *clamped);
    return success();
  }
  bool isNarrower = isa<IntegerType>(from) && isa<IntegerType>(to) &&
                    from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  if (isNarrower && !fits) {
    if (!supports(l, "ShiftLeft", from))
      return op->emitError() << "a conversion from " << from << " to " << to
                             << " wraps, but the vector unit saturates";
    source = createWrap(l, op->getLoc(), source, to.getIntOrFloatBitWidth());
  }
  return createCastSteps(l, op, target, source);
}

/// The scalar unit writes each element: of integers of 64 bits, for which the
/// vector unit has conversions alone.
static void writeElements(KernelLowering &l, Location loc, Value matrix,
                          function_ref<Value(ValueRange)> getElement) {
  OpBuilder::InsertionGuard guard(l.b);
  Value zero = l.constantIndex(loc, 0), one = l.constantIndex(loc, 1);
  SmallVector<Value> at;
  for (int64_t extent : cast<MemRefType>(matrix.getType()).getShape()) {
    auto loop =
        scf::ForOp::create(l.b, loc, zero, l.constantIndex(loc, extent), one);
    l.b.setInsertionPointToStart(loop.getBody());
    at.push_back(loop.getInductionVar());
  }
  memref::StoreOp::create(l.b, loc, getElement(at), matrix, at);
}

LogicalResult mlir::tile::ascend::createCopy(KernelLowering &l, Operation *op,
                                             Value target, Value source) {
  auto to = cast<MemRefType>(target.getType());
  auto from = cast<MemRefType>(source.getType());
  if (to.getShape() != from.getShape())
    return op->emitError() << "cannot copy "
                           << mlir::tile::formatShape(from.getShape()) << " to "
                           << mlir::tile::formatShape(to.getShape())
                           << " inside of 'ub'";
  if (to.getElementType() != from.getElementType())
    return createCast(l, op, target, source);
  if (to.getElementTypeBitWidth() > 8 &&
      supports(l, "Copy", to.getElementType())) {
    CopyUbOp::create(l.b, op->getLoc(), target, source);
    return success();
  }
  if (to.getElementType().isInteger(64)) {
    writeElements(l, op->getLoc(), target, [&](ValueRange at) -> Value {
      return memref::LoadOp::create(l.b, op->getLoc(), source, at);
    });
    return success();
  }
  if (!to.getElementType().isInteger(8))
    return op->emitError() << l.chip.name << " has no Copy for "
                           << to.getElementType();
  Value step = l.buffers.createLike(op->getLoc(), source, l.b.getF16Type());
  return success(succeeded(createCast(l, op, step, source)) &&
                 succeeded(createCast(l, op, target, step)));
}
/// Fills a matrix in UB. Numbers of a type that has no instruction for it are
/// those of another one, converted.
LogicalResult mlir::tile::ascend::createFill(KernelLowering &l, Operation *op,
                                             Value matrix, Value value) {
  Location loc = op->getLoc();
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  Type moved = getMovedAs(element);
  if (getComputeType(l, "Duplicate", moved) == moved &&
      (moved == element || matchPattern(value, m_Constant()))) {
    DuplicateOp::create(l.b, loc, matrix, value);
    return success();
  }
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) && element.isInteger(8)) {
    Value wide = arith::ExtSIOp::create(l.b, loc, l.b.getI16Type(), value);
    Value filled = l.buffers.createLike(loc, matrix, wide.getType());
    DuplicateOp::create(l.b, loc, filled, wide);
    return createCast(l, op, matrix, filled, /*fits=*/true);
  }
  bool isShortNumber =
      matchPattern(value, m_ConstantInt(&number)) && number.isSignedIntN(32);
  if (!isShortNumber && element.isInteger(64)) {
    writeElements(l, loc, matrix, [&](ValueRange) { return value; });
    return success();
  }
  if (!isShortNumber)
    return op->emitError() << l.chip.name << " has no Duplicate for " << element
                           << "; only a constant of 32 bits can be converted";
  bool isShort = number.getBitWidth() <= 8;
  Type middle = isShort ? Type(l.b.getF16Type()) : Type(l.b.getI32Type());
  Value filled = l.buffers.createLike(loc, matrix, middle);
  DuplicateOp::create(l.b, loc, filled,
                      l.constantOf(loc, middle, number.getSExtValue()));
  return createCast(l, op, matrix, filled);
}
