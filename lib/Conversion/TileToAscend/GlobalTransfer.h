//===- GlobalTransfer.h - between GM and the cores --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_GLOBALTRANSFER_H
#define TILE_LIB_CONVERSION_TILETOASCEND_GLOBALTRANSFER_H

#include "KernelLowering.h"

namespace mlir::tile::ascend {

/// Part of a buffer in GM: offsets and extents in elements.
struct GlobalRegion {
  Value buffer;
  SmallVector<Value> offsets;
  SmallVector<int64_t> sizes;
};

/// GM to a matrix in UB or L1; elements outside of the buffer become its
/// padding value.
LogicalResult createLoad(KernelLowering &l, Operation *op, Value matrix,
                         const GlobalRegion &region);
/// A matrix in UB or L0C to GM, or only from UB where it keeps the larger or
/// smaller elements; those outside of the buffer are dropped.
LogicalResult createStore(KernelLowering &l, Operation *op,
                          const GlobalRegion &region, Value matrix,
                          std::optional<ReduceKind> atomic = {});
/// How GM updates its elements by an atomic op, which is told where it does
/// not.
FailureOr<ReduceKind> getGlobalAtomic(tile::AtomicOp op);
/// An element of GM, or the padding value where it is outside. `op` tells what
/// is known of the indices.
Value createGlobalRead(KernelLowering &l, Operation *op, Value buffer,
                       ValueRange indices);

/// Whether blocks of a tile in L1 have rows behind its last one that gemms
/// read.
bool hasOpenRows(Operation *op, MemRefType type);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_GLOBALTRANSFER_H
