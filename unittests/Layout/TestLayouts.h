//===- TestLayouts.h - Random layouts and their meaning ---------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_UNITTESTS_LAYOUT_TESTLAYOUTS_H
#define TILE_UNITTESTS_LAYOUT_TESTLAYOUTS_H

#include "Tile/Layout/Layout.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace tile::layout {

/// Makes failures and texts readable.
inline std::ostream &operator<<(std::ostream &os, const Layout &layout) {
  return os << layout.str();
}
inline std::ostream &operator<<(std::ostream &os, const Position &position) {
  return os << position.str();
}

namespace test {

inline Layout parsed(std::string_view text) {
  Result<Layout> layout = Layout::parse(text);
  EXPECT_TRUE(layout) << text << ": " << layout.reason();
  return layout ? *layout : Layout();
}

/// The definition of Swizzle, bit by bit.
inline int64_t swizzled(const Swizzle &s, int64_t x) {
  int64_t result = x;
  for (int i = 0; i < s.bits; ++i) {
    if (x >> (s.base + s.shift + i) & 1)
      result ^= int64_t(1) << (s.base + i);
  }
  return result;
}

/// The definition of a layout: every digit of every coordinate by division.
inline Position meaning(const Layout &layout, const Coord &coord,
                        int64_t copy = 0) {
  Position result;
  for (size_t d = 0; d < coord.size(); ++d) {
    const std::vector<Digit> &digits = layout.dims()[d].digits;
    for (size_t i = 0; i < digits.size(); ++i) {
      int64_t weight = 1;
      for (size_t j = i + 1; j < digits.size(); ++j)
        weight *= digits[j].extent;
      result[digits[i].axis] +=
          coord[d] / weight % digits[i].extent * digits[i].stride;
    }
  }
  for (const Digit &digit : layout.copies()) {
    result[digit.axis] += copy % digit.extent * digit.stride;
    copy /= digit.extent;
  }
  result[Axis::Offset] = swizzled(layout.swizzle(), result[Axis::Offset]);
  return result;
}

using PositionSet = std::set<Position>;

inline PositionSet allMeanings(const Layout &layout, const Coord &coord) {
  PositionSet result;
  for (int64_t copy = 0; copy < layout.numCopies(); ++copy)
    result.insert(meaning(layout, coord, copy));
  return result;
}

/// The layout as a function, in row-major order: what equality means.
using Table = std::vector<PositionSet>;

inline std::vector<Coord> allCoords(const std::vector<int64_t> &shape) {
  std::vector<Coord> coords{{}};
  for (int64_t extent : shape) {
    std::vector<Coord> next;
    for (const Coord &prefix : coords) {
      for (int64_t c = 0; c < extent; ++c) {
        next.push_back(prefix);
        next.back().push_back(c);
      }
    }
    coords = std::move(next);
  }
  return coords;
}

inline Table tableOf(const Layout &layout) {
  Table table;
  for (const Coord &coord : allCoords(layout.shape()))
    table.push_back(allMeanings(layout, coord));
  return table;
}

/// All ways to cover `extent` with radices, the first as small as possible;
/// most significant first. `exact` keeps those whose product is the extent.
inline std::vector<std::vector<int64_t>> radices(int64_t extent, bool exact) {
  std::vector<std::vector<int64_t>> result;
  if (extent == 1)
    return {{}};
  result.push_back({extent});
  for (int64_t low = 2; low < extent; ++low) {
    if (exact && extent % low != 0)
      continue;
    for (std::vector<int64_t> upper :
         radices((extent + low - 1) / low, exact)) {
      upper.push_back(low);
      result.push_back(upper);
    }
  }
  return result;
}

/// Random layouts, most of them with radices that are no powers of two.
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  int64_t upTo(int64_t last) {
    return std::uniform_int_distribution<int64_t>(0, last)(engine);
  }
  template <typename T>
  T oneOf(const std::vector<T> &values) {
    return values[upTo(values.size() - 1)];
  }

