//===- VectorBuilder.h - instructions on values of a loop -------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORBUILDER_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORBUILDER_H

#include "ElementConversion.h"
#include "GlobalTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tile::ascend {

/// Which of the last two iteration variables, the rows and the columns, a value
/// depends on.
enum class VectorShape { Scalar, Row, Column, Full };

/// The shape of a value that depends on all that two values depend on.
VectorShape join(VectorShape a, VectorShape c);

/// A value of all iterations.
struct VectorOperand {
  VectorShape shape = VectorShape::Scalar;
  Value matrix; // of a row or a column: of one dimension
  Value scalar;
};

/// Builds vector instructions for the iterations of a `tile.parallel`, at the
/// insertion point of the lowering.
class VectorBuilder {
public:
  /// `dims` are the dimensions of the loop; the last two are rows and columns.
  VectorBuilder(KernelLowering &lowering, ParallelOp parallel,
                ArrayRef<unsigned> dims);

  Location loc() { return current->getLoc(); }
  InFlightDiagnostic emitError();
  /// The value cannot be a vector.
  InFlightDiagnostic emitUnsupported(Value value);

  VectorShape getShape(bool usesRow, bool usesColumn) const;
  /// A new matrix of the shape.
  Value createTemp(VectorShape shape, Type element);
  /// The operand as a side of a binary instruction whose result has the shape.
  std::pair<Value, Broadcast> getSide(const VectorOperand &operand,
                                      VectorShape shape);
  /// The operand with all elements of the shape.
  FailureOr<Value> materialize(const VectorOperand &operand, VectorShape shape,
                               Type element);
  /// A vector of f32 in place of a scalar.
  FailureOr<VectorOperand> spread(const VectorOperand &operand,
                                  VectorShape shape);
  /// Columns that were broadcast may have been written since.
  void clearBroadcasts() { columnBlocks.clear(); }

  VectorOperand applyScalar(ScalarKind kind, const VectorOperand &source,
                            Value scalar, Type element);
  VectorOperand applyUnary(UnaryKind kind, const VectorOperand &source,
                           Type element);
  FailureOr<VectorOperand> combine(BinaryKind kind, VectorOperand lhs,
                                   VectorOperand rhs, Type element,
                                   bool contract = false);
  FailureOr<VectorOperand> convert(VectorOperand operand, Type from, Type to);

  /// 0, step, 2 step, … in f32.
  VectorOperand createSequence(int64_t count, int64_t step, VectorShape shape);
  /// rowStep · row + columnStep · column in f32.
  FailureOr<VectorOperand> createIndexMatrix(int64_t rowStep,
                                             int64_t columnStep);

  KernelLowering &l;
  OpBuilder &b;
  ParallelOp parallel;
  std::optional<int64_t> rows;
  int64_t columns = 1;
  Operation *current; // that is vectorised: its location, and that of errors

private:
  DenseMap<Value, Value>
      columnBlocks; // blocks of a repeated element, by column
};

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORBUILDER_H
