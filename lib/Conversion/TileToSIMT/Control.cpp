//===- Control.cpp - loops, hints, barriers -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncPipeline.h"
#include "ClusterSum.h"
#include "Models.h"
#include "OpaqueThreads.h"
#include "PackedCodes.h"
#include "Steps.h"

#include "Tile/Conversion/Common.h"
#include "Tile/Conversion/TileToSIMT/Teams.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

// A loop without registers is unrolled up to this many steps of a thread.
static constexpr int64_t kMaxUnrolledSteps = 64;

//===----------------------------------------------------------------------===//
// tile.parallel
//===----------------------------------------------------------------------===//

std::optional<int64_t> ParallelScope::evaluate(Value value) const {
  if (auto it = registerParts.find(value); it != registerParts.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = evaluate(operand);
    if (!known)
      return std::nullopt;
    Type type = operand.getType();
    if (!isa<IndexType, IntegerType>(type))
      return std::nullopt;
    operands.push_back(IntegerAttr::get(type, *known));
  }
  SmallVector<OpFoldResult> results;
  if (operands.empty() || failed(op->fold(operands, results)) ||
      results.size() != op->getNumResults())
    return std::nullopt;
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto attr = dyn_cast<Attribute>(results[number]))
    return getConstantIntValue(OpFoldResult(attr));
  return evaluate(cast<Value>(results[number]));
}

namespace {
struct ParallelModel
    : SIMTLoweringOpInterface::ExternalModel<ParallelModel, ParallelOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto loop = cast<ParallelOp>(op);
    if (llvm::is_contained(loop.getStaticExtents(), 0))
      return success();
    SmallVector<Operation *> clones;
    FailureOr<Value> guard = Value();
    auto &scope = l.getState<ParallelScope>();
    scope.registerParts.clear();
    std::optional<::tile::layout::Layout> layout = getLayout(loop, l);
    unrollSerialLoops(
        loop, layout ? layout->axisSize(::tile::layout::Axis::Reg) : 1, l);
    if (!layout && loop->hasAttr(kClusterSumAttrName))
      return reportClusterSum(loop);
    if (layout && emitPackedCodes(loop, *layout, l))
      return success();
    if (layout)
      guard = emitPartition(loop, *layout, l, clones);
    else
      emitStrided(loop, l, clones);
    if (failed(guard))
      return failure();
    llvm::SaveAndRestore<bool> isInLoop(scope.isInLoop, true);
    llvm::SaveAndRestore<Value> writes(scope.writeGuard, *guard);
    for (Operation *clone : clones)
      if (failed(l.lower(clone)))
        return failure();
    return success();
  }

