//===- Layout.h - Where every element of a tile lives -----------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//
//
// A tile is a small dense array: 16 x 8 accumulators, 128 x 64 halves. A
// *layout* says where each of its elements lives: in which register of which
// lane of which warp, or at which offset of a memory. One class of layouts
// serves for registers, shared memory, tensor memory, clusters and devices, and
// every question about it is decided exactly, without a solver.
//
// ## Digits
//
// Take a row of 12 elements and write its coordinate in mixed radix, as one
// writes hours and minutes: c = 4 * hi + lo, hi < 3, lo < 4.
//
//     c      0  1  2  3 |  4  5  6  7 |  8  9 10 11
//     hi     0  0  0  0 |  1  1  1  1 |  2  2  2  2
//     lo     0  1  2  3 |  0  1  2  3 |  0  1  2  3
//
// hi and lo are *digits*. A layout sends each digit to one *axis* with a
// stride. Let hi choose the lane and lo the register:
//
//     [12: 3 lane, 4 reg]            most significant digit first
//
//             reg 0  reg 1  reg 2  reg 3
//     lane 0    0      1      2      3
//     lane 1    4      5      6      7
//     lane 2    8      9     10     11
//
// Swap the roles and neighbours land in neighbouring lanes, which is what a
// coalesced load wants:
//
//     [12: 3 reg, 4 lane]            lane = c % 4, reg = c / 4
//
// A memory layout is the same thing with one axis, `offset`, in elements. A
// row-major 2 x 3 tile whose rows are padded to 4:
//
//     [2: 2 offset*4][3: 3 offset]         0  1  2  .
//                                          4  5  6  .
//
// The position of an element is the sum of its digits times their strides, axis
// by axis. That is the whole definition; the radices are any integers, so an
// extent of 12, 96 or 7168 needs nothing special.
//
// ## An instruction's fragment
//
// The accumulator of the 16 x 8 warp-level mma of NVIDIA:
//
//     [16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]
//
//     col        0   1   2   3   4   5   6   7
//     row 0     T0  T0  T1  T1  T2  T2  T3  T3      registers 0 1 0 1 ...
//     row 1     T4  T4  T5  T5  T6  T6  T7  T7
//      ...
//     row 8     T0  T0  T1  T1  T2  T2  T3  T3      registers 2 3 2 3 ...
//
// ## Extents that no radix divides
//
// 229 elements on 128 threads: the leading digit may be cut short, so that the
// digits cover at least the extent and the coordinates beyond it do not exist.
//
//     [5: 3 lane, 2 reg]                      reg 0  reg 1
//                                    lane 0     0      1
//     the leading extent is always   lane 1     2      3
//     ceil(extent / product below)   lane 2     4      .
//
// ## Replication
//
// An element may live at several positions at once. `rep` lists digits that no
// coordinate drives; every value of them is a copy.
//
//     [4: 4 lane*2] rep(2 lane)      lanes  0 1   2 3   4 5   6 7
//                                    holds  0 0   1 1   2 2   3 3
//
// A digit of stride 0 is the opposite: several elements at one position. It is
// written `none` and appears when a vector is read as a matrix (broadcast).
//
// ## Swizzle
//
// Reading a column of a row-major tile in shared memory hits one bank again and
// again. Swizzle(bits, base, shift) permutes the final offset: it takes `bits`
// bits starting at base + shift and XORs them into the bits starting at `base`.
//
//     [4: 4 offset*4][4: 4 offset] swizzle(2, 0, 2)
//
//      0  1  2  3          0  1  2  3
//      4  5  6  7    =>    5  4  7  6        row r is XORed with r,
//      8  9 10 11         10 11  8  9        columns now touch all residues
//     12 13 14 15         15 14 13 12
//
// The swizzle belongs to the class, not to the digits, because a XOR is not a
// sum; shift >= bits makes it its own inverse.
//
// ## Canonical form
//
// One function has many spellings: [8: 2 lane*4, 4 lane] is [8: 8 lane]. The
// canonical form drops digits of extent 1, merges a digit with the one above
// it when that continues it (same axis, stride = extent * stride), sorts the
// replication, and keeps the least swizzle under which the rest is still a sum
// of digits. Two layouts are the same function exactly when their canonical
// forms are equal. Why: read upwards, the lowest digit of a merged list has
// stride f(1) and its extent is the first e with f(e) != e * f(1), so the
// function dictates it, and by induction the rest. Every copy of an element
// lies above its base, axis by axis, so the base and the set of copies are
// dictated as well; replication digits are required to nest (each stride
// exceeds the span of the smaller ones), so the same argument reads them off
// the set. The least swizzle is taken in a fixed order over all swizzles, so it
// depends on the function alone.
//
// ## Text
//
//     layout   ::= dims rep? swizzle?
//     dims     ::= "[" "]" | ("[" int (":" digit ("," digit)*)? "]")+
//     digit    ::= int axis ("*" int)? | int "none"
//     rep      ::= "rep" "(" digit ("," digit)* ")"
//     swizzle  ::= "swizzle" "(" int "," int "," int ")"
//     axis     ::= "reg" | "lane" | "warp" | "block" | "device" | "offset"
//
// The first int of a dimension is its extent, the int of a digit its extent,
// the int after "*" its stride (1 when absent). "[]" is the layout of a scalar.
// Spaces are free. Every token is one that MLIR's lexer knows.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LAYOUT_LAYOUT_H
#define TILE_LAYOUT_LAYOUT_H

