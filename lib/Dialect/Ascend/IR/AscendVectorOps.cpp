//===- AscendVectorOps.cpp - verifiers of vector instructions -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace ascend = mlir::tile::ascend;
using mlir::tile::MemorySpace;

/// A matrix in UB.
static LogicalResult verifyMatrix(Operation *op, Role role) {
  return success(succeeded(expectSpace(op, role, MemorySpace::UB)) &&
                 succeeded(expectRows(op, role)));
}

static StringRef getName(BinaryKind kind) {
  static constexpr StringLiteral names[] = {"Add", "Sub", "Mul", "Div",
                                            "Max", "Min", "And", "Or"};
  return names[static_cast<unsigned>(kind)];
}
static StringRef getName(ScalarKind kind) {
  static constexpr StringLiteral names[] = {
      "Adds",      "Muls",       "Maxs",      "Mins",
      "ShiftLeft", "ShiftRight", "ShiftRight"};
  return names[static_cast<unsigned>(kind)];
}
static StringRef getName(UnaryKind kind) {
  static constexpr StringLiteral names[] = {
      "Exp", "Ln", "Abs", "Sqrt", "Rsqrt", "Reciprocal", "Relu", "Not"};
  return names[static_cast<unsigned>(kind)];
}
static StringRef getName(ReduceKind kind) {
  static constexpr StringLiteral names[] = {"WholeReduceSum", "WholeReduceMax",
                                            "WholeReduceMin"};
  return names[static_cast<unsigned>(kind)];
}

StringRef ascend::getInstructionName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<BinaryOp, ScalarOp, UnaryOp, ReduceOp>(
          [](auto vector) { return getName(vector.getKind()); })
      .Case<MulAddOp>([](auto) { return "FusedMulAdd"; })
      .Case<DuplicateOp>([](auto) { return "Duplicate"; })
      .Case<CastOp>([](auto) { return "Cast"; })
      .Case<CopyUbOp>([](auto) { return "Copy"; })
      .Case<BrcbOp>([](auto) { return "Brcb"; })
      .Case<CompareOp>([](auto) { return "Compare"; })
      .Case<SelectOp>([](auto) { return "Select"; })
      .Case<Sort32Op>([](auto) { return "Sort32"; })
      .Case<MergeSortOp>([](auto) { return "MrgSort"; })
      .Case<GatherMaskOp>([](auto) { return "GatherMask"; })
      .Case<GatherOp>([](auto) { return "Gather"; })
      .Default([](Operation *) { return ""; });
}

/// Source and target of one shape and, unless they are converted, one type.
static LogicalResult verifyElementwise(Operation *op, Role target, Role source,
                                       bool sameElement = true) {
  if (failed(verifyMatrix(op, target)) || failed(verifyMatrix(op, source)) ||
      (sameElement && failed(expectSameElement(op, target, source))))
    return failure();
  return expectShape(op, source, target.getType().getShape());
}

static LogicalResult verifyBroadcast(Operation *op, Role role, Role target,
                                     Broadcast broadcast) {
  if (failed(verifyMatrix(op, role)) ||
      failed(expectSameElement(op, target, role)))
    return failure();
  Matrix whole = *getMatrix(target.getType());
  int64_t bytes = target.getType().getElementTypeBitWidth() / 8;
  switch (broadcast) {
  case Broadcast::None:
    return expectShape(op, role, target.getType().getShape());
  case Broadcast::Row:
    if (role.getType().getRank() == 1)
      return expectShape(op, role, {whole.columns});
    return expectShape(op, role, {1, whole.columns});
  case Broadcast::Column:
    if (getMatrix(role.getType())->rows >= whole.rows &&
        role.getType().getRank() == 2 &&
        role.getType().getDimSize(1) == getSpec(op).blockBytes / bytes)
      return success();
    return expectShape(op, role,
                       {whole.rows, getSpec(op).blockBytes / bytes});
  }
  return success();
}

/// Bits of 16 and 32 are moved as 16-bit integers.
static Type getBitType(Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  return width == 16 || width == 32 ? IntegerType::get(element.getContext(), 16)
                                    : element;
}

Type BinaryOp::getMovedType() {
  Type element = cast<MemRefType>(getTarget().getType()).getElementType();
  bool isBits = getKind() == BinaryKind::And || getKind() == BinaryKind::Or;
  return isBits ? getBitType(element) : element;
}

Type UnaryOp::getMovedType() {
  Type element = cast<MemRefType>(getTarget().getType()).getElementType();
  return getKind() == UnaryKind::Not ? getBitType(element) : element;
}

