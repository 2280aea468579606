//===- ScalarWork.cpp - what scalar code computes -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarWork.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::cost::ScalarWork;

namespace {
/// Instructions of a function without fast maths: of the unit for special
/// functions, and others.
struct FunctionCost {
  double special, arithmetic;
};
} // namespace

static FunctionCost getFunctionCost(StringRef name) {
  return llvm::StringSwitch<FunctionCost>(name)
      .Cases({"math.exp2", "math.rsqrt"}, {1, 3})
      .Cases({"math.exp", "math.sqrt"}, {1, 6})
      .Cases({"math.log", "math.log2", "math.log10", "math.log1p"}, {1, 10})
      .Cases({"math.tanh", "math.powf", "math.expm1"}, {2, 12})
      .Cases({"math.sin", "math.cos"}, {1, 20})
      .Case("math.erf", {1, 20})
      .Case("arith.divf", {1, 8})
      .Case("arith.remf", {1, 12})
      .Default({0, 1});
}

static bool isFast(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  return fast && fast.getFastMathFlagsAttr() &&
         bitEnumContainsAny(fast.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::afn);
}

namespace {
class WorkCounter {
public:
  explicit WorkCounter(ParallelOp parallel)
      : innermost(parallel.getBody().front().getArguments().back()) {}

  void add(Block &block, double times);
  ScalarWork work;

private:
  void addOp(Operation &op, double times);
  void addAccess(Value buffer, double times);
  bool varies(Value value);

  Value innermost;
  DenseMap<Value, bool> known;
};
} // namespace

/// Whether the value differs along the last dimension.
bool WorkCounter::varies(Value value) {
  if (value == innermost)
    return true;
  auto [it, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return it->second;
  bool result = false;
  if (Operation *op = value.getDefiningOp())
    result = llvm::any_of(op->getOperands(), [&](Value v) { return varies(v); });
  else if (auto *parent = value.getParentBlock()->getParentOp())
    // What a loop counts or carries.
    result = !isa<ParallelOp, KernelOp, FunctionOpInterface>(parent);
  known[value] = result;
  return result;
}

void WorkCounter::addAccess(Value buffer, double times) {
  double bytes = double(getElementBits(buffer)) / 8 * times;
  MemorySpace space = getMemorySpace(buffer);
  if (space == MemorySpace::Global)
    work.globalBytes += bytes;
  else if (space == MemorySpace::Shared)
    work.sharedBytes += bytes;
}

void WorkCounter::addOp(Operation &op, double times) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (llvm::any_of(load.getIndices(), [&](Value v) { return varies(v); }))
      addAccess(load.getMemref(), times);
    return;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return addAccess(store.getMemref(), times);
  if (op.getNumResults() != 1 || op.getNumOperands() == 0 ||
      op.getResult(0).getType().isIndex() || !varies(op.getResult(0)))
    return;
  if (isa<CastOpInterface>(op)) {
    // bf16 is the upper half of f32.
    bool isShift = isa<arith::ExtFOp>(op) && op.getOperand(0).getType().isBF16();
    (isShift ? work.arithmetic : work.conversions) += times;
    return;
  }
  FunctionCost cost = getFunctionCost(op.getName().getStringRef());
  work.special += cost.special * times;
  work.arithmetic += (isFast(&op) && cost.special ? 1 : cost.arithmetic) * times;
}

void WorkCounter::add(Block &block, double times) {
  for (Operation &op : block) {
    double inner = times;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (std::optional<APInt> trips = loop.getStaticTripCount())
        inner *= double(trips->getZExtValue());
    if (op.getNumRegions() == 0)
      addOp(op, times);
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        add(nested, inner);
  }
}

ScalarWork mlir::tile::countScalarWork(ParallelOp parallel) {
  WorkCounter counter(parallel);
  counter.add(parallel.getBody().front(), 1);
  return counter.work;
}
