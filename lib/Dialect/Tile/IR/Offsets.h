//===- Offsets.h - offsets of regions ---------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_OFFSETS_H
#define TILE_LIB_DIALECT_TILE_IR_OFFSETS_H

#include "Tile/Dialect/Tile/IR/Verification.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

namespace mlir::tile {

/// The first divisor below 1 of offsets: they have no value, and no text that is
/// read again.
inline std::optional<int64_t> findWrongDivisor(AffineMap offsets) {
  for (AffineExpr offset : offsets.getResults())
    if (std::optional<int64_t> wrong = findWrongDivisor(offset))
      return wrong;
  return std::nullopt;
}

/// An error for offsets with such a divisor; null is fine.
inline LogicalResult verifyDivisors(Operation *op, AffineMap offsets) {
  std::optional<int64_t> wrong =
      offsets ? findWrongDivisor(offsets) : std::nullopt;
  if (!wrong)
    return success();
  return op->emitOpError() << "expected divisors of at least 1, got "
                           << *wrong;
}

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_OFFSETS_H