LogicalResult BinaryOp::verify() {
  Role target{getTarget(), "target"};
  // ascend.binary C1, C2, C3, C4
  if (failed(verifyMatrix(*this, target)) ||
      failed(verifyBroadcast(*this, {getLhs(), "lhs"}, target,
                             getLhsBroadcast())) ||
      failed(verifyBroadcast(*this, {getRhs(), "rhs"}, target,
                             getRhsBroadcast())))
    return failure();
  // ascend.binary C5
  return expectInstruction(*this, getInstructionName(*this), getMovedType());
}

LogicalResult MulAddOp::verify() {
  Role target{getTarget(), "target"};
  // ascend.mul_add C1, C2, C3, C4
  if (failed(verifyMatrix(*this, target)) ||
      failed(verifyBroadcast(*this, {getFactor(), "factor"}, target,
                             getFactorBroadcast())) ||
      failed(verifyBroadcast(*this, {getAddend(), "addend"}, target,
                             getAddendBroadcast())))
    return failure();
  // ascend.mul_add C5
  return expectInstruction(*this, getInstructionName(*this),
                           target.getType().getElementType());
}

LogicalResult ScalarOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  Type element = target.getType().getElementType();
  // ascend.scalar C1, C2, C3, C4
  if (failed(verifyElementwise(*this, target, source)) ||
      failed(expectElementType(*this, getValue().getType(), element,
                               "a value")))
    return failure();
  // ascend.scalar C5
  if (failed(expectInstruction(*this, getInstructionName(*this), element)))
    return failure();
  // ascend.scalar C6
  std::optional<int64_t> shift = getConstantIntValue(getValue());
  int64_t width = element.getIntOrFloatBitWidth();
  if (getKind() < ScalarKind::Shl || !shift || (*shift >= 0 && *shift <= width))
    return success();
  return emitOpError() << "expected a shift of 0 to " << width << ", got "
                       << *shift;
}

LogicalResult UnaryOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.unary C1, C2, C3, C4
  if (failed(verifyElementwise(*this, target, source)))
    return failure();
  // ascend.unary C5
  return expectInstruction(*this, getInstructionName(*this), getMovedType());
}

LogicalResult CastOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.cast C1, C2, C3, C4
  if (failed(verifyElementwise(*this, target, source, /*sameElement=*/false)))
    return failure();
  // ascend.cast C5
  const auto *chip = getChip(*this);
  if (!chip)
    return success();
  Type to = target.getType().getElementType();
  Type from = source.getType().getElementType();
  auto known = mlir::tile::getElementType(from), wanted = mlir::tile::getElementType(to);
  const auto &spec = *chip->getAscend();
  if (known && wanted && spec.hasCast(*known, *wanted))
    return success();
  InFlightDiagnostic diag = emitOpError()
                            << chip->name << " has no Cast from " << from
                            << " to " << to;
  for (const auto &row : spec.casts)
    if (known && row.from == *known)
      return diag << "; from there it goes to " << formatTypes(row.to);
  return diag;
}

LogicalResult DuplicateOp::verify() {
  Role target{getTarget(), "target"};
  Type element = target.getType().getElementType();
  // ascend.duplicate C1, C2, C3
  if (failed(verifyMatrix(*this, target)) ||
      failed(expectElementType(*this, getValue().getType(), element,
                               "a value")))
    return failure();
  // ascend.duplicate C4
  return expectInstruction(*this, getInstructionName(*this),
                           getMovedAs(element));
}

LogicalResult CopyUbOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.copy_ub C1, C2, C3, C4
  if (failed(verifyElementwise(*this, target, source, /*sameElement=*/false)))
    return failure();
  unsigned width = target.getType().getElementTypeBitWidth();
  if (source.getType().getElementTypeBitWidth() != width)
    return emitOpError() << "expected a source of " << width
                         << " bits like the target, got "
                         << source.getType().getElementType();
  // ascend.copy_ub C5
  if (width == 8)
    return emitOpError() << "expected elements of 16 or 32 bits, got "
                         << target.getType().getElementType();
  return expectInstruction(*this, getInstructionName(*this),
                           target.getType().getElementType());
}

LogicalResult ReduceOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.reduce C1, C2, C3
  if (failed(verifyMatrix(*this, source)) ||
      failed(verifyMatrix(*this, target)) ||
      failed(expectRank(*this, target, 1, 1)) ||
      failed(expectSameElement(*this, target, source)))
    return failure();
  // ascend.reduce C4
  Matrix matrix = *getMatrix(source.getType());
  if (failed(expectShape(*this, target, {matrix.rows})))
    return failure();
  // ascend.reduce C5
  int64_t lanes = getSpec(*this).repeatBytes /
                  (source.getType().getElementTypeBitWidth() / 8);
  if (matrix.columns > lanes)
    return emitOpError() << "expected rows of at most " << lanes
                         << " elements, got " << matrix.columns;
  // ascend.reduce C6
  return expectInstruction(*this, getInstructionName(*this),
                           target.getType().getElementType());
}

