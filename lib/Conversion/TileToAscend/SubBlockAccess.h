//===- SubBlockAccess.h - accesses of GM by two cores ------------*- C++
//-*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_SUBBLOCKACCESS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_SUBBLOCKACCESS_H

#include "Tile/Analysis/Accesses.h"

namespace mlir::tile::ascend {

/// An access of a buffer in GM by the vector cores of a block.
struct SubBlockAccess {
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
  /// The op that says how the access is shared: that of the access, or a loop
  /// around it.
  Operation *owner = nullptr;
};

/// Whether one vector core may access what the other one writes. Nothing orders
/// the two.
bool mayConflict(const SubBlockAccess &a, const SubBlockAccess &c);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_SUBBLOCKACCESS_H
