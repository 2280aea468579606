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

/// An error for offsets without a value: such a divisor, or a dimension or
/// symbol that the map does not have, which no text can say but a pass can make.
/// Null is fine.
inline LogicalResult verifyOffsetMap(Operation *op, AffineMap offsets) {
  if (!offsets)
    return success();
  int64_t maxDim = -1, maxSymbol = -1;
  getMaxDimAndSymbol<ArrayRef<AffineExpr>>({offsets.getResults()}, maxDim,
                                           maxSymbol);
  if (maxDim >= offsets.getNumDims() || maxSymbol >= offsets.getNumSymbols())
    return op->emitOpError()
           << "expected offsets of " << offsets.getNumDims()
           << " dimensions and " << offsets.getNumSymbols()
           << " symbols, got at least " << maxDim + 1 << " and "
           << maxSymbol + 1;
  if (std::optional<int64_t> wrong = findWrongDivisor(offsets))
    return op->emitOpError()
           << "expected divisors of at least 1, got " << *wrong;
  return success();
}

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_OFFSETS_H