#include "Tile/Layout/Result.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile::layout {

//===----------------------------------------------------------------------===//
// Axes, digits, swizzles
//===----------------------------------------------------------------------===//

enum class Axis : uint8_t { Reg, Lane, Warp, Block, Device, Offset };
inline constexpr int kNumAxes = 6;

std::string_view axisName(Axis axis);
std::optional<Axis> axisNamed(std::string_view name);

/// A set of axes.
using AxisSet = unsigned;
constexpr AxisSet axisBit(Axis axis) { return 1u << static_cast<int>(axis); }
inline constexpr AxisSet kThreadAxes =
    axisBit(Axis::Lane) | axisBit(Axis::Warp) | axisBit(Axis::Block) |
    axisBit(Axis::Device);
inline constexpr AxisSet kRegisterAxes = kThreadAxes | axisBit(Axis::Reg);

/// One number per axis, 0 on those that a layout does not use.
class Position {
public:
  int64_t &operator[](Axis axis) { return value[static_cast<int>(axis)]; }
  int64_t operator[](Axis axis) const { return value[static_cast<int>(axis)]; }
  bool operator==(const Position &o) const { return value == o.value; }
  bool operator!=(const Position &o) const { return value != o.value; }
  bool operator<(const Position &o) const { return value < o.value; }
  Position operator+(const Position &other) const;
  /// "lane 3, reg 1": the axes that are not 0, or "position 0".
  std::string str() const;

private:
  std::array<int64_t, kNumAxes> value{};
};

using Coord = std::vector<int64_t>;

struct Digit {
  int64_t extent;
  Axis axis;
  int64_t stride;
  bool operator==(const Digit &o) const {
    return extent == o.extent && axis == o.axis && stride == o.stride;
  }
};

struct Dim {
  int64_t extent;
  /// Most significant first.
  std::vector<Digit> digits;
  bool operator==(const Dim &o) const {
    return extent == o.extent && digits == o.digits;
  }
};

struct Swizzle {
  int bits = 0;
  int base = 0;
  int shift = 0;

  /// An involution on the offsets.
  int64_t apply(int64_t offset) const {
    int64_t mask = ((int64_t(1) << bits) - 1) << base;
    return offset ^ ((offset >> shift) & mask);
  }
  bool isIdentity() const { return bits == 0; }
  bool operator==(const Swizzle &o) const {
    return bits == o.bits && base == o.base && shift == o.shift;
  }
};

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Bounds that keep every computation inside 64 bits and inside a moment.
inline constexpr int kMaxRank = 16;
inline constexpr int64_t kMaxPositions = int64_t(1) << 48;
inline constexpr int64_t kMaxCopies = int64_t(1) << 20;
/// Operations that look at every element refuse larger tiles.
inline constexpr int64_t kMaxEnumeration = int64_t(1) << 20;

