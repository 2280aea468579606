//===- Runs.cpp - accesses of neighbouring elements -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runs.h"

#include "Tile/Analysis/SymbolicExpr.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

/// Whether `run` elements of the last dimension, from a multiple of `run` on,
/// are neighbours in a shared tile and begin at a multiple of it.
static bool keepsRuns(const Layout &layout, int64_t run) {
  const ::tile::layout::Digit *lowest = nullptr;
  for (const ::tile::layout::Dim &dim : layout.dims())
    for (const ::tile::layout::Digit &digit : dim.digits)
      if (digit.extent > 1 && digit.stride == 1)
        lowest = &digit;
  if (!lowest || lowest->axis != Axis::Offset || lowest->extent % run != 0)
    return false;
  // It has to be the last one of the last dimension.
  const ::tile::layout::Digit *last = nullptr;
  for (const ::tile::layout::Digit &digit : layout.dims().back().digits)
    if (digit.extent > 1)
      last = &digit;
  auto isMultiple = [&](const ::tile::layout::Digit &digit) {
    return &digit == lowest || digit.extent == 1 || digit.stride % run == 0;
  };
  ::tile::layout::Swizzle swizzle = layout.swizzle();
  return last == lowest &&
         llvm::all_of(layout.dims(),
                      [&](const ::tile::layout::Dim &dim) {
                        return llvm::all_of(dim.digits, isMultiple);
                      }) &&
         (swizzle.isIdentity() || run <= int64_t(1) << swizzle.base);
}

static bool keepsRuns(const Buffer &buffer, int64_t run) {
  if (buffer.space == MemorySpace::Shared)
    return keepsRuns(buffer.layout, run);
  int64_t bytes = run * getElementBits(buffer.element) / 8;
  return buffer.space == MemorySpace::Global && buffer.alignment % bytes == 0 &&
         isConstantIntValue(buffer.strides.back(), 1) &&
         llvm::all_of(ArrayRef(buffer.strides).drop_back(),
                      [&](OpFoldResult stride) {
                        std::optional<int64_t> known =
                            getConstantIntValue(stride);
                        return known && *known % run == 0;
                      });
}

SmallVector<Operation *> simt::findRun(Operation *op, const Buffer &buffer,
                                       int64_t most, IndicesOf getIndices) {
  SmallVector<Operation *> run{op};
  std::optional<SmallVector<Value>> first = getIndices(op);
  // Of a buffer of rank 0 there is one element, and no stride to ask.
  if (!first || first->empty())
    return run;
  while (most > 1 && !keepsRuns(buffer, most))
    most /= 2;
  if (most == 1)
    return run;
  SymbolicExprs exprs(op->getContext(), [](Operation *) {
    return SymbolicExprs::Identity::Operation;
  });
  auto isNeighbour = [&](Operation *next) {
    std::optional<SmallVector<Value>> at =
        next ? getIndices(next) : std::optional<SmallVector<Value>>();
    if (!at)
      return false;
    for (auto [dim, pair] : llvm::enumerate(llvm::zip(*at, *first))) {
      auto [own, other] = pair;
      int64_t wanted = dim + 1 == at->size() ? run.size() : 0;
      if (own == other ? wanted != 0
                       : exprs.getDifference(exprs.get(own),
                                             exprs.get(other)) != wanted)
        return false;
    }
    return true;
  };
  // What is read later may be read now, but values to write are not there yet.
  auto getNext = [&] {
    Operation *next = run.back()->getNextNode();
    while (isa<memref::LoadOp>(op) && next && next->getNumRegions() == 0 &&
           isMemoryEffectFree(next))
      next = next->getNextNode();
    return next;
  };
  for (Operation *next = getNext();
       int64_t(run.size()) < most && isNeighbour(next); next = getNext())
    run.push_back(next);
  int64_t count = llvm::bit_floor(run.size());
  if (count > 1) {
    AffineExpr place = exprs.simplify(exprs.get(first->back()));
    while (!place.isMultipleOf(count))
      count /= 2;
  }
  run.resize(count);
  return run;
}

int64_t simt::getVectorRun(KernelLowering &l, const Buffer &buffer) {
  int64_t bits = getElementBits(buffer.element);
  return buffer.isRegister() || bits < 8 ||
                 getStorageType(buffer.element).getIntOrFloatBitWidth() != bits
             ? 1
             : 8 * l.getGPU().vectorBytes / bits;
}

namespace {
/// Ops that were lowered with one before them.
struct DoneOps {
  DenseSet<Operation *> ops;
};
} // namespace

void simt::setDone(KernelLowering &l, ArrayRef<Operation *> run) {
  l.getState<DoneOps>().ops.insert_range(run.drop_front());
}

bool simt::takeDone(KernelLowering &l, Operation *op) {
  return l.getState<DoneOps>().ops.erase(op);
}
