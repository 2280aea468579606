//===- MemoryRegion.cpp - regions of a thread -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/MemoryRegion.h"

#include "Tile/Analysis/Multiples.h"
#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;

MemoryRegion::MemoryRegion(KernelLowering &l, Location loc,
                           const Buffer &given, const BufferRegion &region,
                           ArrayRef<bool> inside)
    : l(l), loc(loc), buffer(given), region(region),
      isShared(given.space == MemorySpace::Shared), wholeTile(true) {
  OpBuilder &b = l.builder();
  proven.append(inside.begin(), inside.end());
  assert(proven.size() == region.sizes.size() && "one fact for a dimension");
  origin = expandMap(b, loc, region.map, region.operands);
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    wholeTile &= isConstantIntValue(origin[dim], 0);
    tileDims.push_back(size == 1 ? -1 : int(tileShape.size()));
    if (size != 1)
      tileShape.push_back(size);
  }
  if (isShared) {
    narrow();
    collectStarts();
    return;
  }
  // One 64-bit base for the tile; what is added to it is small.
  Value start = constantIndex(b, loc, 0);
  for (auto [index, stride] : llvm::zip(origin, buffer.strides)) {
    Value term = b.createOrFold<arith::MulIOp>(
        loc, index, getValueOrCreateConstantIndexOp(b, loc, stride));
    start = b.createOrFold<arith::AddIOp>(loc, start, term);
  }
  if (getElementBits(buffer.element) >= 8)
    buffer.base = l.getAddress(loc, buffer, start);
  else
    regionOffset = threadOffset = start;
}

/// A part of a shared tile at a known place becomes a tile of its own, which has
/// vectors and constant offsets as a whole one.
void MemoryRegion::narrow() {
  int64_t bits = getElementBits(buffer.element);
  ::tile::layout::Coord start;
  for (Value index : origin)
    if (std::optional<int64_t> known = getConstantIntValue(index))
      start.push_back(*known);
  if (wholeTile || !llvm::all_of(proven, [](bool known) { return known; }) ||
      start.size() != origin.size() || !buffer.layout.swizzle().isIdentity())
    return;
  auto part = ::tile::layout::subtile(
      buffer.layout, start, {region.sizes.begin(), region.sizes.end()});
  if (!part)
    return;
  int64_t offset = part->base[Axis::Offset] * bits / 8;
  if (offset * 8 / bits != part->base[Axis::Offset] ||
      offset % l.getGPU().vectorBytes != 0)
    return;
  OpBuilder &b = l.builder();
  buffer.base = LLVM::GEPOp::create(b, loc, buffer.base.getType(), b.getI8Type(),
                                    buffer.base,
                                    ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  buffer.layout = part->layout;
  llvm::copy(region.sizes, buffer.shape.begin());
  origin.assign(origin.size(), constantIndex(b, loc, 0));
  wholeTile = true;
}

/// An offset that is not known is a multiple of what the map says, in bounds.
void MemoryRegion::collectStarts() {
  constexpr size_t kMost = 16;
  starts.push_back({});
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    SmallVector<int64_t> places;
    if (std::optional<int64_t> known = getConstantIntValue(origin[dim])) {
      if (*known >= 0 && *known + size <= buffer.shape[dim])
        places.push_back(*known);
    } else {
      int64_t step = region.map.getResult(dim).getLargestKnownDivisor();
      for (int64_t at = 0;
           at + size <= buffer.shape[dim] && places.size() <= kMost; at += step)
        places.push_back(at);
    }
    SmallVector<SmallVector<int64_t>> longer;
    if (starts.size() * places.size() <= kMost)
      for (ArrayRef<int64_t> start : starts)
        for (int64_t place : places) {
          longer.emplace_back(start);
          longer.back().push_back(place);
        }
    starts = std::move(longer);
  }
}

int64_t MemoryRegion::layoutOffset(ArrayRef<int64_t> coordinates,
                                   ArrayRef<int64_t> start) const {
  ::tile::layout::Coord coord;
  for (auto [dim, tileDim] : llvm::enumerate(tileDims))
    coord.push_back((tileDim < 0 ? 0 : coordinates[tileDim]) +
                    (start.empty() ? 0 : start[dim]));
  return buffer.layout.at(coord)[Axis::Offset];
}

