//===- Regions.h - loops over regions of buffers ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOCPU_REGIONS_H
#define TILE_LIB_CONVERSION_TILETOCPU_REGIONS_H

#include "Lowering.h"

namespace mlir::tile::cpu {

/// A region of a buffer, ready for loops over its extents that are not 1.
struct LoopRegion {
  Value buffer;
  SmallVector<Value> offsets;
  SmallVector<unsigned> loopDims; // the dimension that each loop walks
  SmallVector<Value> lower, upper; // loop bounds within the buffer
  Value inside; // unit dimensions are in bounds; null: known to be

  SmallVector<Value> getIndices(OpBuilder &b, Location loc,
                                ValueRange ivs) const;
};

/// Offsets, and loop bounds that are clamped to a global buffer where `op` may leave it.
LoopRegion makeLoopRegion(OpBuilder &b, Operation *op,
                          const BufferRegion &region);

/// What reads outside of `buffer` yield in the kernel of `op`.
Value getPaddingValue(OpBuilder &b, Operation *op, Value buffer);

/// Copies what both sides of `op` have.
void copyInside(OpBuilder &b, CopyOp op, const LoopRegion &from,
                const LoopRegion &to, const CPUTargetInfo &cpuInfo);

/// The same, and fills the rest of the target with padding.
void copyRegion(OpBuilder &b, CopyOp op, const LoopRegion &from,
                const LoopRegion &to, const CPUTargetInfo &cpuInfo);

/// Emits `body` under an scf.if, or plainly if `condition` is null.
void inIf(OpBuilder &b, Location loc, Value condition,
          function_ref<void(OpBuilder &)> body);

} // namespace mlir::tile::cpu

#endif // TILE_LIB_CONVERSION_TILETOCPU_REGIONS_H
