//===- LoopRewriter.cpp - multi-buffered loops ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRewriter.h"

#include "Tile/Dialect/Ascend/Transforms/Memory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

static bool isTransfer(Pipe pipe) {
  return pipe == Pipe::MTE1 || pipe == Pipe::MTE2 || pipe == Pipe::MTE3 ||
         pipe == Pipe::FIX;
}

llvm::MapVector<Value, SmallVector<unsigned, 4>>
LoopRewriter::findTouched() const {
  llvm::MapVector<Value, SmallVector<unsigned, 4>> touched;
  for (auto [number, part] : llvm::enumerate(parts))
    for (const PartTouch &touch : getTouches(part)) {
      if (!touch.base.getDefiningOp<tl::AllocOp>() && !isWorkspace(touch.base))
        continue;
      SmallVector<unsigned, 4> &numbers = touched[touch.base];
      if (!llvm::is_contained(numbers, number))
        numbers.push_back(number);
    }
  return touched;
}

DenseSet<Value> LoopRewriter::findGaining() {
  llvm::SetVector<Value> gaining;
  for (const LoopPart &part : parts)
    for (const PartTouch &touch : getTouches(part))
      if (isTransfer(touch.pipe) && touch.base.getDefiningOp<tl::AllocOp>() &&
          isPrivate(touch.base, loop))
        gaining.insert(touch.base);
  auto order = llvm::to_vector(gaining);
  llvm::stable_sort(order, [](Value a, Value c) {
    return getAllocatedBytes(cast<MemRefType>(a.getType())) <
           getAllocatedBytes(cast<MemRefType>(c.getType()));
  });
  Singles left = singles;
  DenseSet<Value> several;
  for (Value buffer : order) {
    MemorySpace space = tl::getMemorySpace(buffer);
    ++numGaining[space];
    unsigned &single = left[space];
    if (single == 0)
      several.insert(buffer);
    else
      --single;
  }
  return several;
}

void LoopRewriter::createVersions(Value buffer, int64_t count) {
  Operation *alloc = buffer.getDefiningOp();
  alloc->setAttr(AscendDialect::kMultiBufferAttr, b.getI64IntegerAttr(count));
  auto &all = versions[buffer];
  all.push_back(buffer);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(alloc);
  for (int64_t stage = 1; stage < count; ++stage)
    all.push_back(b.clone(*alloc)->getResult(0));
}

void LoopRewriter::enlargeWorkspaces() {
  for (auto [workspace, tiles] : workspaces) {
    OpBuilder at(workspace);
    Value count = arith::ConstantIndexOp::create(at, workspace.getLoc(), tiles);
    Value size = arith::MulIOp::create(at, workspace.getLoc(),
                                       workspace.getDynamicSizes()[0], count);
    workspace.getDynamicSizesMutable().assign(size);
  }
}

Value LoopRewriter::createVariable(Value iv, int64_t later) {
  if (later == 0)
    return iv;
  if (auto step = getConstantIntValue(loop.getStep()))
    return affine::AffineApplyOp::create(
        b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0) + *step * later),
        iv);
  Value count = arith::ConstantIndexOp::create(b, loc, later);
  Value distance = arith::MulIOp::create(b, loc, loop.getStep(), count);
  return arith::AddIOp::create(b, loc, iv, distance);
}

/// The part of a workspace that belongs to one iteration.
void LoopRewriter::moveToStage(memref::SubViewOp view, int64_t iteration) {
  int64_t tiles =
      workspaces.lookup(view.getSource().getDefiningOp<memref::AllocOp>());
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(view);
  AffineExpr at = b.getAffineDimExpr(0) * tiles + llvm::mod(iteration, tiles);
  offsets[0] = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, at), {offsets[0]});
  Value block = getValueOrCreateConstantIndexOp(b, loc, offsets[0]);
  view.getOffsetsMutable().slice(0, 1).assign(block);
}

void LoopRewriter::clone(Operation *op, IRMapping &mapping, int64_t iteration) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    Operation *def = value.getDefiningOp();
    if (!def || mapping.contains(value))
      continue;
    bool isView = isa<ViewLikeOpInterface>(def) &&
                  mapping.contains(tl::getBaseBuffer(value));
    if (isView || def->getBlock() == loop.getBody())
      clone(def, mapping, iteration);
  }
  auto view = dyn_cast<memref::SubViewOp>(b.clone(*op, mapping));
  if (view && isWorkspace(view.getSource()))
    moveToStage(view, iteration);
}

IRMapping LoopRewriter::mapIteration(Value iv, int64_t iteration) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iv);
  for (auto &[buffer, all] : versions)
    mapping.map(buffer, all[llvm::mod(iteration, int64_t(all.size()))]);
  return mapping;
}
