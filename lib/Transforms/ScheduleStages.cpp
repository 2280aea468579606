//===- ScheduleStages.cpp - loops over groups of copies -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Hazards.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class StageExpander : MultiBufferExpander {
public:
  StageExpander(PipelinedOp loop, PipelineGroup &group)
      : MultiBufferExpander(loop, group), stages(group.stages) {}
  void run(const ::tile::target::GPUSpec &gpu);

private:
  void copyInto(OpBuilder &b, Value iv, Value stage);
  void createPrologue(OpBuilder &b);
  void createBody();

  int64_t stages;
};
} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void MultiBufferExpander::begin(OpBuilder &b,
                                const ::tile::target::GPUSpec &gpu) {
  SmallVector<Value> bounds =
      getValueOrCreateConstantIndexOp(b, loop.getLoc(), loop.getMixedBounds());
  lower = bounds[0];
  upper = bounds[1];
  step = bounds[2];
  for (AllocOp alloc : group.buffers)
    stageBuffers.push_back(createStages(alloc, group.stages, gpu));
}

DenseSet<Operation *> MultiBufferExpander::collectSourceSlice() {
  DenseSet<Operation *> slice;
  for (Operation *copy : group.copies) {
    SmallVector<Access> accesses;
    (void)collectAccesses(copy, accesses);
    for (const Access &access : accesses)
      if (access.kind == AccessKind::Read)
        for (Value index : access.region.operands)
          values.collectSlice(index, slice);
  }
  return slice;
}

void MultiBufferExpander::mapToStage(OpBuilder &b, Value number,
                                     IRMapping &mapping) {
  for (auto [alloc, buffer] : llvm::zip(group.buffers, stageBuffers))
    mapping.map(alloc.getBuffer(),
                StageOp::create(b, loop.getLoc(), alloc.getBuffer().getType(),
                                buffer.getBuffer(), number)
                    .getView());
}

void MultiBufferExpander::useStage(OpBuilder &b, Value number) {
  IRMapping mapping;
  mapToStage(b, number, mapping);
  for (AllocOp alloc : group.buffers)
    replaceInOps(b, alloc.getBuffer(), mapping.lookup(alloc.getBuffer()),
                 [&](Operation *user) {
                   return !isa<AnnotateLayoutOp>(user) &&
                          !llvm::is_contained(group.copies, user);
                 });
}

void MultiBufferExpander::end() {
  loop.setStages(1);
  for (Operation *copy : group.copies)
    copy->erase();
  for (AllocOp alloc : group.buffers)
    eraseBuffer(alloc.getBuffer());
}

Value mlir::tile::getStageIndex(OpBuilder &b, PipelinedOp loop, int64_t stages,
                                int64_t ahead) {
  Location loc = loop.getLoc();
  Value iv = loop.getBody().getArgument(0);
  SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
  if (std::optional<int64_t> constant = getConstantIntValue(bounds[2])) {
    AffineExpr number =
        (b.getAffineDimExpr(0) - b.getAffineDimExpr(1)).floorDiv(*constant);
    return affine::makeComposedAffineApply(b, loc, (number + ahead) % stages,
                                           {iv, bounds[0]});
  }
  Value lower = getValueOrCreateConstantIndexOp(b, loc, bounds[0]);
  Value step = getValueOrCreateConstantIndexOp(b, loc, bounds[2]);
  Value passed = arith::SubIOp::create(b, loc, iv, lower);
  Value number = arith::DivUIOp::create(b, loc, passed, step);
  Value shifted = arith::AddIOp::create(
      b, loc, number, arith::ConstantIndexOp::create(b, loc, ahead));
  return arith::RemUIOp::create(b, loc, shifted,
                                arith::ConstantIndexOp::create(b, loc, stages));
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// The copies of the iteration `iv` into a stage.
void StageExpander::copyInto(OpBuilder &b, Value iv, Value stage) {
  DenseSet<Operation *> slice = collectSourceSlice();
  IRMapping mapping;
  mapping.map(loop.getBody().getArgument(0), iv);
  mapToStage(b, stage, mapping);
  for (Operation &op : loop.getBody().front()) {
    bool isCopy = llvm::is_contained(group.copies, &op);
    if (isCopy)
      cloneTargetViews(b, &op, mapping);
    if (isCopy || slice.contains(&op))
      b.clone(op, mapping);
  }
}

void StageExpander::createPrologue(OpBuilder &b) {
  Location loc = loop.getLoc();
  for (int64_t stage = 0; stage < stages - 1; ++stage) {
    Value number = arith::ConstantIndexOp::create(b, loc, stage);
    Value iv = lower;
    if (stage > 0)
      iv = arith::AddIOp::create(b, loc, lower,
                                 arith::MulIOp::create(b, loc, step, number));
    Value runs =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iv, upper);
    auto guard = scf::IfOp::create(b, loc, runs, /*withElseRegion=*/false);
    OpBuilder inner(guard.thenYield());
    copyInto(inner, iv, number);
    AsyncCommitOp::create(b, loc);
  }
}

void StageExpander::createBody() {
  Block &body = loop.getBody().front();
  Location loc = loop.getLoc();
  Value iv = body.getArgument(0);
  Operation *begin = &body.front();
  OpBuilder b(begin);
  AsyncWaitOp::create(b, loc, stages - 2);
  bool isAsync = false;
  body.walk([&](Operation *op) { isAsync |= runsOnProxy(op); });
  BarrierOp::create(b, loc, isAsync, /*global=*/false);
  Value ahead = arith::ConstantIndexOp::create(b, loc, stages - 1);
  Value later = arith::AddIOp::create(
      b, loc, iv, arith::MulIOp::create(b, loc, step, ahead));
  Value runs =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, later, upper);
  auto guard = scf::IfOp::create(b, loc, runs, /*withElseRegion=*/false);
  OpBuilder inner(guard.thenYield());
  copyInto(inner, later, getStageIndex(inner, loop, stages, stages - 1));
  AsyncCommitOp::create(b, loc);
  useStage(b, getStageIndex(b, loop, stages, 0));
}

void StageExpander::run(const ::tile::target::GPUSpec &gpu) {
  OpBuilder b(loop);
  begin(b, gpu);
  createPrologue(b);
  createBody();
  b.setInsertionPointAfter(loop);
  AsyncWaitOp::create(b, loop.getLoc(), 0);
  end();
}

void mlir::tile::expandStages(PipelinedOp loop, PipelineGroup &group,
                              const ::tile::target::GPUSpec &gpu) {
  StageExpander(loop, group).run(gpu);
}
