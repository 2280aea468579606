//===- Vectorizer.h - the body of a tile.parallel as vectors ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H

#include "ElementConversion.h"
#include "GlobalTransfer.h"
#include "Linear.h"

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
  InFlightDiagnostic emitNoForm(Value value);
  Shape getShape(bool usesRow, bool usesColumn) const;
  static Shape join(Shape a, Shape c);
  Value createTemp(Shape shape, Type element);
  std::pair<Value, Broadcast> getSide(const Operand &operand, Shape shape);
  FailureOr<Value> materialize(const Operand &operand, Shape shape,
                               Type element);

  // VectorizeAccess.cpp
  /// Where in a matrix an access is: rows and columns.
  struct Place {
    std::optional<Linear> row, column;
  };
  std::optional<Place> getPlace(Value buffer, ValueRange indices);
  int64_t getStep(const std::optional<Linear> &index, bool ofRow) const;
  bool isAligned(const Linear &column, Type element);
  bool isInside(const std::optional<Linear> &index, int64_t count,
                int64_t extent) const;
  FailureOr<std::optional<Operand>> getTilePart(Value buffer,
                                                ValueRange indices);
  std::optional<std::pair<GlobalRegion, Shape>>
  getGlobalPart(Value buffer, ValueRange indices);
  Shape getDependence(ValueRange values);
  bool isSingle();
  LogicalResult verifyApart(memref::StoreOp store);
  LogicalResult vectorizeLoad(memref::LoadOp load);
  LogicalResult vectorizeStore(memref::StoreOp store);
  bool retarget(Value temp, Value buffer);
  FailureOr<Operand> getOperand(Value value);
  LogicalResult vectorize(Operation *op);

  // VectorizeScalar.cpp
  /// The scalar code of one iteration: what values are there.
  struct Iteration {
    Value row, column;
    DenseMap<Value, Value> known;
  };
  FailureOr<Value> evaluate(Iteration &at, Value value);
  FailureOr<SmallVector<Value>> evaluate(Iteration &at, ValueRange values);
  LogicalResult forEach(Shape shape, bool byRows,
                        function_ref<LogicalResult(Iteration &)> body);
  LogicalResult guarded(Iteration &at, function_ref<LogicalResult()> then,
                        function_ref<void()> otherwise);
  Value getElement(Iteration &at, Value matrix, Shape shape);
  void setElement(Iteration &at, Value matrix, Shape shape, Value value);
  bool isRowAccess(ValueRange indices);
  LogicalResult loadElements(memref::LoadOp load);
  LogicalResult loadOne(memref::LoadOp load, Iteration &at,
                        const Operand &result, bool byRows);
  Value getRow(Iteration &at, Value matrix);
  LogicalResult storeElements(memref::StoreOp store);
  LogicalResult storeRows(memref::StoreOp store, Value matrix);
  LogicalResult loadUniform(memref::LoadOp load);

  // VectorizeStride.cpp
  struct Lanes {
    bool alongRows; // one lane for each row, not for each column
    int64_t count;
    int64_t rowBytes = 0; // from one row to the next one
    Value uniform;        // in elements
    Value table;          // bytes for each lane
  };
  std::optional<Lanes> getLanes(Value buffer, Value matrix, ValueRange indices);
  Value createTable(int64_t count, function_ref<Value(Value)> get);
  Value createPattern(int64_t height, int64_t width, int64_t offset,
                      int64_t step);
  FailureOr<bool> loadLanes(memref::LoadOp load);
  FailureOr<bool> storeLanes(memref::StoreOp store);
  FailureOr<bool> mergeLanes(memref::StoreOp store, const Place &place,
                             Value matrix, Value lanes, Value inverse,
                             int64_t height, int64_t whole, Type compute);

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
  FailureOr<Operand> combine(BinaryKind kind, Operand lhs, Operand rhs,
                             Type element);
  FailureOr<Operand> convert(Operand operand, Type from, Type to);
  Operand applyScalar(ScalarKind kind, const Operand &source, Value scalar,
                      Type element);
  Operand applyUnary(UnaryKind kind, const Operand &source, Type element);
  FailureOr<Operand> createIndexMatrix(int64_t rowStep, int64_t columnStep);
  Operand createSequence(int64_t count, int64_t step, Shape shape);
  void define(Value result, const Operand &operand);

  // VectorizeFunctions.cpp
  class Functions;
  FailureOr<Operand> spread(const Operand &operand, Shape shape);
  FailureOr<Operand> computeFunction(Operation *op, const Operand &x);
  // VectorizeMask.cpp
  std::pair<std::optional<int64_t>, int64_t> getMaskExtents(Shape shape);
  Value fitMask(Value matrix, Shape shape);
  Value getMaskPart(Value whole, Shape shape);
  Mask createMask(CompareMode mode, const Operand &source, Value bound);
  Value choose(const Mask &mask, Value yes, Value no);
  Operand getFlags(const Mask &mask, Type element);
  Mask getFlagMask(const Operand &flags);
  FailureOr<Mask> spreadMask(const Mask &mask, Shape shape);
  FailureOr<Operand> getCondition(Value condition);
  LogicalResult createLogic(Operation *op);
  LogicalResult createCompare(arith::CmpFOp op);
  LogicalResult createCompare(arith::CmpIOp op);
  LogicalResult createIntegerCompare(arith::CmpIOp op);
  LogicalResult createLogicCompare(arith::CmpIOp op);
  LogicalResult createSelect(arith::SelectOp op);
  LogicalResult createLogicSelect(arith::SelectOp op);
  FailureOr<Operand> select(Value condition, Operand lhs, Operand rhs,
                            Type held);

  // VectorizeIntegers.cpp
  Type getHeldType(Type element);
  FailureOr<Operand> getHeld(Value value);
  Operand wrap(const Operand &operand, Type element);
  FailureOr<Operand> zeroExtend(Operand operand, Type element);
  FailureOr<Operand> flipSign(Operand operand, Type element);
  LogicalResult createUnsignedLimit(Operation *op);
  LogicalResult createExclusiveOr(Operation *op);
  LogicalResult createShift(Operation *op);
  FailureOr<Operand> convertValue(Operation *op, Operand operand, Type from,
                                  Type to);
  LogicalResult createConversion(Operation *op);
  LogicalResult createFlagValue(Operation *op);
  LogicalResult createLowBit(Value result, const Operand &operand, Type held);
  LogicalResult createIndexValue(Operation *op);

  KernelLowering &l;
  OpBuilder &b;
  ParallelOp parallel;
  LinearForm linear;
  Value guard; // the condition of the branch around, if there is one
  Operation *current = nullptr;
  SmallVector<unsigned> dims; // that are not 1; the last two are vectors
  std::optional<int64_t> rows;
  int64_t columns = 1;
  DenseMap<Value, Operand> operands;
  DenseMap<Value, Mask> masks;
  DenseMap<Value, Value> columnBlocks;
  DenseSet<Value> temps;
};

/// Replaces the loop by vector instructions.
LogicalResult vectorize(KernelLowering &l, ParallelOp op);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H
