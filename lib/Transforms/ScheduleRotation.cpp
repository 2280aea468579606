//===- ScheduleRotation.cpp - a product late, beside the next iteration ---===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a loop of three products and more, one of them, with what follows from it,
// may be of no use to the rest of its iteration: the gradients of the queries
// in the backward pass of attention, which are added up in global memory. Where
// the products at the head of the loop have nothing to do with it, it runs in
// the next iteration, beside theirs and what is computed from them:
//
//     head(i) rest(i) late(i)   becomes   head(0) rest(0)
//                                         head(i) late(i - 1) rest(i), i > 0
//                                         late(n - 1)
//
// Of `late`, what follows from its product stands behind the first product of
// the rest. ptxas moves a wait over arithmetic, but not over a product: what
// the rest computes for its product runs beside the late one.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// What two ops have to do with each other
//===----------------------------------------------------------------------===//

/// The buffers that an op and those in it touch, and whether they are written.
static DenseMap<Value, bool> collectBuffers(Operation *op) {
  DenseMap<Value, bool> buffers;
  op->walk([&](Operation *nested) {
    if (isa<ViewLikeOpInterface>(nested))
      return;
    SmallVector<Access> accesses;
    if (succeeded(collectAccesses(nested, accesses))) {
      for (const Access &access : accesses)
        buffers[getBaseBuffer(access.region.buffer)] |=
            access.kind != AccessKind::Read;
      return;
    }
    for (Value operand : nested->getOperands())
      if (isa<MemRefType>(operand.getType()))
        buffers[getBaseBuffer(operand)] = true;
  });
  return buffers;
}

bool mlir::tile::interfere(Operation *a, Operation *b) {
  DenseMap<Value, bool> first = collectBuffers(a), second = collectBuffers(b);
  return llvm::any_of(first, [&](auto entry) {
    auto it = second.find(entry.first);
    return it != second.end() && (entry.second || it->second);
  });
}

static bool interfereAny(ArrayRef<Operation *> ops, Operation *op) {
  return llvm::any_of(ops,
                      [&](Operation *other) { return interfere(other, op); });
}

//===----------------------------------------------------------------------===//
// The parts of a loop
//===----------------------------------------------------------------------===//

namespace {
class GemmRotation {
public:
  explicit GemmRotation(PipelinedOp loop) : loop(loop) {}

  /// Whether there is a product that can be late.
  bool plan();
  PipelinedOp run();

private:
  void findHead();
  bool setLate(GemmOp gemm);
  bool collectSlice(Operation *op);
  void cloneLate(OpBuilder &b, Value iv, ArrayRef<Operation *> ops);
  void createBody(OpBuilder &b, Value iv);
  Value getLast(OpBuilder &b, Value lower, Value upper);

  PipelinedOp loop;
  SmallVector<Operation *> head, rest;
  /// The product, then what follows from it.
  SmallVector<Operation *> late;
  /// What `late` is computed from in its iteration.
  llvm::SetVector<Operation *> slice;
};
} // namespace

/// Whether the op, and those in it, write nothing but fragments.
static bool isLoad(Operation *op) {
  return !op->walk([](Operation *nested) {
              SmallVector<Access> accesses;
              bool isKnown =
                  isMemoryEffectFree(nested) ||
                  nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                  succeeded(collectAccesses(nested, accesses));
              bool isLocal = !isa<GemmOp>(nested) &&
                             llvm::all_of(accesses, [](const Access &access) {
                               return access.kind == AccessKind::Read ||
                                      getMemorySpace(access.region.buffer) ==
                                          MemorySpace::Fragment;
                             });
              return isKnown && isLocal ? WalkResult::advance()
                                        : WalkResult::interrupt();
            }).wasInterrupted();
}

/// The ops up to the first one that is no product, and stores or needs one.
void GemmRotation::findHead() {
  bool isHead = true;
  for (Operation &op : loop.getBody().front()) {
    isHead &= isa<ConsumerWaitOp>(op) || isMemoryEffectFree(&op) ||
              isAsyncGemm(&op) || (isLoad(&op) && !interfereAny(head, &op));
    (isHead ? head : rest).push_back(&op);
  }
}

/// Adds the ops of the body that an op of `late` follows from.
bool GemmRotation::collectSlice(Operation *op) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  used.insert(op->operand_begin(), op->operand_end());
  for (Value value : used) {
    Operation *owner = value.getDefiningOp();
    if (!owner || owner->getBlock() != &loop.getBody().front() ||
        slice.contains(owner) || llvm::is_contained(late, owner))
      continue;
    if (owner->getNumRegions() != 0 || !isPure(owner) || !collectSlice(owner))
      return false;
    slice.insert(owner);
  }
  return true;
}

