//===- Vectorizer.h - the body of a tile.parallel as vectors ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H

#include "Linear.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tile::ascend {

class Vectorizer {
public:
  Vectorizer(KernelLowering &lowering, ParallelOp parallel);
  LogicalResult run();

private:
  /// Which of the last two iteration variables a value depends on.
  enum class Shape { Scalar, Row, Column, Full };
  struct Operand {
    Shape shape = Shape::Scalar;
    Value matrix; // Row and Column: of one dimension
    Value scalar;
  };
  /// A comparison, or its contrary.
  struct Mask {
    Shape shape;
    Value bits;
    bool isInverted = false;
  };

  Location loc() { return current->getLoc(); }
  InFlightDiagnostic emitError();
  Shape getShape(bool usesRow, bool usesColumn) const;
  static Shape join(Shape a, Shape c);
  Value createTemp(Shape shape, Type element);
  std::pair<Value, Broadcast> getSide(const Operand &operand, Shape shape);
  FailureOr<Value> materialize(const Operand &operand, Shape shape,
                               Type element);

  FailureOr<Operand> getTilePart(Value buffer, ValueRange indices);
  FailureOr<std::pair<GlobalRegion, Shape>> getGlobalPart(Value buffer,
                                                          ValueRange indices);
  LogicalResult vectorizeLoad(memref::LoadOp load);
  LogicalResult vectorizeStore(memref::StoreOp store);
  bool retarget(Value temp, Value buffer);
  FailureOr<Operand> getOperand(Value value);
  LogicalResult vectorize(Operation *op);

  // VectorizeGather.cpp
  std::optional<Operand> getIndexVector(Value index);
  std::optional<unsigned> findGather(memref::LoadOp load);
  FailureOr<SmallVector<Value>>
  getGatherOffsets(memref::LoadOp load, unsigned gathered, bool &isRow);
  LogicalResult vectorizeGather(memref::LoadOp load, unsigned dim);
  LogicalResult gatherTile(memref::LoadOp load, unsigned dim,
                           const Operand &index);

  // VectorizeCompute.cpp
  LogicalResult vectorizeCompute(Operation *op);
  LogicalResult createBinary(BinaryKind kind, Value result, Value lhs,
                             Value rhs);
  LogicalResult createUnary(Operation *op);
  LogicalResult createConversion(Value result, Value source);
  LogicalResult createSelect(arith::SelectOp op);
  LogicalResult createCompare(arith::CmpFOp op);
  LogicalResult createCompare(arith::CmpIOp op);
  LogicalResult createIntegerCompare(arith::CmpIOp op);
  FailureOr<Operand> combine(BinaryKind kind, Operand lhs, Operand rhs,
                             Type element);
  FailureOr<Operand> convert(Operand operand, Type from, Type to);
  Operand applyScalar(ScalarKind kind, const Operand &source, Value scalar,
                      Type element);
  Operand applyUnary(UnaryKind kind, const Operand &source, Type element);
  FailureOr<Operand> createIndexMatrix(int64_t rowStep, int64_t columnStep);
  Operand createSequence(int64_t count, int64_t step, Shape shape);
  FailureOr<Mask> createMask(CompareMode mode, const Operand &source,
                             Value scalar);
  void define(Value result, const Operand &operand);

  // VectorizeFunctions.cpp
  class Functions;
  FailureOr<Operand> spread(const Operand &operand, Shape shape);
  FailureOr<Operand> computeFunction(Operation *op, const Operand &x);

  KernelLowering &l;
  OpBuilder &b;
  ParallelOp parallel;
  LinearForm linear;
  Operation *current = nullptr;
  SmallVector<unsigned> dims; // that are not 1; the last two are vectors
  std::optional<int64_t> rows;
  int64_t columns = 1;
  DenseMap<Value, Operand> operands;
  DenseMap<Value, Mask> masks;
  DenseMap<Value, Value> columnBlocks;
  DenseSet<Value> temps;
};

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H
