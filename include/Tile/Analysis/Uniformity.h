//===- Uniformity.h - uniform values of a block -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is uniform if all threads of a block compute the same one. Uniform are constants, arguments of functions, block
// coordinates, what is read at a uniform place of global, shared or fragment memory, and what is computed from these.
// Not uniform are thread coordinates and the iteration variables of `tile.parallel`.
//
// A buffer in `#tile.local` is uniform, and so is what is read from it, if all that is ever written to it is: values that are,
// at places that are, outside of `tile.parallel` and of control flow that may differ. A variable that steers a block is one.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_UNIFORMITY_H
#define TILE_ANALYSIS_UNIFORMITY_H

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tile {

class Uniformity {
public:
  /// Null if the value, or the local buffer, is uniform; otherwise a value that makes it differ between threads.
  Value findDivergence(Value value);

  /// The first divergence among several values.
  Value findDivergence(ValueRange values);

private:
  Value visit(Value value);
  Value visit(ValueRange values);
  Value visitLocal(Value buffer);
  Value visitWrites(Value buffer);
  Value compute(BlockArgument arg);
  Value compute(Operation *op);
  Value visitYields(Operation *op);

  DenseMap<Value, Value> known, locals;
};

/// The values that decide whether and how often `op` runs its regions: the condition of an `scf.if`, the bounds of a loop.
SmallVector<Value> getControlOperands(Operation *op);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_UNIFORMITY_H