/// Whether offset(start + thread part + register part) is a sum of
/// offset(thread part) and offset(register part), the start being in one of the
/// two, or their XOR, and which bits the former use.
bool MemoryRegion::splitsIntoParts(const ThreadMap &m,
                                   int64_t &bits) const {
  bits = 0;
  bool sums = true, xors = !starts.empty();
  // A place and its offset from each start.
  struct Part {
    SmallVector<int64_t> place, offsets;
  };
  auto getPart = [&](ArrayRef<int64_t> place, bool withStart) {
    Part part{SmallVector<int64_t>(place), {}};
    for (ArrayRef<int64_t> start : starts)
      part.offsets.push_back(
          layoutOffset(place, withStart ? start : ArrayRef<int64_t>()));
    return part;
  };
  auto visit = [&](ArrayRef<int64_t> whole, const Part &thread,
                   const Part &own) {
    for (auto [start, threadOffset, registerOffset] :
         llvm::zip(starts, thread.offsets, own.offsets)) {
      int64_t offset = layoutOffset(whole, start);
      bits |= threadOffset;
      sums &= offset == threadOffset + registerOffset;
      xors &= offset == (threadOffset ^ registerOffset);
    }
    return sums || xors;
  };
  // Register 0 adds nothing.
  SmallVector<Part> threads;
  for (int64_t warp = 0; warp < l.threads().warps; ++warp)
    for (int64_t lane = 0; lane < l.threads().lanes; ++lane)
      if (auto place = m.getElement(lane, warp, 0))
        threads.push_back(getPart(*place, !startsInRegisters));
  for (int64_t reg = 0; reg < m.numRegisters(); ++reg) {
    auto place = m.getRegisterPart(reg);
    if (!place)
      continue;
    Part own = getPart(*place, startsInRegisters);
    for (const Part &thread : threads) {
      SmallVector<int64_t> whole;
      bool exists = true;
      for (auto [a, b, extent] :
           llvm::zip(thread.place, own.place, m.getShape())) {
        whole.push_back(a + b);
        exists &= a + b < extent;
      }
      if (exists && !visit(whole, thread, own))
        return false;
    }
  }
  // A sum that is no XOR is written as one: say so by claiming no bit.
  if (sums)
    bits = 0;
  return xors || (sums && !starts.empty());
}

void MemoryRegion::bind(const ThreadMap &m) {
  map = &m;
  OpBuilder &b = l.builder();
  SmallVector<Value> parts;
  for (int64_t dim = 0; dim < m.rank(); ++dim)
    parts.push_back(m.getThreadPart(dim));
  if (isShared) {
    // Threads' offsets without the start are those of other parts as well.
    startsInRegisters = !wholeTile && starts.size() == 1;
    split = splitsIntoParts(m, threadBits);
    if (!split && startsInRegisters) {
      startsInRegisters = false;
      split = splitsIntoParts(m, threadBits);
    }
    if (split)
      threadOffset = l.getOffset(
          loc, buffer, startsInRegisters ? getPlaces(parts) : getIndices(parts));
    return;
  }
  Value sum = regionOffset ? regionOffset : constantIndex(b, loc, 0);
  for (auto [dim, tileDim] : llvm::enumerate(tileDims)) {
    if (tileDim < 0)
      continue;
    Value term = b.createOrFold<arith::MulIOp>(
        loc, l.toIndex(loc, parts[tileDim]),
        getValueOrCreateConstantIndexOp(b, loc, buffer.strides[dim]));
    sum = b.createOrFold<arith::AddIOp>(loc, sum, term);
  }
  threadOffset = sum;
  split = true;
}

/// In the buffer, were the region at its beginning.
SmallVector<Value> MemoryRegion::getPlaces(ValueRange coordinates) const {
  SmallVector<Value> places;
  for (int tileDim : tileDims)
    places.push_back(tileDim < 0 ? constantIndex(l.builder(), loc, 0)
                                 : coordinates[tileDim]);
  return places;
}

