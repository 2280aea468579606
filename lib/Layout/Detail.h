//===- Detail.h - What the files of the layout library share ----*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_LAYOUT_DETAIL_H
#define TILE_LIB_LAYOUT_DETAIL_H

#include "Tile/Layout/Layout.h"

namespace tile::layout::detail {

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// a * b, or nothing when it leaves [0, kMaxPositions].
std::optional<int64_t> boundedProduct(int64_t a, int64_t b);
/// The product of `shape`, or why it is no shape.
Result<int64_t> countElements(const std::vector<int64_t> &shape);
/// A failure when a tile has more than kMaxEnumeration elements.
Status checkEnumerable(int64_t elements);

/// Drops digits of extent 1 and merges neighbours that continue each other.
Dim coalesceDim(const Dim &dim);
std::vector<Digit> coalesceCopies(std::vector<Digit> copies);

/// The position of coordinate `c` of one dimension, the others being 0.
Position sumInDim(const Dim &dim, int64_t c);
/// A dimension whose sumInDim is `table`, if there is one; coalesced.
Result<Dim> dimFromTable(const std::vector<Position> &table);
/// A layout with at() = `table` (last dimension fastest), if there is one.
/// With `anySwizzle` looks for the least swizzle of at most `maxBits` bits.
Result<Layout> layoutFromTable(const std::vector<int64_t> &shape,
                               const std::vector<Position> &table,
                               std::vector<Digit> copies, int maxBits);

/// Adds 1 to `coord` in mixed radix `shape`; false when it wraps to 0.
bool nextCoord(const std::vector<int64_t> &shape, Coord &coord);
/// Row-major index to coordinate.
Coord unflatten(const std::vector<int64_t> &shape, int64_t index);

} // namespace tile::layout::detail

#endif // TILE_LIB_LAYOUT_DETAIL_H
