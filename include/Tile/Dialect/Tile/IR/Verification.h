//===- Verification.h - checks that several levels share --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_VERIFICATION_H
#define TILE_DIALECT_TILE_IR_VERIFICATION_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"

namespace mlir::tile {

/// A divisor in an expression that is a constant below 1, if there is one.
std::optional<int64_t> findWrongDivisor(AffineExpr expression);

/// Whether the runtime takes the name for a symbol of #tile.launch.
bool isLaunchSymbolName(StringRef name);

/// The names of functions and device modules become names in C, in Ascend C and
/// in assembly, and go into them as they are: only letters, digits and '_' may.
LogicalResult verifyNames(Operation *root);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_VERIFICATION_H