/// Whether the product can be late, with what touches the same memory after it.
/// A stage is given back in its iteration.
bool GemmRotation::setLate(GemmOp gemm) {
  late = {gemm};
  slice.clear();
  for (Operation *op = gemm->getNextNode(); op; op = op->getNextNode()) {
    if (isa<ConsumerReleaseOp>(op) && conflictsWith(op, gemm))
      return false;
    if (!interfereAny(late, op))
      continue;
    if (isa<GemmOp, GemmWaitOp>(op))
      return false;
    late.push_back(op);
  }
  return late.size() > 1 &&
         llvm::all_of(late, [&](Operation *op) { return collectSlice(op); }) &&
         llvm::none_of(head,
                       [&](Operation *op) { return interfereAny(late, op); });
}

bool GemmRotation::plan() {
  findHead();
  if (llvm::none_of(head, isAsyncGemm))
    return false;
  SmallVector<GemmOp> gemms;
  for (Operation *op : head)
    if (isAsyncGemm(op) && cast<GemmOp>(op).getAsync())
      return false;
  for (Operation *op : rest)
    if (isAsyncGemm(op))
      gemms.push_back(cast<GemmOp>(op));
  bool isByHand = llvm::any_of(gemms, [](GemmOp g) { return g.getAsync(); });
  if (gemms.size() < 2 || isByHand)
    return false;
  for (GemmOp gemm : llvm::reverse(gemms))
    if (setLate(gemm)) {
      llvm::erase_if(
          rest, [&](Operation *op) { return llvm::is_contained(late, op); });
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

static void cloneAll(OpBuilder &b, ArrayRef<Operation *> ops,
                     IRMapping &mapping) {
  for (Operation *op : ops)
    b.clone(*op, mapping);
}

void GemmRotation::cloneLate(OpBuilder &b, Value iv,
                             ArrayRef<Operation *> ops) {
  IRMapping mapping;
  mapping.map(loop.getBody().getArgument(0), iv);
  cloneAll(b, slice.getArrayRef(), mapping);
  cloneAll(b, ops, mapping);
}

void GemmRotation::createBody(OpBuilder &b, Value iv) {
  Location loc = loop.getLoc();
  OpFoldResult step = loop.getMixedBounds()[2];
  Value before;
  if (std::optional<int64_t> constant = getConstantIntValue(step))
    before = affine::makeComposedAffineApply(
        b, loc, b.getAffineDimExpr(0) - *constant, {iv});
  else
    before = arith::SubIOp::create(b, loc, iv, cast<Value>(step));
  IRMapping mapping;
  mapping.map(loop.getBody().getArgument(0), iv);
  cloneAll(b, head, mapping);
  ArrayRef<Operation *> others = ArrayRef(late).drop_front();
  cloneLate(b, before, late.front());
  for (Operation *op : rest) {
    if (interfereAny(others, op)) {
      cloneLate(b, before, others);
      others = {};
    }
    b.clone(*op, mapping);
    if (isAsyncGemm(op) && !others.empty()) {
      cloneLate(b, before, others);
      others = {};
    }
  }
  if (!others.empty())
    cloneLate(b, before, others);
}

/// The last iteration; there is one.
Value GemmRotation::getLast(OpBuilder &b, Value lower, Value upper) {
  Location loc = loop.getLoc();
  OpFoldResult step = loop.getMixedBounds()[2];
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value end = b.createOrFold<arith::SubIOp>(loc, upper, one);
  if (getConstantIntValue(step) == 1)
    return end;
  Value distance = getValueOrCreateConstantIndexOp(b, loc, step);
  Value span = b.createOrFold<arith::SubIOp>(loc, end, lower);
  Value over = arith::RemUIOp::create(b, loc, span, distance);
  return b.createOrFold<arith::SubIOp>(loc, end, over);
}

PipelinedOp GemmRotation::run() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto [lower, upper] = enterLoop(b, loop);
  IRMapping begin;
  begin.map(loop.getBody().getArgument(0), lower);
  cloneAll(b, head, begin);
  cloneAll(b, rest, begin);
  PipelinedOp rotated = createWithoutFirst(b, loop, lower);
  Block *body =
      b.createBlock(&rotated.getBody(), {}, TypeRange{b.getIndexType()}, loc);
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  createBody(inner, body->getArgument(0));
  b.setInsertionPointAfter(rotated);
  cloneLate(b, getLast(b, lower, upper), late);
  loop.erase();
  return rotated;
}

bool mlir::tile::rotateGemms(PipelinedOp loop,
                             function_ref<std::string()> findObstacle) {
  GemmRotation rotation(loop);
  if (!rotation.plan())
    return false;
  auto opts = remark::RemarkOpts::name("LateGemm").category(kScheduleCategory);
  if (std::string reason = findObstacle(); !reason.empty()) {
    remark::missed(loop.getLoc(), opts) << remark::reason("{0}", reason);
    return false;
  }
  remark::passed(loop.getLoc(), opts)
      << remark::reason("a gemm and what follows from it run in the next "
                        "iteration");
  startGemms(rotation.run());
  return true;
}