SmallVector<Value> MemoryRegion::getIndices(ValueRange coordinates) const {
  OpBuilder &b = l.builder();
  SmallVector<Value> indices;
  for (auto [dim, tileDim] : llvm::enumerate(tileDims)) {
    if (tileDim < 0) {
      indices.push_back(origin[dim]);
      continue;
    }
    Value index = coordinates[tileDim];
    if (!isConstantIntValue(origin[dim], 0))
      index = b.createOrFold<arith::AddIOp>(loc, l.toIndex(loc, index),
                                            origin[dim]);
    indices.push_back(index);
  }
  return indices;
}

Value MemoryRegion::getOffset(ValueRange coordinates) {
  if (isShared)
    return l.getOffset(loc, buffer, getIndices(coordinates));
  OpBuilder &b = l.builder();
  bool packed = getElementBits(buffer.element) < 8;
  SmallVector<Value> indices;
  for (auto [dim, tileDim] : llvm::enumerate(tileDims)) {
    Value index = tileDim < 0 ? constantIndex(b, loc, 0)
                              : l.toIndex(loc, coordinates[tileDim]);
    if (packed)
      index = b.createOrFold<arith::AddIOp>(loc, index, origin[dim]);
    indices.push_back(index);
  }
  return l.getOffset(loc, buffer, indices);
}

bool MemoryRegion::flip(Value bits, int64_t mask) {
  if (!split || !isShared)
    return false;
  threadOffset = arith::XOrIOp::create(l.builder(), loc, threadOffset, bits);
  threadBits |= mask;
  return true;
}

Value MemoryRegion::getOffset(ArrayRef<int64_t> registerPart) {
  OpBuilder &b = l.builder();
  if (!split)
    return getOffset(map->getCoordinates(b, loc, registerPart));
  if (isShared) {
    int64_t part = layoutOffset(
        registerPart, startsInRegisters ? ArrayRef<int64_t>(starts.front())
                                        : ArrayRef<int64_t>());
    if (part == 0)
      return threadOffset;
    // What lies above all threads' bits may be added as well, and is then part
    // of the instruction.
    if (threadBits != 0) {
      Value low = b.createOrFold<arith::XOrIOp>(
          loc, threadOffset, l.i32(loc, part & threadBits));
      return b.createOrFold<arith::AddIOp>(loc, low,
                                           l.i32(loc, part & ~threadBits));
    }
    return b.createOrFold<arith::AddIOp>(loc, threadOffset, l.i32(loc, part));
  }
  Value sum = threadOffset;
  for (auto [dim, tileDim] : llvm::enumerate(tileDims)) {
    if (tileDim < 0 || registerPart[tileDim] == 0)
      continue;
    Value term = b.createOrFold<arith::MulIOp>(
        loc, constantIndex(b, loc, registerPart[tileDim]),
        getValueOrCreateConstantIndexOp(b, loc, buffer.strides[dim]));
    sum = b.createOrFold<arith::AddIOp>(loc, sum, term);
  }
  return sum;
}

bool MemoryRegion::isContiguous(int64_t run) const {
  if (run == 1)
    return true;
  if (tileDims.empty() || tileDims.back() < 0)
    return false;
  if (!isShared)
    return isConstantIntValue(buffer.strides.back(), 1);
  // The map's runs walk the last dimension: so must the layout.
  SmallVector<int64_t> coord(tileShape.size(), 0);
  int64_t rows = 1;
  for (int64_t extent : ArrayRef<int64_t>(tileShape).drop_back())
    rows *= extent;
  auto isRun = [&](ArrayRef<int64_t> start) {
    int64_t offset = layoutOffset(coord, start), first = coord.back();
    bool holds = offset % run == 0;
    for (int64_t i = 1; holds && i < run; ++i) {
      coord.back() = first + i;
      holds = layoutOffset(coord, start) == offset + i;
    }
    coord.back() = first;
    return holds;
  };
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row;
    for (size_t dim = tileShape.size() - 1; dim-- > 0;) {
      coord[dim] = rest % tileShape[dim];
      rest /= tileShape[dim];
    }
    for (coord.back() = 0; coord.back() < tileShape.back();
         coord.back() += run)
      if (!llvm::all_of(starts, isRun))
        return false;
  }
  return !starts.empty();
}

