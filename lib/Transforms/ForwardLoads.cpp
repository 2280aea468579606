//===- ForwardLoads.cpp - elements read where a tile has them from --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutPlacement.h"
#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether the elements are the same, or the load can widen them.
static bool isWidened(Type from, Type to) {
  auto narrow = dyn_cast<FloatType>(from), wide = dyn_cast<FloatType>(to);
  return from == to || (narrow && wide && getElementBits(from) >= 8 &&
                        APFloat::isRepresentableBy(narrow.getFloatSemantics(),
                                                   wide.getFloatSemantics()));
}

/// The copy in front of the load that alone fills the tile, from a global
/// buffer that holds the same elements for as long as the kernel runs.
static CopyOp findConstantSource(memref::LoadOp load,
                                 const ProducerValues &values) {
  CopyOp fill;
  for (Operation *user : load.getMemref().getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (isa<memref::LoadOp>(user) ||
        (copy && copy.getSource() == load.getMemref()))
      continue;
    if (!copy || fill)
      return nullptr;
    fill = copy;
  }
  if (!fill || fill.getSignal() || !isWhole(fill.getTargetRegion()))
    return nullptr;
  BufferRegion source = fill.getSourceRegion();
  Operation *place = fill->getBlock()->findAncestorOpInBlock(*load);
  bool isSame = getMemorySpace(source.getType()) == MemorySpace::Global &&
                isWidened(source.getType().getElementType(), load.getType()) &&
                findOpenBounds(fill, source).empty() &&
                !values.isWritten(source.buffer);
  return isSame && place && fill->isBeforeInBlock(place) ? fill : nullptr;
}

/// Whether a shared tile gains nothing: it is copied by the threads that wait
/// for it, and each element is read once, with its neighbours.
static bool isReadOnce(memref::LoadOp load, CopyOp fill) {
  auto choice = fill.getInstructionAttr();
  auto loop = dyn_cast<ParallelOp>(load->getParentOp());
  if (!choice || choice.getFamily() != Instruction::Sync || fill.getPrefer() ||
      fill.getCoalescedWidth() || !loop || load.getIndices().empty() ||
      !fill.getTarget().hasNUses(2) || fill.getSourceRegion().sizes.back() == 1)
    return false;
  Block &body = loop.getBody().front();
  if (load.getIndices().back() != body.getArguments().back())
    return false;
  DenseSet<Value> left(body.args_begin(), body.args_end());
  for (Operation *parent = loop->getParentOp(); parent != fill->getParentOp();
       parent = parent->getParentOp()) {
    if (auto outer = dyn_cast<scf::ForOp>(parent))
      left.insert(outer.getInductionVar());
    else if (!isa<scf::IfOp>(parent))
      return false;
  }
  for (Value index : load.getIndices())
    if (!left.erase(index) && !matchPattern(index, m_Constant()))
      return false;
  return left.empty();
}

/// Reads the element where the copy has read it.
static void readSource(memref::LoadOp load, CopyOp fill) {
  BufferRegion source = fill.getSourceRegion();
  OpBuilder b(load);
  SmallVector<Value> inTile;
  for (auto [extent, index] :
       llvm::zip(load.getMemRefType().getShape(), load.getIndices()))
    if (extent != 1)
      inTile.push_back(index);
  auto next = inTile.begin();
  SmallVector<Value> indices;
  for (auto [dim, size] : llvm::enumerate(source.sizes)) {
    AffineMap place = getOffset(source, dim);
    SmallVector<OpFoldResult> operands = getAsOpFoldResult(source.operands);
    if (size != 1) {
      unsigned last = place.getNumDims();
      operands.insert(operands.begin() + last, *next++);
      place = AffineMap::get(last + 1, place.getNumSymbols(),
                             place.getResult(0) + b.getAffineDimExpr(last));
    }
    indices.push_back(getValueOrCreateConstantIndexOp(
        b, load.getLoc(),
        affine::makeComposedFoldedAffineApply(b, load.getLoc(), place,
                                              operands)));
  }
  Value value =
      memref::LoadOp::create(b, load.getLoc(), source.buffer, indices);
  if (value.getType() != load.getType())
    value = arith::ExtFOp::create(b, load.getLoc(), load.getType(), value);
  load.replaceAllUsesWith(value);
  load.erase();
}

/// No access may pass what orders memory, and hand-written orders name the ops
/// of their loops.
static bool hasFixedOrder(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto loop = dyn_cast<PipelinedOp>(op);
        return ordersMemory(op) || (loop && loop.getOrder())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void mlir::tile::forwardLoads(KernelOp kernel) {
  if (hasFixedOrder(kernel))
    return;
  ProducerValues values(kernel);
  llvm::SetVector<CopyOp> fills;
  kernel.walk([&](memref::LoadOp load) {
    MemorySpace space = getMemorySpace(load.getMemref());
    bool isOfBlock =
        space == MemorySpace::Fragment && !load->getParentOfType<ParallelOp>();
    if (!isOfBlock && space != MemorySpace::Shared)
      return;
    CopyOp fill = findConstantSource(load, values);
    if (!fill || (!isOfBlock && !isReadOnce(load, fill)))
      return;
    remark::passed(
        load.getLoc(),
        remark::RemarkOpts::name("Placement").category("tile-infer-layout"))
        << "reads the global memory that the tile is a copy of";
    readSource(load, fill);
    fills.insert(fill);
  });
  for (CopyOp fill : fills) {
    auto alloc = fill.getTarget().getDefiningOp<AllocOp>();
    if (!alloc || !alloc->hasOneUse())
      continue;
    fill.erase();
    alloc.erase();
  }
}
