//===- Regions.cpp - loops over regions of buffers ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "Tile/Analysis/Bounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

static SmallVector<Value> getOffsets(OpBuilder &b, Location loc,
                                     const BufferRegion &region) {
  SmallVector<Value> offsets;
  for (unsigned dim = 0, e = region.sizes.size(); dim < e; ++dim) {
    if (!region.map) {
      offsets.push_back(constantIndex(b, loc, 0));
      continue;
    }
    offsets.push_back(affine::AffineApplyOp::create(
        b, loc, region.map.getSubMap({dim}), region.operands));
  }
  return offsets;
}

/// Clamps the loop of `dim` to where the region lies in the buffer.
static void clampLoop(OpBuilder &b, Location loc, const BufferRegion &region,
                      unsigned dim, bool isInside, LoopRegion &side) {
  Value zero = constantIndex(b, loc, 0);
  Value size = constantIndex(b, loc, region.sizes[dim]);
  if (isInside) {
    side.lower.push_back(zero);
    side.upper.push_back(size);
    return;
  }
  Value extent = memref::DimOp::create(b, loc, region.buffer, dim);
  Value offset = side.offsets[dim];
  auto clamp = [&](Value bound) -> Value {
    bound = arith::MaxSIOp::create(b, loc, bound, zero);
    return arith::MinSIOp::create(b, loc, bound, size);
  };
  side.lower.push_back(
      clamp(arith::SubIOp::create(b, loc, zero, offset)));
  side.upper.push_back(
      clamp(arith::SubIOp::create(b, loc, extent, offset)));
}

/// Adds the test that a unit dimension is in bounds.
static void testUnit(OpBuilder &b, Location loc, const BufferRegion &region,
                     unsigned dim, LoopRegion &side) {
  Value extent = memref::DimOp::create(b, loc, region.buffer, dim);
  // One unsigned comparison covers both sides.
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       side.offsets[dim], extent);
  side.inside =
      side.inside ? arith::AndIOp::create(b, loc, side.inside, inside)
                  : inside;
}

SmallVector<Value> LoopRegion::getIndices(OpBuilder &b, Location loc,
                                          ValueRange ivs) const {
  SmallVector<Value> indices(offsets);
  for (auto [iv, dim] : llvm::zip_equal(ivs, loopDims))
    indices[dim] = arith::AddIOp::create(b, loc, offsets[dim], iv);
  return indices;
}

LoopRegion cpu::makeLoopRegion(OpBuilder &b, Operation *op,
                               const BufferRegion &region) {
  Location loc = op->getLoc();
  SmallVector<bool> inside(region.sizes.size(), true);
  if (getMemorySpace(region.buffer) == MemorySpace::Global)
    inside = findProvenDims(op, region);
  LoopRegion side;
  side.buffer = region.buffer;
  side.offsets = getOffsets(b, loc, region);
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    if (size != 1) {
      side.loopDims.push_back(dim);
      clampLoop(b, loc, region, dim, inside[dim], side);
    } else if (!inside[dim]) {
      testUnit(b, loc, region, dim, side);
    }
  }
  return side;
}

void cpu::inIf(OpBuilder &b, Location loc, Value condition,
                 function_ref<void(OpBuilder &)> body) {
  if (!condition)
    return body(b);
  scf::IfOp::create(b, loc, condition, [&](OpBuilder &inner, Location) {
    body(inner);
    scf::YieldOp::create(inner, loc);
  });
}

void cpu::continueAt(OpBuilder &b, OpBuilder &inner,
                     function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
  body();
  inner.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
}

void cpu::buildLoops(
    OpBuilder &b, Location loc, ValueRange lower, ValueRange upper,
    function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  SmallVector<Value> steps(lower.size(), Value());
  if (!steps.empty())
    llvm::fill(steps, constantIndex(b, loc, 1));
  scf::buildLoopNest(b, loc, lower, upper, steps, body);
}

void cpu::buildLoops(
    OpBuilder &b, Location loc, ArrayRef<int64_t> extents,
    function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  SmallVector<Value> lower, upper;
  for (int64_t extent : extents) {
    lower.push_back(constantIndex(b, loc, 0));
    upper.push_back(constantIndex(b, loc, extent));
  }
  buildLoops(b, loc, lower, upper, body);
}
