//===- TensorCopy.h - boxes of a tensor copy -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tensor copy can do, for the passes that choose one and for the one
// that emits it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_TENSORCOPY_H
#define TILE_TRANSFORMS_TENSORCOPY_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Layout/Access.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

/// A tile and its region of global memory, cut into boxes of one extent.
struct TensorBoxes {
  /// Over the dimensions of the region.
  SmallVector<int64_t> box;
  /// For each of them that of the tile; -1: its extent is 1.
  SmallVector<int> tileDims;
  /// Over the dimensions of the tile.
  ::tile::layout::TmaBox tile;

  int64_t numBoxes() const { return tile.boxes.numElements(); }
};

/// Rows after which the pattern of every swizzle repeats (PTX ISA, "Swizzling
/// modes" of tensors): a tile is divided there.
inline constexpr int64_t kSwizzleRows = 8;

/// The argument of a function, or the workspace that it allocates, that the
/// buffer is or has the elements of, in their order, in another static shape;
/// null for any other buffer.
Value getDescribedBuffer(Value buffer);

/// The boxes of a whole shared tile of this layout and a region of such a
/// buffer, or why there are none.
::tile::layout::Result<TensorBoxes>
matchTensor(const BufferRegion &global, const BufferRegion &local,
            const ::tile::layout::Layout &layout,
            const ::tile::target::TMASpec &tma);

/// The boxes of a copy between a whole shared tile of this layout and a region
/// of such a buffer, or why there are none.
::tile::layout::Result<TensorBoxes>
matchTensorCopy(CopyOp copy, const ::tile::layout::Layout &layout,
                const ::tile::target::TMASpec &tma);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_TENSORCOPY_H
