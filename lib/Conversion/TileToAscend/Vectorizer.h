//===- Vectorizer.h - the body of a tile.parallel as vectors ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H

#include "Linear.h"
#include "VectorMasks.h"

namespace mlir::tile::ascend {

/// Vectorises one loop: builds instructions, and knows the vectors that stand
/// for the values of the body.
class Vectorizer : public VectorBuilder {
public:
  Vectorizer(KernelLowering &lowering, ParallelOp parallel);
  LogicalResult run();

  /// A value of the body; a scalar if it is the same for all iterations.
  FailureOr<VectorOperand> getOperand(Value value);
  /// The value in the type that it is held in.
  FailureOr<VectorOperand> getHeld(Value value);
  /// 1 or 0 in f32: of a mask, or of a condition that is the same for all.
  FailureOr<VectorOperand> getCondition(Value condition);
  /// A result in a matrix of its own.
  void define(Value result, const VectorOperand &operand);

  LinearForm linear;
  SmallVector<unsigned> dims; // that are not 1; the last two are vectors
  DenseMap<Value, VectorOperand> operands;
  DenseMap<Value, VectorMask> masks;
  DenseSet<Value> temps; // matrices that hold one value alone

private:
  LogicalResult vectorize(Operation *op);
};

/// Replaces the loop by vector instructions.
LogicalResult vectorize(KernelLowering &l, ParallelOp op);

//===----------------------------------------------------------------------===//
// Families of ops
//===----------------------------------------------------------------------===//

// VectorMemory.cpp
LogicalResult vectorizeLoad(Vectorizer &v, memref::LoadOp load);
LogicalResult vectorizeStore(Vectorizer &v, memref::StoreOp store);

// VectorStrided.cpp: false if the access is none of known steps
FailureOr<bool> loadLanes(Vectorizer &v, memref::LoadOp load);
FailureOr<bool> storeLanes(Vectorizer &v, memref::StoreOp store);

// VectorGather.cpp
/// The one index of a load that is neither linear nor uniform, but a vector.
std::optional<unsigned> findGather(Vectorizer &v, memref::LoadOp load);
LogicalResult vectorizeGather(Vectorizer &v, memref::LoadOp load, unsigned dim);

// VectorAtomics.cpp
LogicalResult vectorizeAtomic(Vectorizer &v, AtomicOp op);

// VectorElements.cpp: an op of integers without an instruction
LogicalResult computeElements(Vectorizer &v, Operation *op);

// VectorElementwise.cpp: any op without memory
LogicalResult vectorizeCompute(Vectorizer &v, Operation *op);

// VectorFunctions.cpp: functions of one float
LogicalResult createFunction(Vectorizer &v, Operation *op);

// VectorIntegers.cpp
LogicalResult createUnsignedLimit(Vectorizer &v, Operation *op);
LogicalResult createExclusiveOr(Vectorizer &v, Operation *op);
LogicalResult createShift(Vectorizer &v, Operation *op);

// VectorConversions.cpp
LogicalResult createConversion(Vectorizer &v, Operation *op);
LogicalResult createIndexValue(Vectorizer &v, Operation *op);
LogicalResult createBitcast(Vectorizer &v, Operation *op);

// VectorComparisons.cpp
LogicalResult createLogic(Vectorizer &v, Operation *op);
LogicalResult createCompare(Vectorizer &v, arith::CmpFOp op);
LogicalResult createCompare(Vectorizer &v, arith::CmpIOp op);
LogicalResult createSelect(Vectorizer &v, arith::SelectOp op);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORIZER_H
