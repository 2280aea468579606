//===- CopyElements.cpp - copies of elements that may be out of bounds ----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

// More registers than that are not unrolled where a loop is cheap.
static constexpr int64_t kMaxUnrolledRegisters = 16;

Value simt::readGuarded(const TileCopy &copy, ValueRange coordinates) {
  OpBuilder &b = copy.builder();
  Location loc = copy.loc;
  MemoryRegion &source = *copy.source.memory;
  const Buffer &buffer = source.getBuffer();
  auto read = [&] {
    return copy.l.load(loc, buffer, source.getOffset(coordinates));
  };
  Value inside = source.isInside(coordinates);
  if (!inside)
    return read();
  auto branch = scf::IfOp::create(b, loc, buffer.element, inside, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, read());
  b.setInsertionPointToStart(branch.elseBlock());
  Value padding = buffer.paddingValue ? buffer.paddingValue
                                   : constantZero(b, loc, buffer.element);
  scf::YieldOp::create(b, loc, padding);
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Elements of 4 bits
//===----------------------------------------------------------------------===//

/// Whether a thread stores whole bytes: two elements of 4 bits that it has.
static bool storesPairs(const TileCopy &copy, int64_t run) {
  return copy.target.isMemory() && run > 1 &&
         getElementBits(copy.target.buffer.element) == 4 &&
         !copy.target.memory->getAlignment(2);
}

/// The coordinates of the other element of the byte.
static SmallVector<Value> getNext(const TileCopy &copy, ValueRange at) {
  SmallVector<Value> next(at);
  Type type = next.back().getType();
  OpBuilder &b = copy.builder();
  Value one = arith::ConstantOp::create(b, copy.loc, b.getIntegerAttr(type, 1));
  next.back() = b.createOrFold<arith::AddIOp>(copy.loc, next.back(), one);
  return next;
}

/// Stores the two elements of a byte. Rows are whole bytes: where the first is
/// in bounds, the second is, too.
static void storePair(const TileCopy &copy, ValueRange at, Value low,
                      Value high) {
  OpBuilder &b = copy.builder();
  MemoryRegion &target = *copy.target.memory;
  Value pair = vector::FromElementsOp::create(
      b, copy.loc, VectorType::get(2, low.getType()), ValueRange{low, high});
  copy.l.store(copy.loc, pair, target.getBuffer(), target.getOffset(at), 2);
}

//===----------------------------------------------------------------------===//
// All elements
//===----------------------------------------------------------------------===//

/// Each register by code of its own.
static void copyUnrolled(const TileCopy &copy, const ThreadMap &map,
                         bool inPairs) {
  OpBuilder &b = copy.builder();
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  for (int64_t reg = 0; reg < map.numRegisters(); reg += inPairs ? 2 : 1) {
    auto part = map.getRegisterPart(reg);
    if (!part)
      continue;
    l.inIf(loc, map.getExistence(b, loc, *part), [&] {
      SmallVector<Value> at = map.getCoordinates(b, loc, *part);
      if (copy.source.isMemory())
        return l.storeRegister(loc, copy.convert(readGuarded(copy, at)),
                               copy.target.buffer, reg);
      MemoryRegion &target = *copy.target.memory;
      l.inIf(loc, copy.getWriteGuard(map, target.isInside(at)), [&] {
        auto read = [&](int64_t number) {
          return copy.convert(
              l.loadRegister(loc, copy.source.buffer, number));
        };
        if (inPairs)
          return storePair(copy, at, read(reg), read(reg + 1));
        l.store(loc, read(reg), target.getBuffer(), target.getOffset(at));
      });
    });
  }
}

/// In a loop, through memory of the thread: all at once would need registers
/// for each one's address and guard.
static void loadStaged(const TileCopy &copy, const ThreadMap &map) {
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  const Buffer &target = copy.target.buffer;
  int64_t count = map.numRegisters();
  Buffer staging = l.getStaging(loc, target.element, count);
  l.forEachRegister(loc, count, [&](Value reg) {
    ThreadMap::Element element = map.getElement(l.builder(), loc, reg);
    l.inIf(loc, element.exists, [&] {
      Value value = copy.convert(readGuarded(copy, element.coordinates));
      LLVM::StoreOp::create(l.builder(), loc,
                            toStorage(l.builder(), loc, value),
                            l.getStaged(loc, staging, reg));
    });
  });
  for (int64_t reg = 0; reg < count; ++reg)
    if (map.getRegisterPart(reg))
      l.storeRegister(loc, l.loadRegister(loc, staging, reg), target, reg);
}

static void storeStaged(const TileCopy &copy, const ThreadMap &map,
                        bool inPairs) {
  OpBuilder &b = copy.builder();
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  const Buffer &source = copy.source.buffer;
  MemoryRegion &target = *copy.target.memory;
  int64_t count = map.numRegisters();
  Buffer staging = l.getStaging(loc, source.element, count);
  for (int64_t reg = 0; reg < count; ++reg)
    if (map.getRegisterPart(reg))
      l.storeRegister(loc, l.loadRegister(loc, source, reg), staging, reg);
  int64_t step = inPairs ? 2 : 1;
  l.forEachRegister(loc, count / step, [&](Value number) {
    Value reg = b.createOrFold<arith::MulIOp>(loc, number, l.i32(loc, step));
    ThreadMap::Element element = map.getElement(b, loc, reg);
    Value writes = target.isInside(element.coordinates);
    for (Value condition : {element.exists, map.getFirstCopy()})
      if (condition)
        writes = writes ? b.createOrFold<arith::AndIOp>(loc, writes, condition)
                        : condition;
    l.inIf(loc, writes, [&] {
      auto read = [&](Value which) {
        Value value =
            LLVM::LoadOp::create(b, loc, getStorageType(source.element),
                                 l.getStaged(loc, staging, which));
        return copy.convert(fromStorage(b, loc, value, source.element));
      };
      if (inPairs)
        return storePair(
            copy, element.coordinates, read(reg),
            read(b.createOrFold<arith::AddIOp>(loc, reg, l.i32(loc, 1))));
      l.store(loc, read(reg), target.getBuffer(),
              target.getOffset(element.coordinates));
    });
  });
}

/// Between two places in memory: a loop of the threads over the elements.
static void copyStrided(const TileCopy &copy, ArrayRef<int64_t> shape,
                        bool inPairs) {
  OpBuilder &b = copy.builder();
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  MemoryRegion &target = *copy.target.memory;
  SmallVector<int64_t> tile(shape);
  if (inPairs)
    tile.back() /= 2;
  auto loop = scf::ForOp::create(
      b, loc, l.toIndex(loc, l.threads().thread),
      constantIndex(b, loc, ShapedType::getNumElements(tile)),
      constantIndex(b, loc, l.threads().size()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at(tile.size());
  Value rest = loop.getInductionVar();
  for (size_t dim = tile.size(); dim-- > 0;) {
    Value extent = constantIndex(b, loc, tile[dim]);
    at[dim] =
        dim == 0 ? rest : b.createOrFold<arith::RemUIOp>(loc, rest, extent);
    rest = b.createOrFold<arith::DivUIOp>(loc, rest, extent);
  }
  if (inPairs)
    at.back() = b.createOrFold<arith::MulIOp>(loc, at.back(),
                                              constantIndex(b, loc, 2));
  l.inIf(loc, target.isInside(at), [&] {
    Value value = copy.convert(readGuarded(copy, at));
    if (inPairs)
      return storePair(copy, at, value,
                       copy.convert(readGuarded(copy, getNext(copy, at))));
    l.store(loc, value, target.getBuffer(), target.getOffset(at));
  });
}

void simt::copyElements(const TileCopy &copy, const ThreadMap &map,
                        ArrayRef<int64_t> tile, int64_t run) {
  bool inPairs = storesPairs(copy, run);
  for (CopySide *side : {&copy.source, &copy.target})
    if (side->isMemory())
      side->memory->hideSizes();
  if (copy.source.isMemory() && copy.target.isMemory())
    return copyStrided(copy, tile, inPairs);
  if (map.numRegisters() <= kMaxUnrolledRegisters ||
      !copy.l.getSIMT().stagesInPrivateMemory())
    return copyUnrolled(copy, map, inPairs);
  if (copy.source.isMemory())
    loadStaged(copy, map);
  else
    storeStaged(copy, map, inPairs);
}
