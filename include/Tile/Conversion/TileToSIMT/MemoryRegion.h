//===- MemoryRegion.h - a part of a buffer, by threads ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_MEMORYREGION_H
#define TILE_CONVERSION_TILETOSIMT_MEMORYREGION_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::simt {

/// One side of a copy in memory: a region of a buffer, addressed by the
/// coordinates of the tile, which are those of its extents that are not 1.
class MemoryRegion {
public:
  /// `inside` says which dimensions are known to be in bounds.
  MemoryRegion(KernelLowering &l, Location loc, const Buffer &buffer,
               const BufferRegion &region, ArrayRef<bool> inside);

  const Buffer &getBuffer() const { return buffer; }

  /// Fixes the threads' elements; offsets of register parts follow from then,
  /// by values at the builder. A later call fixes them anew.
  void bind(const ThreadMap &map);
  /// Whether the `run` elements that begin in any register of the map are
  /// consecutive in memory, beginning at a multiple of `run`, under the
  /// condition of getAlignment.
  bool isContiguous(int64_t run) const;
  /// What must hold at run time for isContiguous; null: nothing.
  Value getAlignment(int64_t run);
  /// Whether the whole tile is in bounds; null: it is known to be.
  Value isInside();
  /// Whether rows may end inside of the tile.
  bool mayEndRows() const { return !proven.empty() && !proven.back(); }
  /// Whether all aligned vectors that hold elements of the tile lie in the
  /// buffer, of which this is a region.
  Value spansVectors(const Buffer &whole, int64_t bytes);
  /// The addresses, i64, of the buffer of which this is a region and behind it;
  /// of one without elements the second means nothing.
  std::pair<Value, Value> getBounds(const Buffer &whole);
  /// Whether one element is, or any of a run along the last dimension.
  Value isInside(ValueRange coordinates, int64_t run = 1);
  /// The two parts of that for one element: its row, and its place in it.
  Value isRowInside(ValueRange coordinates);
  Value isPlaceInside(ValueRange coordinates);
  /// Keeps LLVM from computing that before a loop around the code at the
  /// builder: the conditions of a side that is hardly ever taken would hold
  /// registers all along the loop.
  void hideSizes();

  /// Flips bits of the offsets of register parts from here on, all of `mask` or,
  /// by `bits`, none. False, and nothing is done, if the offsets do not have a
  /// part of the thread to which that of a register is added.
  bool flip(Value bits, int64_t mask);
  /// The offset of the element of a register.
  Value getOffset(ArrayRef<int64_t> registerPart);
  /// The offset of any element.
  Value getOffset(ValueRange coordinates);

private:
  void narrow();
  Value isInsideOf(ValueRange coordinates, size_t begin, size_t end,
                   int64_t run = 1);
  SmallVector<Value> getIndices(ValueRange coordinates) const;
  SmallVector<Value> getPlaces(ValueRange coordinates) const;
  bool splitsIntoParts(const ThreadMap &map, int64_t &threadBits) const;
  void collectStarts();
  /// Of an element of the tile, behind the `start` of the region.
  int64_t layoutOffset(ArrayRef<int64_t> coordinates,
                       ArrayRef<int64_t> start = {}) const;

  KernelLowering &l;
  Location loc;
  Buffer buffer;
  const BufferRegion region;
  SmallVector<bool> proven; // dimensions known to be in bounds
  SmallVector<int64_t> tileShape;
  SmallVector<int> tileDims;  // of each dimension of the buffer; -1: none
  SmallVector<Value> origin;  // index
  bool isShared, wholeTile;   // no offset within a shared buffer
  /// All places in a shared buffer where the region may begin; none if they are
  /// too many.
  SmallVector<SmallVector<int64_t>> starts;
  /// Whether the only one of them counts as a part of the registers' elements.
  bool startsInRegisters = false;
  const ThreadMap *map = nullptr;
  bool split = false;
  int64_t threadBits = 0;
  Value regionOffset; // of the first element, in a global buffer
  Value threadOffset; // with the threads' part
};

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_MEMORYREGION_H
