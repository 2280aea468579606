//===- Loops.cpp - loops around tile ops ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "Tile/Conversion/Common.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

static void inlineBody(Operation *op, scf::ForOp loop, ValueRange args) {
  Block &from = op->getRegion(0).front();
  for (auto [arg, value] : llvm::zip_equal(from.getArguments(), args))
    arg.replaceAllUsesWith(value);
  Block *to = loop.getBody();
  to->getOperations().splice(to->getTerminator()->getIterator(),
                             from.getOperations());
}

namespace {
struct PipelinedModel : LoweringModel<PipelinedModel, tl::PipelinedOp> {
  LoweringPhase getLoweringPhase(Operation *) const {
    return LoweringPhase::Control;
  }
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};

struct PersistentModel : LoweringModel<PersistentModel, tl::PersistentOp> {
  LoweringPhase getLoweringPhase(Operation *) const {
    return LoweringPhase::Control;
  }
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

LogicalResult PipelinedModel::lowerToInstructions(Operation *self,
                                                  KernelLowering &l) const {
  auto op = cast<tl::PipelinedOp>(self);
  SmallVector<Value> bounds =
      getValueOrCreateConstantIndexOp(l.b, op.getLoc(), op.getMixedBounds());
  auto loop =
      scf::ForOp::create(l.b, op.getLoc(), bounds[0], bounds[1], bounds[2]);
  if (op.getStages() > 1)
    loop->setAttr(AscendDialect::kStagesAttr,
                  l.b.getI64IntegerAttr(op.getStages()));
  inlineBody(op, loop, loop.getInductionVar());
  return success();
}

static Value multiply(OpBuilder &b, Location loc, ValueRange values) {
  Value result = values.front();
  for (Value value : values.drop_front())
    result = arith::MulIOp::create(b, loc, result, value);
  return result;
}

LogicalResult PersistentModel::lowerToInstructions(Operation *self,
                                                   KernelLowering &l) const {
  auto op = cast<tl::PersistentOp>(self);
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  SmallVector<Value> grid =
      getValueOrCreateConstantIndexOp(b, loc, l.kernel.getMixedGrid());
  SmallVector<Value> domain =
      getValueOrCreateConstantIndexOp(b, loc, op.getMixedDomain());
  // A negative extent has no points.
  for (Value &extent : domain)
    extent = b.createOrFold<arith::MaxSIOp>(
        loc, extent, arith::ConstantIndexOp::create(b, loc, 0));
  Value block = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [arg, extent] :
       llvm::reverse(llvm::zip(l.kernel.getBody().getArguments(), grid)))
    block = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, block, extent), arg);
  auto loop = scf::ForOp::create(b, loc, block, multiply(b, loc, domain),
                                 multiply(b, loc, grid));
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> point = tl::getPersistentPoint(
      b, loc, loop.getInductionVar(), domain, op.getGroup());
  inlineBody(op, loop, point);
  return success();
}

void mlir::tile::ascend::attachLoopModels(MLIRContext *context) {
  tl::PipelinedOp::attachInterface<PipelinedModel>(*context);
  tl::PersistentOp::attachInterface<PersistentModel>(*context);
}
