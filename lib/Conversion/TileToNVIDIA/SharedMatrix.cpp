//===- SharedMatrix.cpp - shared tiles of matrix units --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMatrix.h"

using namespace mlir::tile::nvidia;
using namespace ::tile::layout;

Result<SharedMatrix>
mlir::tile::nvidia::matchSharedMatrix(const Layout &layout,
                                    int64_t elementBytes) {
  auto other = [&](const char *why) {
    return fail("expected a tile in column blocks, ", why, ", got ",
                layout.str());
  };
  int rank = layout.rank();
  if (elementBytes < 1)
    return other("of elements of whole bytes");
  if (rank < 1)
    return other("of one dimension or more");
  for (int dim = 0; dim + 2 < rank; ++dim)
    if (layout.extent(dim) != 1)
      return other("of two dimensions");
  SharedMatrix matrix;
  matrix.elementBytes = elementBytes;
  matrix.rows = rank > 1 ? layout.extent(rank - 2) : 1;
  matrix.columns = layout.extent(rank - 1);
  const auto &columns = layout.dims()[rank - 1].digits;
  if (columns.empty() || columns.size() > 2 || columns.back().stride != 1 ||
      columns.back().axis != Axis::Offset)
    return other("with consecutive columns");
  bool whole = columns.size() == 1;
  matrix.blockColumns = columns.back().extent;
  if (matrix.columns % matrix.blockColumns != 0)
    return other("all of one width");
  matrix.blockStride = whole ? 0 : columns.front().stride;
  // The canonical form merges blocks of one row each, and rows of one block.
  if (rank > 1 && matrix.rows > 1) {
    const auto &rows = layout.dims()[rank - 2].digits;
    if (rows.size() != 1 || rows.front().stride != matrix.blockColumns)
      return other("with rows one after the other");
  }
  Swizzle swizzle = layout.swizzle();
  matrix.swizzleBytes = 0;
  if (!swizzle.isIdentity()) {
    int64_t unit = 16 / elementBytes;
    if ((int64_t(1) << swizzle.base) != unit || swizzle.shift != 3 ||
        swizzle.bits > 3)
      return other("with a swizzle of 16-byte units");
    matrix.swizzleBytes = int64_t(16) << swizzle.bits;
    if (matrix.blockColumns * elementBytes != matrix.swizzleBytes)
      return other("as wide as the span of the swizzle");
  }
  return matrix;
}
