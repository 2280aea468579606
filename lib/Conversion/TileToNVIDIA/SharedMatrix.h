//===- SharedMatrix.h - shared tiles of matrix units ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor copies and warpgroup instructions read and write shared tiles in one
// form: columns are cut into blocks as wide as the swizzle's span, a block is
// all rows of that width one after the other, and within a row units of 16
// bytes are XORed with the row's number.
//
//     128 x 128 x f16:  [128: 128 offset*64][128: 2 offset*8192, 64 offset]
//                       swizzle(3, 3, 3)
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout", and
// "Swizzling Modes" of tensor copies.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_SHAREDMATRIX_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_SHAREDMATRIX_H

#include "Tile/Layout/Layout.h"

namespace mlir::tile::nvidia {

struct SharedMatrix {
  int64_t rows, columns;
  int64_t blockColumns; // columns of a block
  int64_t blockStride;  // elements from block to block
  int64_t swizzleBytes; // 128, 64, 32, or 0: none
  int64_t elementBytes;

  int64_t numBlocks() const { return columns / blockColumns; }
  /// Bytes from the start of the tile to an element, before the swizzle.
  int64_t getByteOffset(int64_t row, int64_t column) const {
    return ((column / blockColumns) * blockStride + row * blockColumns +
            column % blockColumns) *
           elementBytes;
  }
};

/// Reads the form off a layout of two dimensions or more, of which all but the
/// last two have extent 1; says why if it has another.
::tile::layout::Result<SharedMatrix>
matchSharedMatrix(const ::tile::layout::Layout &layout, int64_t elementBytes);

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_SHAREDMATRIX_H
