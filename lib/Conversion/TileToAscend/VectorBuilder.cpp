//===- VectorBuilder.cpp - instructions on values of a loop ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

VectorBuilder::VectorBuilder(KernelLowering &lowering, tl::ParallelOp parallel,
                             ArrayRef<unsigned> dims)
    : l(lowering), b(lowering.b), parallel(parallel), current(parallel) {
  ArrayRef<int64_t> extents = parallel.getStaticExtents();
  columns = extents[dims.back()];
  if (dims.size() > 1)
    rows = extents[dims[dims.size() - 2]];
}

InFlightDiagnostic VectorBuilder::emitError() {
  return current->emitError("on Ascend, ");
}

InFlightDiagnostic VectorBuilder::emitUnsupported(Value value) {
  Operation *def = value.getDefiningOp();
  return emitError() << "the value of '"
                     << (def ? def->getName().getStringRef()
                             : StringRef("an iteration variable"))
                     << "' cannot be vectorised";
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

VectorShape mlir::tile::ascend::join(VectorShape a, VectorShape c) {
  if (a == VectorShape::Scalar || a == c)
    return c;
  return c == VectorShape::Scalar ? a : VectorShape::Full;
}

VectorShape VectorBuilder::getShape(bool usesRow, bool usesColumn) const {
  if (!rows)
    return usesColumn ? VectorShape::Full : VectorShape::Scalar;
  if (usesRow && usesColumn)
    return VectorShape::Full;
  return usesRow      ? VectorShape::Column
         : usesColumn ? VectorShape::Row
                      : VectorShape::Scalar;
}

Value VectorBuilder::createTemp(VectorShape shape, Type element) {
  if (shape == VectorShape::Column)
    return l.buffers.createMatrix(loc(), std::nullopt, *rows, element);
  if (shape == VectorShape::Row || !rows)
    return l.buffers.createMatrix(loc(), std::nullopt, columns, element);
  return l.buffers.createMatrix(loc(), rows, columns, element);
}

/// The operand as the second or first one of a binary instruction whose target
/// has another shape.
std::pair<Value, Broadcast> VectorBuilder::getSide(const VectorOperand &operand,
                                                   VectorShape shape) {
  if (operand.shape == shape)
    return {operand.matrix, Broadcast::None};
  if (operand.shape == VectorShape::Row)
    return {operand.matrix, Broadcast::Row};
  Value &blocks = columnBlocks[operand.matrix];
  if (!blocks) {
    auto type = cast<MemRefType>(operand.matrix.getType());
    Type element = type.getElementType();
    int64_t perBlock =
        l.spec.blockBytes / (element.getIntOrFloatBitWidth() / 8);
    int64_t unit = l.spec.repeatBytes / l.spec.blockBytes;
    blocks = l.buffers.createMatrix(
        loc(), llvm::alignTo(type.getDimSize(0), unit), perBlock, element);
    BrcbOp::create(b, loc(), blocks, operand.matrix);
  }
  return {blocks, Broadcast::Column};
}

/// The operand spread out to a shape.
FailureOr<Value> VectorBuilder::materialize(const VectorOperand &operand,
                                            VectorShape shape, Type element) {
  if (operand.shape == VectorShape::Scalar) {
    Value temp = createTemp(shape, element);
    if (failed(createFill(l, current, temp, operand.scalar)))
      return failure();
    return temp;
  }
  if (operand.shape == shape)
    return operand.matrix;
  // The maximum of a value with itself is the value.
  Value temp = createTemp(shape, element);
  auto [side, broadcast] = getSide(operand, shape);
  if (getComputeType(l, "Max", element) != element)
    return emitError() << "cannot repeat elements of type " << element
                       << " along a dimension";
  BinaryOp::create(b, loc(), BinaryKind::Max, temp, side, side, broadcast,
                   broadcast);
  return temp;
}

/// A vector in place of a scalar.
FailureOr<VectorOperand> VectorBuilder::spread(const VectorOperand &operand,
                                               VectorShape shape) {
  if (operand.shape != VectorShape::Scalar)
    return operand;
  FailureOr<Value> matrix = materialize(operand, shape, b.getF32Type());
  if (failed(matrix))
    return failure();
  return VectorOperand{shape, *matrix, Value()};
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

VectorOperand VectorBuilder::applyScalar(ScalarKind kind,
                                         const VectorOperand &source,
                                         Value scalar, Type element) {
  VectorOperand result;
  result.shape = source.shape;
  result.matrix = createTemp(source.shape, element);
  ScalarOp::create(b, loc(), kind, result.matrix, source.matrix, scalar);
  return result;
}

VectorOperand VectorBuilder::applyUnary(UnaryKind kind,
                                        const VectorOperand &source,
                                        Type element) {
  VectorOperand result;
  result.shape = source.shape;
  result.matrix = createTemp(source.shape, element);
  UnaryOp::create(b, loc(), kind, result.matrix, source.matrix);
  return result;
}

FailureOr<VectorOperand> VectorBuilder::convert(VectorOperand operand,
                                                Type from, Type to) {
  if (from == to)
    return operand;
  VectorOperand result;
  result.shape = operand.shape;
  if (operand.shape == VectorShape::Scalar) {
    // Conversions of scalars that a program writes are hoisted; these are from
    // and to the type that the vector unit computes in.
    if (isa<IntegerType>(from)) {
      result.scalar =
          arith::SIToFPOp::create(b, loc(), to, operand.scalar).getResult();
      return result;
    }
    bool widens = to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
    result.scalar =
        widens
            ? arith::ExtFOp::create(b, loc(), to, operand.scalar).getResult()
            : arith::TruncFOp::create(b, loc(), to, operand.scalar).getResult();
    return result;
  }
  result.matrix = createTemp(operand.shape, to);
  if (failed(createCast(l, current, result.matrix, operand.matrix)))
    return failure();
  return result;
}

/// The instruction of a vector and a scalar, if the kind has one.
static std::optional<ScalarKind> getScalarKind(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return ScalarKind::Adds;
  case BinaryKind::Mul:
    return ScalarKind::Muls;
  case BinaryKind::Max:
    return ScalarKind::Maxs;
  case BinaryKind::Min:
    return ScalarKind::Mins;
  default:
    return std::nullopt;
  }
}

FailureOr<VectorOperand> VectorBuilder::combine(BinaryKind kind,
                                                VectorOperand lhs,
                                                VectorOperand rhs, Type element,
                                                bool contract) {
  std::optional<ScalarKind> scalar = getScalarKind(kind);
  bool left = lhs.shape == VectorShape::Scalar,
       right = rhs.shape == VectorShape::Scalar;
  if (scalar && right)
    return applyScalar(*scalar, lhs, rhs.scalar, element);
  if (scalar && left)
    return applyScalar(*scalar, rhs, lhs.scalar, element);
  if (kind == BinaryKind::Sub && (left || right)) {
    // x - s is x + (-s); s - x is -x + s.
    Value minusOne = l.constantOf(loc(), element, -1);
    if (left)
      return applyScalar(ScalarKind::Adds,
                         applyScalar(ScalarKind::Muls, rhs, minusOne, element),
                         lhs.scalar, element);
    Value negated =
        isa<FloatType>(element)
            ? arith::NegFOp::create(b, loc(), rhs.scalar).getResult()
            : arith::MulIOp::create(b, loc(), rhs.scalar, minusOne).getResult();
    return applyScalar(ScalarKind::Adds, lhs, negated, element);
  }
  VectorOperand result;
  result.shape = join(lhs.shape, rhs.shape);
  for (VectorOperand *side : {&lhs, &rhs})
    if (side->shape == VectorShape::Scalar) {
      FailureOr<Value> spread = materialize(*side, result.shape, element);
      if (failed(spread))
        return failure();
      *side = VectorOperand{result.shape, *spread, Value()};
    }
  result.matrix = createTemp(result.shape, element);
  auto [a, aSide] = getSide(lhs, result.shape);
  auto [c, cSide] = getSide(rhs, result.shape);
  BinaryOp::create(b, loc(), kind, result.matrix, a, c, aSide, cSide,
                   contract);
  return result;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// 0, step, 2 step, …: the first eight by the scalar unit's constants, and then
/// each part from the one before.
VectorOperand VectorBuilder::createSequence(int64_t count, int64_t step,
                                            VectorShape shape) {
  Type element = b.getF32Type();
  int64_t unit = l.spec.blockBytes / 4;
  int64_t length = llvm::alignTo(count, l.spec.repeatBytes / 4);
  Value all = l.buffers.createMatrix(loc(), std::nullopt, length, element);
  // Once for all iterations of the loops around.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(all.getDefiningOp());
  auto part = [&](int64_t from, int64_t size) {
    return l.buffers.createPart(loc(), all, b.getIndexAttr(0),
                                b.getIndexAttr(from), 1, size);
  };
  // Element i of the first block is the sum of the bits of i.
  for (int64_t i = 0; i < unit; ++i) {
    Value index = l.constantIndex(loc(), i);
    memref::StoreOp::create(
        b, loc(), l.constantOf(loc(), element, double(i * step)), all, index);
  }
  for (int64_t done = unit; done < count;) {
    int64_t next = std::min(done, length - done);
    ScalarOp::create(b, loc(), ScalarKind::Adds, part(done, next),
                     part(0, next),
                     l.constantOf(loc(), element, double(done * step)));
    done += next;
  }
  VectorOperand result;
  result.shape = shape;
  result.matrix = part(0, count);
  return result;
}

FailureOr<VectorOperand> VectorBuilder::createIndexMatrix(int64_t rowStep,
                                                          int64_t columnStep) {
  Type element = b.getF32Type();
  std::optional<VectorOperand> row, column;
  if (columnStep || !rowStep)
    column = createSequence(columns, columnStep,
                            rows ? VectorShape::Row : VectorShape::Full);
  if (rowStep)
    row = createSequence(*rows, rowStep, VectorShape::Column);
  if (!row || !column)
    return row ? *row : *column;
  return combine(BinaryKind::Add, *row, *column, element);
}
