//===- CopyLinear.cpp - copies whose lanes write side by side -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of the family 'direct_to_lds' write what the lanes of a warp
// read to consecutive places in shared memory, but each lane reads where it
// wants. So the threads divide the places of a tile among themselves, and each
// asks the layout which element belongs there: a swizzle is done on the global
// side.
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "Tile/Transforms/AsyncCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::Result;
using ::tile::target::CopyRow;

Result<int64_t> simt::findLinearRun(const TileCopy &copy, int64_t most) {
  const Buffer &source = copy.source.buffer, &target = copy.target.buffer;
  if (source.space != MemorySpace::Global ||
      target.space != MemorySpace::Shared || source.element != target.element)
    return fail("expected a copy from global to shared memory without a "
                "conversion");
  auto places = target.layout.isBijective();
  if (!places || !*places)
    return fail("expected a tile whose elements fill its shared memory without "
                "gaps, got the layout ",
                target.layout.str());
  int64_t bits = getElementBits(target.element);
  for (int64_t run = most; run * bits >= 8; run /= 2)
    for (const CopyRow *row : ::tile::target::findCopies(
             copy.l.getTarget(), ::tile::target::Space::Global,
             ::tile::target::Space::Shared, run * bits / 8))
      if (isLinearCopy(*row) && copy.target.memory->isContiguous(run))
        return run;
  return fail("expected vectors of 4 bytes or more that are neighbours in "
              "global and in shared memory, got ",
              most * bits / 8);
}

/// The coordinates, in the tile, of the element at a place of a shared buffer.
static SmallVector<Value> getElementAt(const TileCopy &copy, Value place) {
  OpBuilder &b = copy.builder();
  Location loc = copy.loc;
  auto number = [&](int64_t value) { return copy.l.i32(loc, value); };
  const Layout &layout = copy.target.buffer.layout;
  ::tile::layout::Swizzle swizzle = layout.swizzle();
  if (!swizzle.isIdentity()) {
    int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
    Value bits = arith::ShRUIOp::create(b, loc, place, number(swizzle.shift));
    bits = arith::AndIOp::create(b, loc, bits, number(mask));
    place = arith::XOrIOp::create(b, loc, place, bits);
  }
  SmallVector<Value> coordinates;
  for (const ::tile::layout::Dim &dim : layout.dims()) {
    if (dim.extent == 1)
      continue;
    Value coordinate = number(0);
    int64_t weight = 1;
    for (const ::tile::layout::Digit &digit : llvm::reverse(dim.digits)) {
      Value value = b.createOrFold<arith::DivUIOp>(loc, place,
                                                   number(digit.stride));
      value = b.createOrFold<arith::RemUIOp>(loc, value, number(digit.extent));
      value = b.createOrFold<arith::MulIOp>(loc, value, number(weight));
      coordinate = b.createOrFold<arith::AddIOp>(loc, coordinate, value);
      weight *= digit.extent;
    }
    coordinates.push_back(coordinate);
  }
  return coordinates;
}

/// Of vectors outside of the source, which no instruction writes.
static void storePadding(const TileCopy &copy, Value place, int64_t run) {
  OpBuilder &b = copy.builder();
  Location loc = copy.loc;
  const Buffer &source = copy.source.memory->getBuffer();
  Value padding = source.paddingValue ? source.paddingValue
                                      : constantZero(b, loc, source.element);
  if (run > 1)
    padding = vector::BroadcastOp::create(
        b, loc, VectorType::get(run, source.element), padding);
  copy.l.store(loc, padding, copy.target.buffer, place, run);
}

void simt::copyLinear(const TileCopy &copy, int64_t run, bool isInside) {
  OpBuilder &b = copy.builder();
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  MemoryRegion &source = *copy.source.memory;
  const Buffer &target = copy.target.buffer;
  const ThreadGroup &threads = l.threads();
  int64_t vectors = target.layout.numElements() / run, all = threads.size();
  int64_t bytes = run * getElementBits(target.element) / 8;
  auto scale = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(b, loc, value, l.i32(loc, factor));
  };
  auto shift = [&](Value value, int64_t by) {
    return b.createOrFold<arith::AddIOp>(loc, value, l.i32(loc, by));
  };
  Value own = scale(threads.thread, run);
  Value warp = scale(threads.warp, threads.lanes * run);
  for (int64_t first = 0; first < vectors; first += all) {
    Value exists;
    if (vectors - first < all)
      exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                     threads.thread,
                                     l.i32(loc, vectors - first));
    l.inIf(loc, exists, [&] {
      Value place = shift(own, first * run);
      SmallVector<Value> element = getElementAt(copy, place);
      Value inside = isInside ? Value() : source.isInside(element);
      auto emit = [&] {
        Value from = l.getAddress(loc, source.getBuffer(),
                                  source.getOffset(ValueRange(element)));
        Value to = l.getAddress(loc, target, shift(warp, first * run));
        l.getSIMT().copyAsync(l, loc, to, from, bytes);
      };
      if (!inside)
        return emit();
      auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      emit();
      b.setInsertionPointToStart(branch.elseBlock());
      storePadding(copy, place, run);
    });
  }
}