Value MemoryRegion::getAlignment(int64_t run) {
  if (isShared || run == 1)
    return {};
  OpBuilder &b = l.builder();
  Value all;
  auto require = [&](Value value) {
    Value rest = b.createOrFold<arith::RemUIOp>(loc, value,
                                                constantIndex(b, loc, run));
    if (isConstantIntValue(rest, 0))
      return;
    Value ok = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                             rest, constantIndex(b, loc, 0));
    all = all ? b.createOrFold<arith::AndIOp>(loc, all, ok) : ok;
  };
  // Rows of 4-bit elements are whole bytes: launches are checked for it.
  bool isPacked = getElementBits(buffer.element) == 4;
  int64_t bits = getStorageType(buffer.element).getIntOrFloatBitWidth();
  int64_t bytes = llvm::divideCeil(run * bits, 8);
  if (buffer.alignment < bytes) {
    Value address =
        LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), buffer.base);
    Value mask = arith::ConstantIntOp::create(b, loc, bytes - 1, 64);
    Value low = arith::AndIOp::create(b, loc, address, mask);
    all = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, low,
                                arith::ConstantIntOp::create(b, loc, 0, 64));
  }
  for (OpFoldResult stride : ArrayRef(buffer.strides).drop_back()) {
    Value rows = getValueOrCreateConstantIndexOp(b, loc, stride);
    bool isWhole = isPacked && run == 2 && !getConstantIntValue(stride);
    if (!isWhole && !isMultiple(rows, run))
      require(rows);
  }
  if (!region.map.getResults().back().isMultipleOf(run))
    require(origin.back());
  return all;
}

Value MemoryRegion::isInside() {
  if (isShared)
    return {};
  OpBuilder &b = l.builder();
  Value all;
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    if (proven[dim])
      continue;
    // origin <= extent - size, without a sum that could wrap.
    Value extent = getValueOrCreateConstantIndexOp(b, loc, buffer.sizes[dim]);
    Value room = b.createOrFold<arith::SubIOp>(loc, extent,
                                               constantIndex(b, loc, size));
    Value ok = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                             origin[dim], room);
    Value positive = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, origin[dim], constantIndex(b, loc, 0));
    ok = b.createOrFold<arith::AndIOp>(loc, ok, positive);
    all = all ? b.createOrFold<arith::AndIOp>(loc, all, ok) : ok;
  }
  return all;
}

Value MemoryRegion::isInside(ValueRange coordinates, int64_t run) {
  return isInsideOf(coordinates, 0, tileDims.size(), run);
}

Value MemoryRegion::isRowInside(ValueRange coordinates) {
  return isInsideOf(coordinates, 0, tileDims.size() - 1);
}

Value MemoryRegion::isPlaceInside(ValueRange coordinates) {
  return isInsideOf(coordinates, tileDims.size() - 1, tileDims.size());
}

/// In bounds of these dimensions; null: it is known to be.
Value MemoryRegion::isInsideOf(ValueRange coordinates, size_t begin,
                               size_t end, int64_t run) {
  if (isShared)
    return {};
  OpBuilder &b = l.builder();
  Value all;
  for (size_t dim = begin; dim < end; ++dim) {
    if (proven[dim])
      continue;
    int tileDim = tileDims[dim];
    Value index = origin[dim];
    if (tileDim >= 0)
      index = b.createOrFold<arith::AddIOp>(
          loc, index, l.toIndex(loc, coordinates[tileDim]));
    Value extent = getValueOrCreateConstantIndexOp(b, loc, buffer.sizes[dim]);
    // A run that begins up to run - 1 elements before a row reaches it.
    if (run > 1 && dim + 1 == tileDims.size()) {
      Value before = constantIndex(b, loc, run - 1);
      index = b.createOrFold<arith::AddIOp>(loc, index, before);
      extent = b.createOrFold<arith::AddIOp>(loc, extent, before);
    }
    Value ok = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                             index, extent);
    all = all ? b.createOrFold<arith::AndIOp>(loc, all, ok) : ok;
  }
  return all;
}

static Value getAddressOf(OpBuilder &b, Location loc, Value pointer) {
  return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
}

