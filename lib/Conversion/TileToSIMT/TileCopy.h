//===- TileCopy.h - a tile moves between two places ----------- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_TILECOPY_H
#define TILE_LIB_CONVERSION_TILETOSIMT_TILECOPY_H

#include "Models.h"

#include "Tile/Conversion/TileToSIMT/MemoryRegion.h"
#include "Tile/Layout/Access.h"

namespace mlir::tile::simt {

/// How many vectors a thread moves before the first result is used.
inline constexpr int64_t kMaxVectorsInFlight = 16;

/// One side of a copy: the registers of a fragment, or a region of memory.
struct CopySide {
  const Buffer &buffer;
  std::optional<MemoryRegion> memory;

  explicit CopySide(const Buffer &buffer) : buffer(buffer) {}
  /// A region of memory, whose dimensions may be known to be in bounds.
  CopySide(KernelLowering &l, Location loc, const Buffer &buffer,
           const BufferRegion &region, ArrayRef<bool> inBounds)
      : buffer(buffer) {
    memory.emplace(l, loc, buffer, region, inBounds);
  }

  bool isMemory() const { return memory.has_value(); }
};

/// A copy of which at least one side is memory.
struct TileCopy {
  KernelLowering &l;
  Location loc;
  CastRules rules;
  CopySide &source, &target;
  /// Whether threads copy asynchronously where their instructions can.
  bool isAsync = false;
  /// Whether rows of the source may begin before those of its buffer.
  bool mayBeginBefore = true;

  OpBuilder &builder() const { return l.builder(); }
  /// A value of the source as one of the target.
  Value convert(Value value) const {
    return castElement(l.builder(), loc, value, target.buffer.element, rules);
  }
  /// Whether a thread that has the element may write it; null: yes.
  Value getWriteGuard(const ThreadMap &map, Value condition) const;
};

/// Whether every `run` registers are neighbours along the last dimension.
bool walksLastDim(const ThreadMap &map, int64_t run);

/// The most elements that a thread moves at a time: neighbours in registers and
/// in memory.
int64_t chooseRun(const TileCopy &copy, const ThreadMap &map);

/// Copies in vectors of `run` elements; all of the tile is in bounds.
void copyVectors(const TileCopy &copy, const ThreadMap &map, int64_t run);

/// How many elements, up to `most`, a lane moves by an instruction whose lanes
/// write side by side, or why it moves none.
::tile::layout::Result<int64_t> findLinearRun(const TileCopy &copy,
                                              int64_t most);
/// Copies in such vectors, of which each is in bounds as a whole or not at all;
/// `isInside`: all of them are. The address that the vendor gets for the target
/// is that of the first lane of the warp.
void copyLinear(const TileCopy &copy, int64_t run, bool isInside);

using ::tile::layout::SharedWords;

/// Where a fragment of this layout, of elements of 4 bits in shared memory, is
/// read by lanes that share words.
std::optional<SharedWords>
findSharedWords(const TileCopy &copy, const ::tile::layout::Layout &layout);
void copySharedWords(const TileCopy &copy, const ThreadMap &map,
                     const SharedWords &words);

/// Copies between a fragment and global memory in vectors of which each of
/// `lanes` lanes, side by side, needs a run of `run` elements: they swap them
/// before stores, and after loads. Of a lane, those runs are `distance`
/// elements apart.
struct LaneExchange {
  ::tile::layout::Layout layout; ///< of the fragment by vectors
  int64_t run = 0, lanes = 1, laneStride = 0, distance = 0;
  int64_t getWidth() const { return run * lanes; }
};

/// Where lanes hold less than a vector each, and together less than memory is
/// read and written by.
std::optional<LaneExchange>
findLaneExchange(const TileCopy &copy, const ::tile::layout::Layout &layout);
void copyExchanged(const TileCopy &copy, const ThreadMap &map,
                   const LaneExchange &exchange);

/// Lanes whose number has the bit `lane` store two vectors, `reg` registers
/// apart, each where the others store the other one: their offsets differ in
/// the bits `distance`.
struct StoreTurns {
  int64_t lane = 0, reg = 0, distance = 0;
};

/// Where a store of a whole fragment to a whole shared tile, in vectors of
/// `run` elements, then takes half of the wavefronts or less.
std::optional<StoreTurns> findStoreTurns(const TileCopy &copy,
                                         const ThreadMap &map,
                                         const ::tile::layout::Layout &layout,
                                         int64_t run);
void storeInTurns(const TileCopy &copy, const ThreadMap &map, int64_t run,
                  const StoreTurns &turns);

/// Puts the elements of a run, or a vector of them, into the target.
void writeRun(const TileCopy &copy, int64_t reg, ArrayRef<int64_t> part,
              int64_t run, ArrayRef<Value> values);

/// Copies whose rows begin anywhere, and which may be out of bounds, in vectors
/// all the same, where each lane's runs are vectors: loads of a tile of which
/// MemoryRegion::spansVectors holds, to memory also of any other, and any
/// stores of a fragment or of shared memory.
bool canLoadShifted(const TileCopy &copy, const ThreadMap &map, int64_t run);
void loadShifted(const TileCopy &copy, const ThreadMap &map, int64_t run);
void loadShiftedAtEnds(const TileCopy &copy, const ThreadMap &map, int64_t run);
bool canStoreShifted(const TileCopy &copy, const ThreadMap &map, int64_t run);
void storeShifted(const TileCopy &copy, const ThreadMap &map, int64_t run);

/// Copies element by element those that are in bounds of the target; what is
/// out of bounds of the source reads as its padding value. `tile` is the shape;
/// `run` registers are neighbours in memory where it is aligned.
void copyElements(const TileCopy &copy, const ThreadMap &map,
                  ArrayRef<int64_t> tile, int64_t run);

/// Element `coordinates` of a source in memory, or its padding value.
Value readGuarded(const TileCopy &copy, ValueRange coordinates);

/// Whether the region is all of the buffer.
bool isWhole(const Buffer &buffer, const BufferRegion &region);

/// Makes of a part of a fragment, where it is a range of registers of every
/// thread, a whole fragment of that range; leaves any other as it is.
void narrow(KernelLowering &l, Location loc, Buffer &buffer,
            BufferRegion &region);

/// Copies between memory and any part of a fragment, element by element.
void copyPart(const TileCopy &copy, const BufferRegion &part);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_TILECOPY_H
