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

static bool isLocal(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && getMemorySpace(type) == MemorySpace::Local;
}

Value Uniformity::findDivergence(Value value) {
  Value divergent = isLocal(value) ? visitLocal(value) : visit(value);
  // What was called uniform on the way to a divergence may rest on an assumption about a loop that turned out wrong.
  if (divergent) {
    known.clear();
    locals.clear();
  }
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
      if (access.kind != AccessKind::Write && isLocal(access.region.buffer))
        if (visitLocal(access.region.buffer))
          return op->getNumResults() ? op->getResult(0) : Value();
  if (Value divergent = visit(op->getOperands()))
    return divergent;
  return visitYields(op);
}

//===----------------------------------------------------------------------===//
// Local buffers
//===----------------------------------------------------------------------===//

Value Uniformity::visitLocal(Value buffer) {
  Value base = getBaseBuffer(buffer);
  // It is uniform unless something else than what it is read for itself makes it differ.
  auto [it, inserted] = locals.try_emplace(base, Value());
  if (!inserted)
    return it->second;
  // Somebody else may have given it.
  Value divergent = base.getDefiningOp<AllocOp>() ? visitWrites(base) : base;
  locals[base] = divergent;
  return divergent;
}

/// Whether all threads reach `op`, as far as the kernel goes; the divergence otherwise.
static Value visitControl(Operation *op, llvm::function_ref<Value(ValueRange)> visit) {
  for (Operation *parent = op->getParentOp(); parent && !isa<KernelOp, FunctionOpInterface>(parent);
       parent = parent->getParentOp()) {
    if (auto parallel = dyn_cast<ParallelOp>(parent))
      return parallel.getBody().getArgument(0);
    if (Value divergent = visit(getControlOperands(parent)))
      return divergent;
  }
  return {};
}

/// The first write that differs between threads, or that may, since nothing tells what it is.
Value Uniformity::visitWrites(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      if (Value divergent = visitWrites(view.getViewDest()))
        return divergent;
      continue;
    }
    SmallVector<Access> accesses;
    // Or what hands the buffer on.
    if (failed(collectAccesses(user, accesses)) || (accesses.empty() && !isa_and_nonnull<TileDialect>(user->getDialect())))
      return buffer;
    bool writes = llvm::any_of(accesses, [&](const Access &access) {
      return access.kind != AccessKind::Read && access.region.buffer == buffer;
    });
    if (!writes)
      continue;
    if (Value divergent = visitControl(user, [&](ValueRange values) { return visit(values); }))
      return divergent;
    for (Value operand : user->getOperands())
      if (Value divergent = !isa<MemRefType>(operand.getType()) ? visit(operand)
                            : isLocal(operand) && operand != buffer ? visitLocal(operand)
                                                                    : Value())
        return divergent;
  }
  return {};
}