/// Behind the last element of a box of the buffer that begins at an address.
static Value getEndOfBox(OpBuilder &b, Location loc, const Buffer &buffer,
                         Value address, ArrayRef<OpFoldResult> extents) {
  int64_t bytes = getStorageType(buffer.element).getIntOrFloatBitWidth() / 8;
  Value last = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  for (auto [extent, stride] : llvm::zip(extents, buffer.strides)) {
    Value steps = b.createOrFold<arith::SubIOp>(
        loc, getValueOrCreateConstantIndexOp(b, loc, extent), one);
    last = b.createOrFold<arith::AddIOp>(
        loc, last,
        b.createOrFold<arith::MulIOp>(
            loc, steps, getValueOrCreateConstantIndexOp(b, loc, stride)));
  }
  last = b.createOrFold<arith::AddIOp>(loc, last, one);
  last = b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), last);
  Value size = arith::ConstantIntOp::create(b, loc, bytes, 64);
  return b.createOrFold<arith::AddIOp>(
      loc, address, b.createOrFold<arith::MulIOp>(loc, last, size));
}

std::pair<Value, Value> MemoryRegion::getBounds(const Buffer &whole) {
  Value begin = getAddressOf(l.builder(), loc, whole.base);
  return {begin, getEndOfBox(l.builder(), loc, buffer, begin, buffer.sizes)};
}

Value MemoryRegion::spansVectors(const Buffer &whole, int64_t bytes) {
  OpBuilder &b = l.builder();
  int64_t element =
      getStorageType(buffer.element).getIntOrFloatBitWidth() / 8;
  auto i64 = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  // What is in bounds, and the rest of a vector that begins there.
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> rooms;
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    sizes.push_back(b.getIndexAttr(size));
    if (proven[dim])
      continue;
    Value room = b.createOrFold<arith::SubIOp>(
        loc, getValueOrCreateConstantIndexOp(b, loc, buffer.sizes[dim]),
        origin[dim]);
    rooms.push_back(room);
    int64_t run = dim + 1 == region.sizes.size() ? bytes / element : 1;
    Value whole = arith::AndIOp::create(
        b, loc,
        arith::AddIOp::create(b, loc, room, constantIndex(b, loc, run - 1)),
        constantIndex(b, loc, -run));
    sizes.back() = arith::MinSIOp::create(b, loc, whole,
                                          constantIndex(b, loc, size))
                       .getResult();
  }
  auto [begin, end] = getBounds(whole);
  Value first = getAddressOf(b, loc, buffer.base);
  Value mask = i64(-bytes);
  Value last = arith::AndIOp::create(
      b, loc,
      arith::AddIOp::create(b, loc, getEndOfBox(b, loc, buffer, first, sizes),
                            i64(bytes - 1)),
      mask);
  using P = arith::CmpIPredicate;
  Value spans = arith::CmpIOp::create(
      b, loc, P::uge, arith::AndIOp::create(b, loc, first, mask), begin);
  auto require = [&](Value condition) {
    spans = arith::AndIOp::create(b, loc, spans, condition);
  };
  require(arith::CmpIOp::create(b, loc, P::ule, last, end));
  // Where nothing is in bounds, no vector is.
  for (Value room : rooms)
    require(arith::CmpIOp::create(b, loc, P::sgt, room,
                                  constantIndex(b, loc, 0)));
  // Of an empty buffer the end means nothing.
  for (OpFoldResult size : buffer.sizes)
    if (!getConstantIntValue(size))
      require(arith::CmpIOp::create(
          b, loc, P::sgt, getValueOrCreateConstantIndexOp(b, loc, size),
          constantIndex(b, loc, 0)));
  return spans;
}

void MemoryRegion::hideSizes() {
  if (isShared)
    return;
  OpBuilder &b = l.builder();
  for (auto [dim, size] : llvm::enumerate(buffer.sizes)) {
    if (proven[dim])
      continue;
    Value known = getValueOrCreateConstantIndexOp(b, loc, size);
    if (Value opaque = l.getSIMT().makeOpaque(l, loc, known); opaque != known)
      size = opaque;
  }
}
