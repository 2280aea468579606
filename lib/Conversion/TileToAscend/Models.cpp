//===- Models.cpp - how each op of the tile dialect is lowered ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/Common.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

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
}

LogicalResult KernelLowering::lowerPipelined(tl::PipelinedOp op) {
  SmallVector<Value> bounds =
      getValueOrCreateConstantIndexOp(b, op.getLoc(), op.getMixedBounds());
  auto loop =
      scf::ForOp::create(b, op.getLoc(), bounds[0], bounds[1], bounds[2]);
  if (op.getStages() > 1)
    loop->setAttr(AscendDialect::kStagesAttr,
                  b.getI64IntegerAttr(op.getStages()));
  inlineBody(op, loop, loop.getInductionVar());
  return success();
}

static Value product(OpBuilder &b, Location loc, ValueRange values) {
  Value result = values.front();
  for (Value value : values.drop_front())
    result = arith::MulIOp::create(b, loc, result, value);
  return result;
}

LogicalResult KernelLowering::lowerPersistent(tl::PersistentOp op) {
  Location loc = op.getLoc();
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
  return success();
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy, LogicalResult (KernelLowering::*lower)(OpTy),
          LoweringPhase phase = LoweringPhase::Instructions>
struct Model : AscendLoweringOpInterface::ExternalModel<
                   Model<OpTy, lower, phase>, OpTy> {
  LoweringPhase getLoweringPhase(Operation *) const { return phase; }
  LogicalResult lowerToInstructions(Operation *op,
                                    KernelLowering &lowering) const {
    return (lowering.*lower)(cast<OpTy>(op));
  }
};

/// Nothing is left of it.
template <typename OpTy, LoweringPhase phase>
struct DropModel
    : AscendLoweringOpInterface::ExternalModel<DropModel<OpTy, phase>, OpTy> {
  LoweringPhase getLoweringPhase(Operation *) const { return phase; }
  LogicalResult lowerToInstructions(Operation *, KernelLowering &) const {
    return success();
  }
};
} // namespace

template <typename OpTy, LogicalResult (KernelLowering::*lower)(OpTy)>
static void attach(MLIRContext &context) {
  OpTy::template attachInterface<Model<OpTy, lower>>(context);
}
template <typename OpTy, LogicalResult (KernelLowering::*lower)(OpTy)>
static void attachControl(MLIRContext &context) {
  OpTy::template attachInterface<Model<OpTy, lower, LoweringPhase::Control>>(
      context);
}
template <LoweringPhase phase, typename... OpTys>
static void attachDrops(MLIRContext &context) {
  (OpTys::template attachInterface<DropModel<OpTys, phase>>(context), ...);
}

void mlir::tile::ascend::attachLoweringModels(MLIRContext *context) {
  context->loadDialect<tl::TileDialect, memref::MemRefDialect>();
  attach<tl::CopyOp, &KernelLowering::lowerCopy>(*context);
  attach<tl::FillOp, &KernelLowering::lowerFill>(*context);
  attach<tl::AtomicOp, &KernelLowering::lowerAtomic>(*context);
  attach<tl::ReduceOp, &KernelLowering::lowerReduce>(*context);
  attach<tl::ScanOp, &KernelLowering::lowerScan>(*context);
  attach<tl::TopKOp, &KernelLowering::lowerTopK>(*context);
  attach<tl::Im2ColOp, &KernelLowering::lowerIm2Col>(*context);
  attach<memref::LoadOp, &KernelLowering::lowerLoad>(*context);
  attach<memref::StoreOp, &KernelLowering::lowerStore>(*context);
  attach<tl::GemmOp, &KernelLowering::lowerGemm>(*context);
  attach<tl::ParallelOp, &KernelLowering::lowerParallel>(*context);
  attachControl<tl::PipelinedOp, &KernelLowering::lowerPipelined>(*context);
  attachControl<tl::PersistentOp, &KernelLowering::lowerPersistent>(*context);
  attachDrops<LoweringPhase::Control, tl::SafeValueOp, tl::AssumeOp,
              tl::AnnotateLayoutOp, tl::UseSwizzleOp>(*context);
  attachDrops<LoweringPhase::Buffers, tl::AllocOp, tl::ReshapeOp, tl::ViewOp>(
      *context);
}
