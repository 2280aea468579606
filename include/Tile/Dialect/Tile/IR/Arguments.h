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

/// A part of `tile.shape`, as it is written.
struct StatedExtent {
  StringRef name;        ///< or a number
  int64_t multiple = 0;  ///< "K%8": a positive multiple of it; 0: any
  /// "ceildiv(K, 2)", "floordiv(K, 2)", "K * 2", "K + 1" and "K - 1": a binary
  /// expression of the extent `name` and `number`.
  std::optional<AffineExprKind> formula;
  int64_t number = 0;
};

/// Fails where the text has none of these forms, divides or multiplies by less
/// than 1, or has a number of more than 64 bits.
FailureOr<StatedExtent> parseExtent(StringRef text);

/// The parts of `tile.shape`.
SmallVector<StringRef> splitShape(StringRef shape);

/// The dynamic extents of all arguments, of which those of one name are one
/// number.
class ArgumentExtents {
public:
  explicit ArgumentExtents(FunctionOpInterface function);

  /// The extent is dynamic.
  ArgumentExtent get(unsigned argument, unsigned dim) const;

  /// The extent of that name, or null.
  const ArgumentExtent *find(StringRef name) const;

  /// What the extent is computed from, or null.
  const StatedExtent *getFormula(unsigned argument, unsigned dim) const;

private:
  void add(unsigned argument, unsigned dim, const StatedExtent &stated);

  SmallVector<ArgumentExtent> named;
  /// The place in `named` for each argument and dimension, or -1.
  SmallVector<SmallVector<int>> places;
  /// By argument and dimension.
  llvm::SmallDenseMap<std::pair<unsigned, unsigned>, StatedExtent> formulas;
};

/// The function whose argument a buffer is, or null.
FunctionOpInterface getFunctionOf(Value buffer);

/// The number of which the address of an argument is known to be a multiple in
/// a kernel: by its facts, by `tile.align`, or `usual`, what a launch checks
/// where neither says anything.
int64_t getAlignment(KernelOp kernel, BlockArgument argument, int64_t usual);

/// The number of which a stride is known to be a multiple.
int64_t getStrideMultiple(KernelOp kernel, BlockArgument argument,
                          unsigned dim);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_ARGUMENTS_H
