//===- CopyParts.cpp - copies of parts of fragments -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;

bool simt::isWhole(const Buffer &buffer, const BufferRegion &region) {
  return region.map.isConstant() &&
         llvm::all_of(region.map.getConstantResults(),
                      [](int64_t v) { return v == 0; }) &&
         ArrayRef<int64_t>(region.sizes) == ArrayRef(buffer.shape);
}

/// The number of the first register where the part takes a range of them in
/// every thread.
static std::optional<int64_t>
findRegisters(const Buffer &buffer, const BufferRegion &region,
              ::tile::layout::Layout &layout) {
  if (!region.map.isConstant())
    return std::nullopt;
  SmallVector<int64_t> offsets = region.map.getConstantResults();
  auto part = ::tile::layout::subtile(buffer.layout,
                                      {offsets.begin(), offsets.end()},
                                      {region.sizes.begin(), region.sizes.end()});
  if (!part)
    return std::nullopt;
  for (Axis axis : {Axis::Lane, Axis::Warp})
    if (part->base[axis] != 0 ||
        part->layout.axisSize(axis) != buffer.layout.axisSize(axis))
      return std::nullopt;
  layout = part->layout;
  return part->base[Axis::Reg];
}

void simt::narrow(KernelLowering &l, Location loc, Buffer &buffer,
                  BufferRegion &region) {
  if (buffer.space != MemorySpace::Fragment || isWhole(buffer, region))
    return;
  std::optional<int64_t> first =
      findRegisters(buffer, region, buffer.layout);
  if (!first)
    return;
  buffer.base = LLVM::GEPOp::create(
      l.builder(), loc, buffer.base.getType(), getStorageType(buffer.element),
      buffer.base, ArrayRef<LLVM::GEPArg>{int32_t(*first)});
  buffer.shape = region.sizes;
  region.operands = {};
  region.map = AffineMap::get(
      0, 0,
      SmallVector<AffineExpr>(
          region.sizes.size(),
          getAffineConstantExpr(0, l.builder().getContext())),
      l.builder().getContext());
}

namespace {
/// An element of the fragment as one of the part.
struct PartElement {
  SmallVector<Value> coordinates; ///< of the tile that is copied
  Value inside;                   ///< null: it is one of the part
};
} // namespace

static PartElement locate(OpBuilder &b, KernelLowering &l, Location loc,
                          const Buffer &buffer, const BufferRegion &part,
                          ArrayRef<Value> origin, ValueRange element) {
  PartElement result;
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    Value holds = b.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
    result.inside = result.inside ? b.createOrFold<arith::AndIOp>(
                                        loc, result.inside, holds)
                                  : holds;
  };
  for (auto [dim, size] : llvm::enumerate(part.sizes)) {
    Value at = b.createOrFold<arith::SubIOp>(
        loc, l.toI32(loc, element[dim]), origin[dim]);
    // One comparison for both ends: what lies before counts as very large.
    if (size != buffer.shape[dim] || !isConstantIntValue(origin[dim], 0))
      require(arith::CmpIPredicate::ult, at, l.i32(loc, size));
    if (size != 1)
      result.coordinates.push_back(at);
  }
  if (result.coordinates.empty())
    result.coordinates.push_back(l.i32(loc, 0));
  return result;
}

void simt::copyPart(const TileCopy &copy, const BufferRegion &part) {
  OpBuilder &b = copy.builder();
  KernelLowering &l = copy.l;
  Location loc = copy.loc;
  bool loads = copy.source.isMemory();
  const Buffer &fragment = loads ? copy.target.buffer : copy.source.buffer;
  MemoryRegion &memory = loads ? *copy.source.memory : *copy.target.memory;
  memory.hideSizes();
  ThreadMap map(fragment.layout, l.threads());
  map.materialize(b, loc);
  SmallVector<Value> origin;
  for (Value start : expandMap(b, loc, part.map, part.operands))
    origin.push_back(l.toI32(loc, start));
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto registerPart = map.getRegisterPart(reg);
    if (!registerPart)
      continue;
    l.inIf(loc, map.getExistence(b, loc, *registerPart), [&] {
      PartElement at =
          locate(b, l, loc, fragment, part, origin,
                 map.getCoordinates(b, loc, *registerPart));
      l.inIf(loc, at.inside, [&] {
        if (loads)
          return l.storeRegister(
              loc, copy.convert(readGuarded(copy, at.coordinates)), fragment,
              reg);
        l.inIf(loc, copy.getWriteGuard(map, memory.isInside(at.coordinates)),
               [&] {
                 Value value =
                     copy.convert(l.loadRegister(loc, fragment, reg));
                 l.store(loc, value, memory.getBuffer(),
                         memory.getOffset(at.coordinates));
               });
      });
    });
  }
}
