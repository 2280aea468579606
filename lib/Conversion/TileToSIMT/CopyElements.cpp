//===- CopyElements.cpp - copies of elements that may be out of bounds ----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

// More registers than that are not unrolled where a loop is cheap.
static constexpr int64_t kMaxUnrolledRegisters = 16;

static Value readGuarded(const TileCopy &copy, ValueRange coordinates) {
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
  Value padding = buffer.safeValue ? buffer.safeValue
                                   : constantZero(b, loc, buffer.element);
  scf::YieldOp::create(b, loc, padding);
  return branch.getResult(0);
}

/// Each register by code of its own.
static void copyUnrolled(const TileCopy &copy, const ThreadMap &map) {
  OpBuilder &b = copy.builder();
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
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
        Value value = l.loadRegister(loc, copy.source.buffer, reg);
        l.store(loc, copy.convert(value), target.getBuffer(),
                target.getOffset(at));
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

static void storeStaged(const TileCopy &copy, const ThreadMap &map) {
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
  l.forEachRegister(loc, count, [&](Value reg) {
    ThreadMap::Element element = map.getElement(b, loc, reg);
    Value writes = target.isInside(element.coordinates);
    for (Value condition : {element.exists, map.getFirstCopy()})
      if (condition)
        writes = writes ? b.createOrFold<arith::AndIOp>(loc, writes, condition)
                        : condition;
    l.inIf(loc, writes, [&] {
      Value value =
          LLVM::LoadOp::create(b, loc, getStorageType(source.element),
                               l.getStaged(loc, staging, reg));
      value = copy.convert(fromStorage(b, loc, value, source.element));
      l.store(loc, value, target.getBuffer(),
              target.getOffset(element.coordinates));
    });
  });
}

/// Between two places in memory: a loop of the threads over the elements.
static void copyStrided(const TileCopy &copy, ArrayRef<int64_t> tile) {
  OpBuilder &b = copy.builder();
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  MemoryRegion &target = *copy.target.memory;
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
  l.inIf(loc, target.isInside(at), [&] {
    Value value = copy.convert(readGuarded(copy, at));
    l.store(loc, value, target.getBuffer(), target.getOffset(at));
  });
}

void simt::copyElements(const TileCopy &copy, const ThreadMap &map,
                        ArrayRef<int64_t> tile) {
  for (CopySide *side : {&copy.source, &copy.target})
    if (side->isMemory())
      side->memory->hideSizes();
  if (copy.source.isMemory() && copy.target.isMemory())
    return copyStrided(copy, tile);
  if (map.numRegisters() <= kMaxUnrolledRegisters ||
      !copy.l.getSIMT().stagesInPrivateMemory())
    return copyUnrolled(copy, map);
  if (copy.source.isMemory())
    loadStaged(copy, map);
  else
    storeStaged(copy, map);
}
