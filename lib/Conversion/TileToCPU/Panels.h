//===- Panels.h - operands of products in the order of their use -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOCPU_PANELS_H
#define TILE_LIB_CONVERSION_TILETOCPU_PANELS_H

#include "Lowering.h"

namespace mlir::tile::cpu {

/// The accumulators that a product keeps in registers: rows of `vectors` vectors, whose columns are a panel of the right operand.
struct RegisterBlock {
  RegisterBlock(GemmOp op, const CPUTargetInfo &cpuInfo);

  int64_t getWidth() const { return lanes * vectors; }
  int64_t countVectors(int64_t columns) const {
    return (columns + lanes - 1) / lanes;
  }
  /// The rows of a block with so many columns: fewer columns leave registers for more rows.
  int64_t countRows(int64_t columns) const {
    return std::max<int64_t>(sums / countVectors(columns), 1);
  }

  Type element; // what is summed
  int64_t lanes, sums, vectors;
};

/// An element of an operand, or a vector of them, as it is multiplied.
Value widenOperand(OpBuilder &b, Location loc, GemmOp op, Value value,
                   bool isUnsigned);

/// The right operand as panels x K x width; columns past N are zero. A copy that fills nothing but this operand is gone: it
/// writes the panels.
Value packRight(OpBuilder &b, GemmOp op, const RegisterBlock &block);

} // namespace mlir::tile::cpu

#endif // TILE_LIB_CONVERSION_TILETOCPU_PANELS_H
