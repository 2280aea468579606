//===- Uniformity.cpp - uniform values of a block -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Uniformity.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

SmallVector<Value> tile::getControlOperands(Operation *op) {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  if (auto loop = dyn_cast<affine::AffineForOp>(op)) {
    SmallVector<Value> bounds(loop.getLowerBoundOperands());
    llvm::append_range(bounds, loop.getUpperBoundOperands());
    return bounds;
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return llvm::to_vector(op->getOperands());
  SmallVector<Value> bounds;
  for (std::optional<SmallVector<OpFoldResult>> part :
       {loop.getLoopLowerBounds(), loop.getLoopUpperBounds(),
        loop.getLoopSteps()})
    for (OpFoldResult bound : part.value_or(SmallVector<OpFoldResult>()))
      if (auto value = dyn_cast<Value>(bound))
        bounds.push_back(value);
  return bounds;
}

Value Uniformity::findDivergence(Value value) {
  Value divergent = visit(value);
  // What was called uniform on the way to a divergence may rest on an assumption about a loop that turned out wrong.
  if (divergent)
    known.clear();
  return divergent;
}

Value Uniformity::findDivergence(ValueRange values) {
  for (Value value : values)
    if (Value divergent = findDivergence(value))
      return divergent;
  return {};
}

Value Uniformity::visit(ValueRange values) {
  for (Value value : values)
    if (Value divergent = visit(value))
      return divergent;
  return {};
}

Value Uniformity::visit(Value value) {
  // A value that depends on itself through a loop is uniform unless something else makes it differ.
  auto [it, inserted] = known.try_emplace(value, Value());
  if (!inserted)
    return it->second;
  Operation *op = value.getDefiningOp();
  Value divergent = op ? compute(op) : compute(cast<BlockArgument>(value));
  // The thread coordinates themselves.
  if (op &&
      isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::GlobalIdOp, gpu::SubgroupIdOp>(
          op))
    divergent = value;
  known[value] = divergent;
  return divergent;
}

/// What the regions of an op, and the arguments of its blocks, hand on.
Value Uniformity::visitYields(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
        if (Value divergent = visit(block.back().getOperands()))
          return divergent;
  return {};
}

Value Uniformity::compute(BlockArgument arg) {
  Operation *parent = arg.getOwner()->getParentOp();
  if (isa<ParallelOp>(parent))
    return arg;
  if (isa<KernelOp, PersistentOp, PipelinedOp, FunctionOpInterface>(parent) &&
      arg.getOwner()->isEntryBlock())
    return {};
  // An iteration variable, a value that a loop carries, or an argument of a block that branches lead to.
  if (!isa<FunctionOpInterface>(parent))
    if (Value divergent = visit(parent->getOperands()))
      return divergent;
  for (Block *before : arg.getOwner()->getPredecessors())
    if (Value divergent = visit(before->getTerminator()->getOperands()))
      return divergent;
  return arg.getOwner()->isEntryBlock() ? visitYields(parent) : Value();
}

Value Uniformity::compute(Operation *op) {
  SmallVector<Access> accesses;
  if (succeeded(collectAccesses(op, accesses)))
    for (const Access &access : accesses)
      if (access.kind != AccessKind::Write &&
          getMemorySpace(access.region.buffer) == MemorySpace::Local)
        return op->getNumResults() ? op->getResult(0) : Value();
  if (Value divergent = visit(op->getOperands()))
    return divergent;
  return visitYields(op);
}
