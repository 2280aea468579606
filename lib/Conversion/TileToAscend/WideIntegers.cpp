//===- WideIntegers.cpp - lines of integers of 64 bits --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The vector unit has conversions of these integers alone: the scalar unit goes
// along the lines of a reduction or scan, element by element.
//
//===----------------------------------------------------------------------===//

#include "ParallelParts.h"

#include "Tile/Conversion/Common.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

static bool isWide(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType().isInteger(64);
}

static Value index(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// A loop from `first` to the end of a dimension, whose body is next.
static Value loopOver(OpBuilder &b, Location loc, int64_t first, int64_t end) {
  auto loop = scf::ForOp::create(b, loc, index(b, loc, first),
                                 index(b, loc, end), index(b, loc, 1));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

/// The lines of a buffer along a dimension, whose index is null.
static SmallVector<Value> loopOverLines(OpBuilder &b, Location loc,
                                        ArrayRef<int64_t> shape, unsigned dim) {
  SmallVector<Value> at(shape.size());
  for (auto [i, extent] : llvm::enumerate(shape))
    if (i != dim)
      at[i] = loopOver(b, loc, 0, extent);
  return at;
}

static void remarkElements(Operation *op) {
  remark::missed(op->getLoc(), remark::RemarkOpts::name("ScalarElements")
                                   .category("ascend-split-parallel"))
      << remark::reason("the scalar unit computes '{0}' for each element",
                        op->getName().getStringRef());
}

/// The sum of a line is in the target all the time.
static void expand(tl::ReduceOp op) {
  remarkElements(op);
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto source = cast<MemRefType>(op.getSource().getType());
  unsigned dim = op.getDim();
  SmallVector<Value> at = loopOverLines(b, loc, source.getShape(), dim);
  SmallVector<Value> to = at;
  if (cast<MemRefType>(op.getTarget().getType()).getRank() == source.getRank())
    to[dim] = index(b, loc, 0);
  else
    to.erase(to.begin() + dim);
  auto take = [&](Value place) {
    at[dim] = place;
    Value element = memref::LoadOp::create(b, loc, op.getSource(), at);
    return tl::widenForReduction(b, op, element, source.getElementType());
  };
  auto put = [&](Value value) {
    memref::StoreOp::create(b, loc, value, op.getTarget(), to);
  };
  auto old = [&]() -> Value {
    return memref::LoadOp::create(b, loc, op.getTarget(), to);
  };
  if (!op.getCombine()) {
    put(take(index(b, loc, 0)));
  } else if (op.getKind() == tl::ReduceKind::AbsMax && !op.getIsUnsigned()) {
    // A negative number is less than any magnitude.
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
    put(arith::MaxSIOp::create(b, loc, old(), zero));
  }
  Value place = loopOver(b, loc, !op.getCombine(), source.getDimSize(dim));
  put(vector::makeArithReduction(b, loc, tl::getCombiningKind(op, false),
                                 take(place), old()));
  op.erase();
}

static void expand(tl::ScanOp op) {
  remarkElements(op);
  OpBuilder b(op);
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getSource().getType()).getShape();
  unsigned dim = op.getDim();
  int64_t last = shape[dim] - 1;
  SmallVector<Value> at = loopOverLines(b, loc, shape, dim);
  auto load = [&](Value buffer, Value place) -> Value {
    at[dim] = op.getReverse()
                  ? arith::SubIOp::create(b, loc, index(b, loc, last), place)
                  : place;
    return memref::LoadOp::create(b, loc, buffer, at);
  };
  Value first = load(op.getSource(), index(b, loc, 0));
  memref::StoreOp::create(b, loc, first, op.getTarget(), at);
  Value place = loopOver(b, loc, 1, last + 1);
  Value before = load(op.getTarget(), arith::SubIOp::create(
                                          b, loc, place, index(b, loc, 1)));
  Value element = load(op.getSource(), place);
  vector::CombiningKind kind =
      op.getKind() == tl::ScanKind::Sum ? vector::CombiningKind::ADD
      : op.getIsUnsigned()              ? vector::CombiningKind::MAXUI
                                        : vector::CombiningKind::MAXSI;
  memref::StoreOp::create(
      b, loc, vector::makeArithReduction(b, loc, kind, element, before),
      op.getTarget(), at);
  op.erase();
}

void mlir::tile::ascend::expandWideLines(tl::KernelOp kernel) {
  kernel.walk([](tl::ReduceOp op) {
    if (isWide(op.getSource()) && isWide(op.getTarget()))
      expand(op);
  });
  kernel.walk([](tl::ScanOp op) {
    if (isWide(op.getSource()))
      expand(op);
  });
}
