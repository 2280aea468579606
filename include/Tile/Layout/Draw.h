//===- Draw.h - Pictures of layouts -----------------------------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LAYOUT_DRAW_H
#define TILE_LAYOUT_DRAW_H

#include "Tile/Layout/Layout.h"

namespace tile::layout {

/// What one cell of a picture says: "W1T5:3" is register 3 of lane 5 of warp 1
/// ("D" and "B" before it for device and block), "17" offset 17; "x4" after it
/// says that the element lives at 4 positions, of which this is the first.
std::string cellText(const Layout &layout, const Coord &coord);

/// A text table of the last two dimensions, one for each index of the others.
Result<std::string> drawTable(const Layout &layout);

struct SvgOptions {
  /// Elements (row-major) to frame in red, such as bank conflicts; may be
  /// empty.
  std::vector<bool> marks;
  /// Offsets are coloured modulo this number, threads each by their own.
  int64_t offsetColours = 32;
};

/// The same as SVG: each thread in a colour of its own.
Result<std::string> drawSvg(const Layout &layout,
                            const SvgOptions &options = {});

} // namespace tile::layout

#endif // TILE_LAYOUT_DRAW_H
