//===- KernelLowering.h - one kernel on its way to instructions -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_KERNELLOWERING_H
#define TILE_LIB_CONVERSION_TILETOASCEND_KERNELLOWERING_H

#include "KernelBuffers.h"
#include "LoweringInterface.h"

namespace mlir::tile::ascend {

/// Lowers the tile ops of one kernel, whose buffers have their memories, to
/// instructions: calls the models of the ops, and is what they share.
class KernelLowering {
public:
  explicit KernelLowering(KernelOp kernel);
  LogicalResult run();

  /// Whether no element of a tile of floats is ever NaN: it is filled with
  /// numbers, and takes in maxima and minima.
  bool isNumber(Value tile) const { return numbers.contains(tile); }
  /// Whether each vector core does its own part of the op.
  bool isShared(Operation *op) const;
  /// The value of elements outside of a global buffer, at the insertion point.
  Value getPaddingValue(Operation *op, Value buffer);

  Value constantIndex(Location loc, int64_t value);
  Value constantOf(Location loc, Type element, double value);

  KernelOp kernel;
  const ::tile::target::Target &chip;
  const ::tile::target::AscendSpec &spec;
  OpBuilder b;
  KernelBuffers buffers;

private:
  LogicalResult lowerPhase(LoweringPhase phase);

  bool isMixed = false;    // both vector cores of a block run the kernel
  DenseSet<Value> numbers; // tiles, as above
  DenseMap<Value, Value> paddingValues;
};

/// Fills an accumulator in L0C with 0.
LogicalResult clearAccumulator(KernelLowering &l, FillOp op);

/// Makes one instruction of a product and a sum that may be contracted.
void fuseProducts(KernelLowering &l);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_KERNELLOWERING_H
