//===- Arguments.h - what a call of a function must fulfil ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes `tile.shape` and `tile.align` of arguments, and the facts of a
// version of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_ARGUMENTS_H
#define TILE_DIALECT_TILE_IR_ARGUMENTS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tile {

/// A dynamic extent of an argument.
struct ArgumentExtent {
  unsigned argument, dim; ///< the first one of this name
  StringRef name;         ///< empty where `tile.shape` gives none
  int64_t multiple = 0;   ///< a positive multiple of it; 0: nothing is stated
};

/// The dynamic extents of all arguments, of which those of one name are one
/// number.
class ArgumentExtents {
public:
  explicit ArgumentExtents(FunctionOpInterface function);

  /// The extent is dynamic.
  ArgumentExtent get(unsigned argument, unsigned dim) const;

private:
  SmallVector<ArgumentExtent> named;
  /// The place in `named` for each argument and dimension, or -1.
  SmallVector<SmallVector<int>> places;
};

/// The function whose argument a buffer is, or null.
FunctionOpInterface getFunctionOf(Value buffer);

/// A part of `tile.shape`: "K%8" is K and 8, "K" is K and 0. Fails where the
/// number is none of at least 1.
FailureOr<std::pair<StringRef, int64_t>> splitExtent(StringRef text);

/// The number of which the address of an argument is known to be a multiple in
/// a kernel: by its facts, by `tile.align`, or `usual`, what a launch checks
/// where neither says anything.
int64_t getAlignment(KernelOp kernel, BlockArgument argument, int64_t usual);

/// The number of which a stride is known to be a multiple.
int64_t getStrideMultiple(KernelOp kernel, BlockArgument argument,
                          unsigned dim);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_ARGUMENTS_H
