//===- TileParts.h - parts of tiles at known places -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_TILEPARTS_H
#define TILE_TRANSFORMS_TILEPARTS_H

#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::tile {

/// Where a part lies in a tile of this layout, and its own layout; a reason
/// where the part is not known, or a swizzle does not begin again with it.
::tile::layout::Result<::tile::layout::Part>
findPartOfTile(memref::SubViewOp part, const ::tile::layout::Layout &tile);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_TILEPARTS_H
