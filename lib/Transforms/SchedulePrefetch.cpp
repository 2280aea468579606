//===- SchedulePrefetch.cpp - prefetching into registers ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without asynchronous copies, the loads of a thread are what can be in flight
// while it computes: nobody waits for them before their registers are used.
//
//   registers <- tile of the first iteration       if there is one
//   stage 0    <- registers
//   loop:  registers  <- tile of the next iteration
//          compute on this iteration's stage
//          other stage <- registers
//
// The last iteration loads its own tile again, which nobody reads: the loop has
// no branch around the loads, so that they and the computation are scheduled
// together.
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"
#include "Schedule.h"

#include "Tile/Layout/Distribute.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class PrefetchExpander : MultiBufferExpander {
public:
  PrefetchExpander(PipelinedOp loop, PipelineGroup &group,
                   const ::tile::target::Target &target)
      : MultiBufferExpander(loop, group), target(target) {}
  void run();

private:
  Value getNext(OpBuilder &b);
  Value createRegisters(CopyOp copy);
  void load(OpBuilder &b, Value iv);
  void store(OpBuilder &b, Value stage);
  void createPrologue(OpBuilder &b);
  void createBody();

  const ::tile::target::Target &target;
  SmallVector<Value> registers; // of each copy
};
} // namespace

static ArrayRef<int64_t> getTileShape(CopyOp copy, BufferRegion &region) {
  region = copy.getTargetRegion();
  return region.sizes;
}

int64_t mlir::tile::countPrefetchRegisters(const PipelineGroup &group,
                                           int64_t threads) {
  int64_t registers = 0;
  for (Operation *op : group.copies) {
    auto copy = cast<CopyOp>(op);
    BufferRegion region;
    int64_t elements = ShapedType::getNumElements(getTileShape(copy, region));
    registers += llvm::divideCeil(elements * getElementBits(copy.getSource()),
                                  32 * threads);
  }
  return registers;
}

/// The iteration after this one; the last one itself behind the end.
Value PrefetchExpander::getNext(OpBuilder &b) {
  Location loc = loop.getLoc();
  Value iv = loop.getBody().getArgument(0);
  std::optional<int64_t> constant = getConstantIntValue(step);
  if (!constant) {
    Value next = arith::AddIOp::create(b, loc, iv, step);
    Value runs =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next, upper);
    return arith::SelectOp::create(b, loc, runs, next, iv);
  }
  AffineExpr here, first, end;
  bindDims(b.getContext(), here, first, end);
  AffineExpr last = first + (end - 1 - first).floorDiv(*constant) * *constant;
  auto map = AffineMap::get(3, 0, {here + *constant, last}, b.getContext());
  OpFoldResult next = affine::makeComposedFoldedAffineMin(
      b, loc, map,
      {OpFoldResult(iv), OpFoldResult(lower), OpFoldResult(upper)});
  return getValueOrCreateConstantIndexOp(b, loc, next);
}

::tile::layout::Result<::tile::layout::Layout>
mlir::tile::getPrefetchLayout(CopyOp copy,
                              const ::tile::target::Target &target) {
  using namespace ::tile::layout;
  BufferRegion region;
  std::vector<int64_t> shape = getTileShape(copy, region).vec();
  Threads threads = getThreads(copy->getParentOfType<KernelOp>(), target);
  int64_t limit =
      getVectorLimit(getElementBits(copy.getSource()), *target.getGPU());
  int64_t vector = vectorWidth(shape, threads, limit);
  return spread(shape, coalesced(shape, vector, threads), threads,
                /*replicate=*/true);
}