private:
  /// None if the loop strides over its iterations.
  static std::optional<::tile::layout::Layout> getLayout(ParallelOp loop,
                                                         KernelLowering &l) {
    if (LayoutAttr attr = loop.getLayoutAttr())
      return getTileLayout(attr);
    if (ShapedType::isDynamicShape(loop.getStaticExtents()))
      return std::nullopt;
    auto layout =
        getCoalescedLayout(loop.getStaticExtents(),
                           loop.getCoalescedWidth().value_or(1), l.threads());
    if (layout.axisSize(::tile::layout::Axis::Reg) > kMaxUnrolledSteps)
      return std::nullopt;
    return layout;
  }

  static void cloneBody(ParallelOp loop, KernelLowering &l, ValueRange ivs,
                        SmallVectorImpl<Operation *> &clones) {
    IRMapping mapping;
    mapping.map(loop.getBody().front().getArguments(), ivs);
    for (Operation &inner : loop.getBody().front())
      clones.push_back(l.builder().clone(inner, mapping));
  }

  /// Registers have no numbers at run time.
  static bool usesRegisters(ParallelOp loop) {
    return loop
        .walk([](Operation *op) {
          return llvm::any_of(op->getOperands(),
                              [](Value operand) {
                                return isa<MemRefType>(operand.getType()) &&
                                       llvm::is_contained(
                                           {MemorySpace::Fragment,
                                            MemorySpace::Local},
                                           getMemorySpace(operand));
                              })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether a branch runs it for the tiles that reach past a buffer: the
  /// others have a loop of their own.
  static bool isRare(ParallelOp loop) {
    return isa<scf::IfOp>(loop->getParentOp()) &&
           llvm::any_of(loop.getBody().front(), llvm::IsaPred<scf::IfOp>);
  }

  /// Returns which threads write to memory; null: all.
  static FailureOr<Value> emitPartition(ParallelOp loop,
                                        const ::tile::layout::Layout &layout,
                                        KernelLowering &l,
                                        SmallVectorImpl<Operation *> &clones) {
    OpBuilder &b = l.builder();
    Location loc = loop.getLoc();
    ThreadMap map(layout, isRare(loop) ? makeThreadsOpaque(l, loc)
                                 : l.threads());
    map.materialize(b, loc);
    if (loop->hasAttr(kClusterSumAttrName)) {
      if (failed(emitClusterSum(loop, map, l, clones)))
        return failure();
    } else if (map.numRegisters() > kMaxUnrolledSteps && !usesRegisters(loop)) {
      emitStepsInLoop(loop, map, l, clones);
    } else {
      emitSteps(loop, map, l, clones);
    }
    return map.getFirstCopy();
  }

  static void emitStrided(ParallelOp loop, KernelLowering &l,
                          SmallVectorImpl<Operation *> &clones) {
    OpBuilder &b = l.builder();
    Location loc = loop.getLoc();
    SmallVector<Value> extents =
        getValueOrCreateConstantIndexOp(b, loc, loop.getMixedExtents());
    Value total = constantIndex(b, loc, 1);
    for (Value &extent : extents) {
      // A negative extent has no points, and two of them neither.
      extent = b.createOrFold<arith::MaxSIOp>(loc, extent,
                                              constantIndex(b, loc, 0));
      total = b.createOrFold<arith::MulIOp>(loc, total, extent);
    }
    auto forLoop = scf::ForOp::create(
        b, loc, l.toIndex(loc, l.threads().thread), total,
        constantIndex(b, loc, l.threads().size()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forLoop.getBody());
    SmallVector<Value> ivs(extents.size());
    Value rest = forLoop.getInductionVar();
    for (size_t dim = extents.size(); dim-- > 1;) {
      ivs[dim] = b.createOrFold<arith::RemUIOp>(loc, rest, extents[dim]);
      rest = b.createOrFold<arith::DivUIOp>(loc, rest, extents[dim]);
    }
    ivs[0] = rest;
    cloneBody(loop, l, ivs, clones);
  }
};

//===----------------------------------------------------------------------===//
// Serial loops
//===----------------------------------------------------------------------===//

LogicalResult moveBody(Region &from, Block *to, ValueRange args,
                       KernelLowering &l) {
  Block &body = from.front();
  for (auto [arg, value] : llvm::zip(body.getArguments(), args))
    arg.replaceAllUsesWith(value);
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    ops.push_back(&op);
  to->getOperations().splice(to->getTerminator()->getIterator(),
                             body.getOperations());
  for (Operation *op : ops)
    if (failed(l.lower(op)))
      return failure();
  return success();
}

struct PipelinedModel
    : SIMTLoweringOpInterface::ExternalModel<PipelinedModel, PipelinedOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto loop = cast<PipelinedOp>(op);
    OpBuilder &b = l.builder();
    SmallVector<Value> bounds = getValueOrCreateConstantIndexOp(
        b, op->getLoc(), loop.getMixedBounds());
    auto forLoop = scf::ForOp::create(b, op->getLoc(), bounds[0], bounds[1],
                                      bounds[2]);
    return moveBody(loop.getBody(), forLoop.getBody(),
                    forLoop.getInductionVar(), l);
  }
};

struct PersistentModel
    : SIMTLoweringOpInterface::ExternalModel<PersistentModel, PersistentOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto loop = cast<PersistentOp>(op);
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    SmallVector<Value> domain =
        getValueOrCreateConstantIndexOp(b, loc, loop.getMixedDomain());
    // A negative extent has no points.
    for (Value &extent : domain)
      extent = b.createOrFold<arith::MaxSIOp>(loc, extent,
                                              constantIndex(b, loc, 0));
    Value first = constantIndex(b, loc, 0), blocks = constantIndex(b, loc, 1);
    const Grid &grid = l.getGrid();
    if (grid.isPersistent) {
      first = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
      blocks = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
    } else {
      for (auto [id, extent] : llvm::reverse(llvm::zip(grid.ids, grid.extents))) {
        first = b.createOrFold<arith::MulIOp>(loc, first, extent);
        first = b.createOrFold<arith::AddIOp>(loc, first, id);
        blocks = b.createOrFold<arith::MulIOp>(loc, blocks, extent);
      }
    }
    Value points = constantIndex(b, loc, 1);
    for (Value extent : domain)
      points = b.createOrFold<arith::MulIOp>(loc, points, extent);
    // Teams take the points of the block in turns.
    Teams teams = l.getState<Teams>();
    if (teams.sharePoints) {
      Value ahead = arith::MulIOp::create(b, loc, blocks,
                                          l.toIndex(loc, teams.number));
      first = arith::AddIOp::create(b, loc, first, ahead);
      blocks = arith::MulIOp::create(b, loc, blocks,
                                     constantIndex(b, loc, teams.count));
    }
    auto forLoop = scf::ForOp::create(b, loc, first, points, blocks);
    OpBuilder inner = OpBuilder::atBlockBegin(forLoop.getBody());
    SmallVector<Value> point = getPersistentPoint(inner, loc, forLoop.getInductionVar(),
                                        domain, loop.getGroup());
    if (failed(moveBody(loop.getBody(), forLoop.getBody(), point, l)))
      return failure();
    if (teams.sharePoints) {
      b.setInsertionPoint(forLoop.getBody()->getTerminator());
      passOverPoints(l, loc, l.i32(loc, teams.count - 1));
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Hints, barriers, groups of copies
//===----------------------------------------------------------------------===//

template <typename OpTy>
struct DropModel
    : SIMTLoweringOpInterface::ExternalModel<DropModel<OpTy>, OpTy> {
  LogicalResult lowerToThreads(Operation *, KernelLowering &) const {
    return success();
  }
};

struct AssumeModel
    : SIMTLoweringOpInterface::ExternalModel<AssumeModel, AssumeOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    LLVM::AssumeOp::create(l.builder(), op->getLoc(),
                           cast<AssumeOp>(op).getCondition());
    return success();
  }
};

