//===- Windows.h - windows of convolutions ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_WINDOWS_H
#define TILE_TRANSFORMS_WINDOWS_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace mlir::tile {

/// Row `p`, column `q` of the matrix that the op gathers: element q of the
/// window of output pixel p, or 0.
Value readWindow(OpBuilder &b, Location loc, Im2ColOp op, Value p, Value q);

/// Replaces the op by a copy of a box of the image, if the rows of the tile are
/// one and its columns channels of one window element, whatever block and
/// iteration it runs in.
LogicalResult createWindowCopy(Im2ColOp op);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_WINDOWS_H
