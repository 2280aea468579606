//===- TileToAscend.cpp - the pass ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/Common.h"
#include "Tile/Conversion/TileToAscend/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETOASCENDPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

KernelLowering::KernelLowering(tl::KernelOp kernel)
    : kernel(kernel), chip(*getChip(kernel)), spec(*chip.getAscend()),
      b(kernel.getContext()) {
  for (auto hint : kernel.getBody().getOps<tl::SafeValueOp>())
    safeValues[hint.getBuffer()] = hint.getValue();
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  b.setInsertionPoint(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tl::CopyOp>([&](auto copy) { return lowerCopy(copy); })
      .Case<tl::FillOp>([&](auto fill) { return lowerFill(fill); })
      .Case<tl::ReduceOp>([&](auto reduce) { return lowerReduce(reduce); })
      .Case<tl::GemmOp>([&](auto gemm) { return lowerGemm(gemm); })
      .Default([&](Operation *) {
        return op->emitError() << "'" << op->getName()
                               << "' cannot be lowered to Ascend";
      });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static void inlineBody(Operation *op, scf::ForOp loop,
                       ValueRange args) {
  Block &from = op->getRegion(0).front();
  for (auto [arg, value] : llvm::zip_equal(from.getArguments(), args))
    arg.replaceAllUsesWith(value);
  Block *to = loop.getBody();
  to->getOperations().splice(to->getTerminator()->getIterator(),
                             from.getOperations());
  op->erase();
}

static void lowerPipelined(OpBuilder &b, tl::PipelinedOp op) {
  b.setInsertionPoint(op);
  SmallVector<Value> bounds =
      getValueOrCreateConstantIndexOp(b, op.getLoc(), op.getMixedBounds());
  auto loop =
      scf::ForOp::create(b, op.getLoc(), bounds[0], bounds[1], bounds[2]);
  inlineBody(op, loop, loop.getInductionVar());
}

static Value product(OpBuilder &b, Location loc, ValueRange values) {
  Value result = values.front();
  for (Value value : values.drop_front())
    result = arith::MulIOp::create(b, loc, result, value);
  return result;
}

static void lowerPersistent(OpBuilder &b, tl::PersistentOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto kernel = cast<tl::KernelOp>(op->getParentOp());
  SmallVector<Value> grid =
      getValueOrCreateConstantIndexOp(b, loc, kernel.getMixedGrid());
  SmallVector<Value> domain =
      getValueOrCreateConstantIndexOp(b, loc, op.getMixedDomain());
  // A negative extent has no points.
  for (Value &extent : domain)
    extent = b.createOrFold<arith::MaxSIOp>(
        loc, extent, arith::ConstantIndexOp::create(b, loc, 0));
  Value block = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [arg, extent] :
       llvm::reverse(llvm::zip(kernel.getBody().getArguments(), grid)))
    block = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, block, extent), arg);
  auto loop = scf::ForOp::create(b, loc, block, product(b, loc, domain),
                                 product(b, loc, grid));
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> point =
      tl::getPersistentPoint(b, loc, loop.getInductionVar(), domain, op.getGroup());
  inlineBody(op, loop, point);
}

/// Loops go last: bounds of regions are proven from them.
void KernelLowering::lowerControl() {
  kernel.walk([&](Operation *op) {
    if (auto pipelined = dyn_cast<tl::PipelinedOp>(op))
      lowerPipelined(b, pipelined);
    else if (auto persistent = dyn_cast<tl::PersistentOp>(op))
      lowerPersistent(b, persistent);
    else if (isa<tl::SafeValueOp, tl::AssumeOp, tl::AnnotateLayoutOp,
                 tl::UseSwizzleOp>(op))
      op->erase();
  });
  // Views last, then what they show.
  SmallVector<Operation *> buffers;
  kernel.walk([&](Operation *op) {
    if (isa<tl::AllocOp, tl::ReshapeOp, tl::ViewOp>(op))
      buffers.push_back(op);
  });
  for (Operation *op : llvm::reverse(buffers))
    if (op->use_empty())
      op->erase();
}

LogicalResult KernelLowering::run() {
  SmallVector<Operation *> work;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tl::ParallelOp>(op)) {
      work.push_back(op);
      return WalkResult::skip();
    }
    bool stays = isa<tl::KernelOp, tl::AllocOp, tl::ReshapeOp, tl::ViewOp,
                     tl::PipelinedOp, tl::PersistentOp, tl::SafeValueOp,
                     tl::AssumeOp, tl::AnnotateLayoutOp, tl::UseSwizzleOp>(op);
    if (isa<tl::TileDialect>(op->getDialect()) && !stays)
      work.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : work) {
    if (auto parallel = dyn_cast<tl::ParallelOp>(op)) {
      if (failed(lowerParallel(parallel)))
        return failure();
      continue;
    }
    if (failed(lowerOp(op)))
      return failure();
    op->erase();
  }
  lowerControl();
  return success();
}

/// The wall behind this level.
static LogicalResult verifyLowered(tl::KernelOp kernel) {
  auto result = kernel.getBody().walk([](Operation *op) {
    if (!isa<tl::TileDialect>(op->getDialect()) || isa<tl::AllocOp>(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' cannot be lowered to Ascend";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvertTileToAscend
    : tl::impl::ConvertTileToAscendPassBase<ConvertTileToAscend> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](tl::KernelOp kernel) {
      if (!getChip(kernel)) {
        kernel.emitError("expected 'tile.target' to be an Ascend chip");
        return WalkResult::interrupt();
      }
      if (failed(KernelLowering(kernel).run()) ||
          failed(verifyLowered(kernel)))
        return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