  std::vector<int64_t> shape(int maxRank, int64_t maxExtent) {
    std::vector<int64_t> result(upTo(maxRank));
    for (int64_t &extent : result)
      extent = 1 + upTo(maxExtent - 1);
    return result;
  }

  /// Any strides: mostly not injective.
  Layout any(const std::vector<int64_t> &shape, std::vector<Axis> axes,
             bool exact = false) {
    std::vector<Dim> dims;
    for (int64_t extent : shape) {
      Dim dim{extent, {}};
      for (int64_t radix : oneOf(radices(extent, exact)))
        dim.digits.push_back({radix, oneOf(axes), upTo(9)});
      dims.push_back(dim);
    }
    return built(dims, {}, {});
  }

  /// Every digit takes the next free stride of its axis, in random order, with
  /// random gaps if wanted: injective. Copies are drawn from the same strides.
  Layout injective(const std::vector<int64_t> &shape, std::vector<Axis> axes,
                   bool exact = false, int copies = 0, bool gaps = true) {
    std::vector<Dim> dims;
    std::vector<Digit> replicas;
    for (int64_t extent : shape) {
      Dim dim{extent, {}};
      for (int64_t radix : oneOf(radices(extent, exact)))
        dim.digits.push_back({radix, oneOf(axes), 0});
      dims.push_back(dim);
    }
    for (int i = 0; i < copies; ++i)
      replicas.push_back({2 + upTo(1), oneOf(axes), 0});
    std::vector<Digit *> order;
    for (Dim &dim : dims) {
      for (Digit &digit : dim.digits)
        order.push_back(&digit);
    }
    for (Digit &digit : replicas)
      order.push_back(&digit);
    std::shuffle(order.begin(), order.end(), engine);
    std::map<Axis, int64_t> next;
    for (Digit *digit : order) {
      int64_t &size = next.try_emplace(digit->axis, 1).first->second;
      digit->stride = size + (gaps && upTo(3) == 0 ? upTo(2) : 0);
      size = digit->stride * digit->extent;
    }
    return built(dims, replicas, {});
  }

  Swizzle swizzle() {
    int bits = 1 + static_cast<int>(upTo(2));
    return {bits, static_cast<int>(upTo(2)), bits + static_cast<int>(upTo(2))};
  }

  /// Another spelling of the same function: digits split at random, extents of
  /// 1 strewn in.
  Layout respelled(const Layout &layout) {
    std::vector<Dim> dims = layout.dims();
    for (Dim &dim : dims) {
      std::vector<Digit> digits;
      for (size_t i = 0; i < dim.digits.size(); ++i) {
        const Digit &digit = dim.digits[i];
        std::vector<int64_t> split = {1};
        if (digit.extent > 1)
          split = oneOf(radices(digit.extent, i != 0));
        // A digit cut short may only lead.
        int64_t weight = 1;
        std::vector<Digit> parts;
        for (size_t j = split.size(); j-- > 0;) {
          parts.insert(parts.begin(),
                       {split[j], digit.axis, digit.stride * weight});
          weight *= split[j];
        }
        if (!split.empty() && upTo(4) == 0 && i != 0)
          parts.push_back({1, Axis::Warp, 77});
        digits.insert(digits.end(), parts.begin(), parts.end());
      }
      dim.digits = digits;
    }
    return built(dims, layout.copies(), layout.swizzle());
  }

private:
  static Layout built(const std::vector<Dim> &dims,
                      const std::vector<Digit> &copies, Swizzle swizzle) {
    Result<Layout> layout = Layout::get(dims, copies, swizzle);
    EXPECT_TRUE(layout) << layout.reason();
    return layout ? *layout : Layout();
  }

  std::mt19937 engine;
};

inline const std::vector<Axis> kThreadsAndRegs = {Axis::Reg, Axis::Lane,
                                                  Axis::Warp};
inline const std::vector<Axis> kMemory = {Axis::Offset};

} // namespace test
} // namespace tile::layout

#endif // TILE_UNITTESTS_LAYOUT_TESTLAYOUTS_H
