//===- GlobalRows.h - what each vector core does to GM ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_GLOBALROWS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_GLOBALROWS_H

#include "Tile/Analysis/Accesses.h"

namespace mlir::tile::ascend {

/// What the vector cores of a block touch of a buffer in GM.
struct GlobalUse {
  /// Each core its half of the rows, the first core alone, or both all of it.
  enum Share { Halves, First, Both };

  Operation *op;
  BufferRegion region;
  bool writes;
  Share share = Both;
  /// Of halves: how many rows there are, and which one an element is in: the
  /// dimension of the region, or the iteration variable of a loop.
  int64_t rows = 0;
  unsigned dim = 0;
  Value variable = {};
};

/// Whether one vector core may touch what the other one writes. Nothing orders
/// the two.
bool mayCollide(const GlobalUse &a, const GlobalUse &c);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_GLOBALROWS_H
