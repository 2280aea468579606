//===- Approximate.h - what fewer digits allow ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_APPROXIMATE_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_APPROXIMATE_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile {

/// Lets functions be instructions of fewer digits, divisions products, and
/// products and sums one operation.
void allowApproximations(Operation *root);

/// Whether the op has all of these flags.
bool hasFastMath(Operation *op, arith::FastMathFlags flags);

/// Keeps what need not be rounded to 16 bits between two operations.
void keepWide(KernelOp kernel);

/// Makes exp2((score - max) * factor) of the exponentials of a softmax, where
/// flags allow it: the factor has log2(e), and the scale of the scores.
void simplifyExponentials(func::FuncOp function);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_APPROXIMATE_H