class Layout {
public:
  /// The scalar layout: rank 0, one element at position 0.
  Layout() = default;

  /// Checks and builds. The digits of each dimension must cover its extent with
  /// the leading extent as small as possible; replication digits must nest; a
  /// swizzle needs 0 < bits <= shift and no replication on the offset. Digits
  /// are kept as spelled, except that a digit of stride 0 loses its axis.
  static Result<Layout> get(std::vector<Dim> dims,
                            std::vector<Digit> copies = {},
                            Swizzle swizzle = {});
  /// Dense memory, last dimension fastest.
  static Result<Layout> rowMajor(const std::vector<int64_t> &shape);
  /// The layout that `function` is, if it is one: looks at every coordinate,
  /// and finds the swizzle too. `copies` is added as it stands.
  static Result<Layout>
  fromFunction(const std::vector<int64_t> &shape,
               const std::function<Position(const Coord &)> &function,
               std::vector<Digit> copies = {});

  /// Reads the text form; a failure names the column (from 1).
  static Result<Layout> parse(std::string_view text);
  /// Writes the text form: parse(str()) is this layout, digit by digit.
  std::string str() const;

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t extent(int dim) const { return dims_[dim].extent; }
  std::vector<int64_t> shape() const;
  int64_t numElements() const;
  /// How many positions each element lives at.
  int64_t numCopies() const;

  const std::vector<Dim> &dims() const { return dims_; }
  const std::vector<Digit> &copies() const { return copies_; }
  Swizzle swizzle() const { return swizzle_; }

  /// The axes that some digit of extent > 1 and stride > 0 goes to.
  AxisSet axes() const;
  /// One more than the largest position on `axis`. Exact, except that on a
  /// swizzled offset it is an upper bound.
  int64_t axisSize(Axis axis) const;

  /// Position of the first copy of an element, before the swizzle. Coordinates
  /// must be in range; absent ones are 0.
  Position sum(const Coord &coord) const;
  /// The same after the swizzle.
  Position at(const Coord &coord) const;
  /// All positions of an element.
  std::vector<Position> allAt(const Coord &coord) const;
  /// What each copy adds to sum(): the sums of the replication digits.
  std::vector<Position> copySums() const;
  /// An element that lives at `position` (the one, if the layout is injective)
  /// or none. Fails only on digits that do not nest and are too many to search.
  Result<std::optional<Coord>> coordinateOf(const Position &position) const;

  /// No position holds two elements.
  Result<bool> isInjective() const;
  /// Injective, and every position below the axis sizes is taken.
  Result<bool> isBijective() const;

  /// See the essay above. Fails only where a swizzled layout has more than
  /// kMaxEnumeration elements.
  Result<Layout> canonical() const;
  /// The same digits, copies and swizzle, spelled the same way.
  bool operator==(const Layout &o) const {
    return dims_ == o.dims_ && copies_ == o.copies_ && swizzle_ == o.swizzle_;
  }
  bool operator!=(const Layout &o) const { return !(*this == o); }

private:
  std::vector<Dim> dims_;
  std::vector<Digit> copies_;
  Swizzle swizzle_;
};

/// The same function: same shape, and each element at the same positions.
Result<bool> equivalent(const Layout &a, const Layout &b);

/// Calls `visit` on every coordinate of `shape`, last dimension fastest, until
/// it returns false. Returns whether it reached the end.
bool forEachCoord(const std::vector<int64_t> &shape,
                  const std::function<bool(const Coord &)> &visit);

/// "(3, 1)".
std::string coordStr(const Coord &coord);

} // namespace tile::layout

#endif // TILE_LAYOUT_LAYOUT_H
