//===- Algebra.h - Making layouts out of layouts ----------------*- C++ -*-===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//
//
// Every function states what its result is as an equation on positions; the
// unit tests check that equation at every coordinate. Where the result would
// leave the class of layouts, the reason says which element or digit is at
// fault.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LAYOUT_ALGEBRA_H
#define TILE_LAYOUT_ALGEBRA_H

#include "Tile/Layout/Layout.h"

namespace tile::layout {

//===----------------------------------------------------------------------===//
// The coordinate space
//===----------------------------------------------------------------------===//

/// Dimension d of the result is dimension order[d] of `layout`.
Result<Layout> permute(const Layout &layout, const std::vector<int> &order);

/// The same elements in row-major order under another shape.
///
///     [12: 3 lane, 4 reg]  as 3 x 2 x 2  =  [3: 3 lane][2: 2 reg*2][2: 2 reg]
///
/// Fails where the new shape cuts through a digit.
Result<Layout> reshape(const Layout &layout, const std::vector<int64_t> &shape);

/// The same bits of a memory in elements of `to` bits in place of `from`, in
/// row-major order under `shape`: element e of the result is where bits
/// e * to to (e + 1) * to - 1 of the row-major order are.
///
///     [4: 4 offset*4][4: 4 offset] swizzle(1, 1, 2)  of 8 bits as 4 x 8 of 4
///       =  [4: 4 offset*8][8: 8 offset] swizzle(1, 2, 2)
///
/// Fails where the bits of a wider element would not lie together.
Result<Layout> reinterpret(const Layout &layout, int64_t from, int64_t to,
                           const std::vector<int64_t> &shape);

/// `outer` read through `inner`: the element c of the result is the element of
/// `outer` whose row-major index is the offset that `inner` gives to c.
///
///     result.at(c) = outer.at(unflatten(inner.at(c)[Offset]))
///
/// This is how a loop nest sees a fragment (inner is the index expression of
/// the access), and the composition of two memory layouts.
Result<Layout> compose(const Layout &outer, const Layout &inner);

/// An extra dimension of extent 1 before dimension `dim`.
Result<Layout> insertDim(const Layout &layout, int dim);

/// Dimension `dim`, of extent 1, becomes `extent` equal elements.
Result<Layout> broadcast(const Layout &layout, int dim, int64_t extent);

/// Splits every dimension by `tile`: the result has twice the rank, first the
/// index of the tile, then the index inside it.
///
///     result.at(o, i) = layout.at(o * tile + i)
Result<Layout> divide(const Layout &layout, const std::vector<int64_t> &tile);

/// A part of a layout, seen as a layout of its own. An element of the part is
/// at (base + layout.sum(c)), then swizzled: the base goes below the swizzle.
struct Part {
  Position base;
  Layout layout;
};

/// Fixes dimension `dim` at `index` and drops it.
Result<Part> slice(const Layout &layout, int dim, int64_t index);

/// The elements offset <= c < offset + size. Any region that is itself a
/// layout is accepted, not only multiples of the digits.
Result<Part> subtile(const Layout &layout, const std::vector<int64_t> &offset,
                     const std::vector<int64_t> &size);

//===----------------------------------------------------------------------===//
// Building and changing
//===----------------------------------------------------------------------===//

/// Repeats `inner` as `outer` says: dimension by dimension the coordinate of
/// the result is o * inner.extent + i, and
///
///     result.at(o * extent + i) = outer.at(o) * size(inner) + inner.at(i)
///
/// with the axis sizes of `inner` as size, so that copies never collide:
///
///     fragment of one mma   x   2 x 2 warps   =   fragment of the block
Result<Layout> product(const Layout &inner, const Layout &outer);

/// Every element `extent` times, `stride` apart on `axis`.
Result<Layout> replicate(const Layout &layout, int64_t extent, Axis axis,
                         int64_t stride);

/// The layout of the result of reducing over `dim`, when every thread that held
/// a part of a sum ends up holding the sum: the thread digits of the dimension
/// become replication, its registers go, and the registers left are renumbered
/// (see compact).
///
///     [16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]  over dimension 1
///       =  [16: 2 reg, 8 lane*4] rep(4 lane)
///
/// Of a dimension whose leading digit is cut short, the threads past its end
/// are counted as holders too.
Result<Layout> reduceDim(const Layout &layout, int dim);

/// Renumbers the positions on `axis` without gaps between digits, keeping their
/// order. The digits must nest (each stride exceeds the span of the smaller).
Result<Layout> compact(const Layout &layout, Axis axis);

/// `layout` with another swizzle; {} takes it off.
Result<Layout> withSwizzle(const Layout &layout, Swizzle swizzle);

/// The map back: which element a position holds.
struct Inverse {
  /// Dimension i of `layout` is the position on axes[i]; the axes of size > 1
  /// in the order device, block, warp, lane, reg, offset.
  std::vector<Axis> axes;
  /// Gives each position, on its offset, the row-major index of the element.
  Layout layout;
};

/// Exists for bijective layouts. Replicated positions become digits of stride
/// 0.
Result<Inverse> invert(const Layout &layout);

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Whether everything `reader` needs is where `owner` has it: on the axes of
/// `axes`, the positions of each element in `reader` are among its positions in
/// `owner`. With kThreadAxes: can each thread that reads find its operand in
/// its own registers? A failure names an element and both positions.
Status contains(const Layout &owner, const Layout &reader, AxisSet axes);

/// Whether code that is the same for all threads can read the operands of
/// `reader` from the registers of `owner`: each thread has them, and the number
/// of the register follows from that of the reader's register alone. Registers
/// cannot be indexed at run time.
///
///     owner [4: 4 reg] rep(4 lane), reader [4: 4 lane]: lane i has element i,
///     but in register i
Status containsInRegisters(const Layout &owner, const Layout &reader);

/// What it takes to turn a tile in registers from one layout into another, from
/// the cheapest to the dearest.
enum class Conversion {
  Identity,        // nothing: each register already holds its element
  RegisterPermute, // other registers of the same thread
  WarpShuffle,     // other lanes of the same warp
  SharedMemory,    // other warps of the same block
  ClusterMemory,   // other blocks of the cluster
  DeviceExchange,  // other devices
};
std::string_view conversionName(Conversion conversion);
Result<Conversion> classifyConversion(const Layout &from, const Layout &to);

} // namespace tile::layout

#endif // TILE_LAYOUT_ALGEBRA_H