LogicalResult BrcbOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  // ascend.brcb C1, C2
  if (failed(verifyMatrix(*this, source)) ||
      failed(verifyMatrix(*this, target)) ||
      failed(expectRank(*this, source, 1, 1)) ||
      failed(expectRank(*this, target, 2, 2)) ||
      failed(expectSameElement(*this, target, source)))
    return failure();
  // ascend.brcb C3, C4
  const auto &spec = getSpec(*this);
  int64_t blocks = spec.repeatBytes / spec.blockBytes;
  int64_t bytes = source.getType().getElementTypeBitWidth() / 8;
  int64_t rows = llvm::divideCeil(source.getType().getDimSize(0), blocks);
  if (failed(expectShape(*this, target,
                         {rows * blocks, spec.blockBytes / bytes})))
    return failure();
  if (!getMatrix(target.getType())->isContiguous())
    return emitOpError("expected rows of the target to follow one another");
  // ascend.brcb C5
  return expectInstruction(*this, getInstructionName(*this),
                           target.getType().getElementType());
}

/// A bit mask of `count` elements.
static LogicalResult verifyMask(Operation *op, Role mask, int64_t count) {
  if (failed(expectSpace(op, mask, MemorySpace::UB)))
    return failure();
  if (!mask.getType().getElementType().isInteger(8))
    return op->emitOpError() << "expected elements of type 'i8' in '"
                             << mask.name << "', got "
                             << mask.getType().getElementType();
  return expectShape(op, mask, {count / 8});
}

/// A contiguous matrix of whole vectors.
static LogicalResult verifyVectors(Operation *op, Role role) {
  if (failed(verifyMatrix(op, role)))
    return failure();
  MemRefType type = role.getType();
  if (!getMatrix(type)->isContiguous())
    return op->emitOpError() << "expected '" << role.name
                             << "' to be contiguous, got " << type;
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  int64_t unit = getSpec(op).repeatBytes;
  if (bytes % unit == 0)
    return success();
  return op->emitOpError() << "expected a multiple of " << unit
                           << " bytes, got " << bytes;
}

LogicalResult CompareOp::verify() {
  Role target{getTarget(), "target"}, source{getSource(), "source"};
  Type element = source.getType().getElementType();
  // ascend.compare C1, C2, C3
  if (failed(verifyVectors(*this, source)) ||
      failed(verifyMask(*this, target, source.getType().getNumElements())))
    return failure();
  if (isa<MemRefType>(getValue().getType())) {
    if (failed(verifyElementwise(*this, source, {getValue(), "value"})))
      return failure();
  } else if (failed(expectElementType(*this, getValue().getType(), element,
                                      "a value"))) {
    return failure();
  }
  // ascend.compare C4
  if (isa<IntegerType>(element) && getMode() != CompareMode::EQ)
    return emitOpError() << "expected 'eq' for " << element << ", got '"
                         << stringifyCompareMode(getMode()) << "'";
  return expectInstruction(*this, getInstructionName(*this), element);
}

Type SelectOp::getMovedType() {
  Type element = cast<MemRefType>(getTarget().getType()).getElementType();
  if (element.isInteger(32))
    return Float32Type::get(getContext());
  return element.isInteger(16) ? Type(Float16Type::get(getContext())) : element;
}

LogicalResult SelectOp::verify() {
  Role target{getTarget(), "target"}, lhs{getLhs(), "lhs"};
  // ascend.select C1, C2, C3
  if (failed(verifyVectors(*this, target)) ||
      failed(verifyMask(*this, {getMask(), "mask"},
                        target.getType().getNumElements())) ||
      failed(verifyElementwise(*this, target, lhs)))
    return failure();
  Type element = target.getType().getElementType();
  if (isa<MemRefType>(getRhs().getType())) {
    if (failed(verifyElementwise(*this, target, {getRhs(), "rhs"})))
      return failure();
  } else if (!isa<FloatType>(element) || getRhs().getType() != element) {
    return emitOpError() << "expected 'rhs' to be a matrix, or a float of the "
                            "target's type, got "
                         << getRhs().getType();
  }
  // ascend.select C4
  return expectInstruction(*this, getInstructionName(*this), getMovedType());
}