/// A fragment that holds what the copy brings, before any conversion.
Value PrefetchExpander::createRegisters(CopyOp copy) {
  auto kernel = loop->getParentOfType<KernelOp>();
  BufferRegion region;
  ArrayRef<int64_t> shape = getTileShape(copy, region);
  auto layout = getPrefetchLayout(copy, target);
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Type element = cast<MemRefType>(copy.getSource().getType()).getElementType();
  auto type = MemRefType::get(
      shape, element, AffineMap(),
      MemorySpaceAttr::get(b.getContext(), MemorySpace::Fragment));
  LayoutAttr attr = mlir::tile::getLayoutAttr([&] { return copy.emitError(); },
                                              b.getContext(), *layout);
  return AllocOp::create(b, copy.getLoc(), type, attr, IntegerAttr());
}

/// Global memory of the iteration `iv` to registers.
void PrefetchExpander::load(OpBuilder &b, Value iv) {
  DenseSet<Operation *> slice = collectSourceSlice();
  IRMapping mapping;
  mapping.map(loop.getBody().getArgument(0), iv);
  auto next = registers.begin();
  for (Operation &op : loop.getBody().front()) {
    if (slice.contains(&op))
      b.clone(op, mapping);
    auto copy = dyn_cast<CopyOp>(op);
    if (!copy || !llvm::is_contained(group.copies, copy))
      continue;
    SmallVector<Value> indices;
    for (Value index : copy.getSourceIndices())
      indices.push_back(mapping.lookupOrDefault(index));
    BufferRegion source = copy.getSourceRegion();
    CopyOp::create(
        b, copy.getLoc(), copy.getSource(), indices, *next++, ValueRange(),
        copy.getSourceMapAttr(), b.getDenseI64ArrayAttr(source.sizes),
        AffineMapAttr(), DenseI64ArrayAttr(), /*is_unsigned=*/false,
        /*saturate=*/false, InstructionAttr(), copy.getCoalescedWidthAttr(),
        copy.getInstructionAttr(), Value());
  }
}

/// Registers to the stage, with the conversion of the copy.
void PrefetchExpander::store(OpBuilder &b, Value stage) {
  IRMapping mapping;
  mapToStage(b, stage, mapping);
  for (auto [op, source] : llvm::zip(group.copies, registers)) {
    auto copy = cast<CopyOp>(op);
    CopyOp::create(b, copy.getLoc(), source, ValueRange(),
                   mapping.lookup(copy.getTarget()), copy.getTargetIndices(),
                   AffineMapAttr(), DenseI64ArrayAttr(),
                   copy.getTargetMapAttr(), copy.getTargetSizesAttr(),
                   copy.getIsUnsigned(), copy.getSaturate(), InstructionAttr(),
                   IntegerAttr(), copy.getInstructionAttr(), Value());
  }
}

void PrefetchExpander::createPrologue(OpBuilder &b) {
  Location loc = loop.getLoc();
  Value runs = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                             lower, upper);
  OpBuilder::InsertionGuard restore(b);
  std::optional<int64_t> known = getConstantIntValue(runs);
  if (!known || *known == 0) {
    auto guard = scf::IfOp::create(b, loc, runs, /*withElseRegion=*/false);
    b.setInsertionPoint(guard.thenYield());
  }
  load(b, lower);
  store(b, arith::ConstantIndexOp::create(b, loc, 0));
}

void PrefetchExpander::createBody() {
  Block &body = loop.getBody().front();
  OpBuilder b(&body.front());
  load(b, getNext(b));
  useStage(b, getStageIndex(b, loop, group.stages, /*ahead=*/0));
  b.setInsertionPointToEnd(&body);
  store(b, getStageIndex(b, loop, group.stages, /*ahead=*/1));
}

void PrefetchExpander::run() {
  OpBuilder b(loop);
  llvm::sort(group.copies, [](Operation *x, Operation *y) {
    return x->isBeforeInBlock(y);
  });
  for (Operation *copy : group.copies)
    registers.push_back(createRegisters(cast<CopyOp>(copy)));
  begin(b, *target.getGPU());
  createPrologue(b);
  createBody();
  end();
}

void mlir::tile::expandPrefetch(PipelinedOp loop, PipelineGroup &group,
                                const ::tile::target::Target &target) {
  PrefetchExpander(loop, group, target).run();
}