struct BarrierModel
    : SIMTLoweringOpInterface::ExternalModel<BarrierModel, BarrierOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto barrier = cast<BarrierOp>(op);
    if (barrier.getAsync())
      l.getSIMT().fenceAsyncEngines(l, op->getLoc(), barrier.getGlobal());
    if (op->hasAttr(kWarpgroupsAttrName))
      meetInGroup(l, op->getLoc());
    else
      l.barrier(op->getLoc());
    return success();
  }
};

struct AsyncCommitModel
    : SIMTLoweringOpInterface::ExternalModel<AsyncCommitModel, AsyncCommitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    l.getSIMT().commitAsyncCopies(l, op->getLoc());
    return success();
  }
};

struct AsyncWaitModel
    : SIMTLoweringOpInterface::ExternalModel<AsyncWaitModel, AsyncWaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    l.getSIMT().waitForAsyncCopies(l, op->getLoc(),
                                   cast<AsyncWaitOp>(op).getPending());
    return success();
  }
};
} // namespace

void simt::attachControlModels(MLIRContext *context) {
  ParallelOp::attachInterface<ParallelModel>(*context);
  PipelinedOp::attachInterface<PipelinedModel>(*context);
  PersistentOp::attachInterface<PersistentModel>(*context);
  AssumeOp::attachInterface<AssumeModel>(*context);
  BarrierOp::attachInterface<BarrierModel>(*context);
  AsyncCommitOp::attachInterface<AsyncCommitModel>(*context);
  AsyncWaitOp::attachInterface<AsyncWaitModel>(*context);
  AnnotateLayoutOp::attachInterface<DropModel<AnnotateLayoutOp>>(*context);
  PaddingValueOp::attachInterface<DropModel<PaddingValueOp>>(*context);
  RasterizeOp::attachInterface<DropModel<RasterizeOp>>(*context);
}
