//===- ScheduleOverlap.cpp - products over each other ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A consumer loop is read as three parts: the head up to its first product, the
// tail around its last one, and the rest between them, which computes from the
// first what the last one needs. Where head and tail have nothing to do with
// each other, iterations are cut behind the rest instead of behind the tail:
//
//     head(i) rest(i) tail(i)   becomes   head(0) rest(0)
//                                         head(i) tail(i - 1) rest(i), i > 0
//                                         tail(n - 1)
//
// in which two products run while the rest is computed. Each is waited for
// where the rest first needs it.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// What a product has to do with other ops
//===----------------------------------------------------------------------===//

bool mlir::tile::isAsyncGemm(Operation *op) {
  auto gemm = dyn_cast<GemmOp>(op);
  return gemm && gemm.getInstructionAttr() &&
         gemm.getInstructionAttr().isAsynchronous();
}

Value mlir::tile::getStagePipeline(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto stage = dyn_cast<StageOp>(view.getOperation()))
      if (auto wait = stage.getIndex().getDefiningOp<ConsumerWaitOp>())
        return wait.getPipeline();
    buffer = view.getViewSource();
  }
  return {};
}

bool mlir::tile::conflictsWith(Operation *op, GemmOp gemm) {
  Value accumulators = getBaseBuffer(gemm.getC());
  Value operands[] = {gemm.getA(), gemm.getB()};
  if (auto release = dyn_cast<ConsumerReleaseOp>(op))
    return llvm::any_of(operands, [&](Value operand) {
      return getStagePipeline(operand) == release.getPipeline();
    });
  WalkResult result = op->walk([&](Operation *nested) {
    if (isa<ViewLikeOpInterface, AllocOp>(nested))
      return WalkResult::advance();
    SmallVector<Access> accesses;
    if (failed(collectAccesses(nested, accesses)))
      for (OpOperand &operand : nested->getOpOperands())
        if (isa<MemRefType>(operand.get().getType()))
          accesses.push_back({AccessKind::Write,
                              getWholeRegion(operand.get()), &operand});
    for (const Access &access : accesses) {
      Value base = getBaseBuffer(access.region.buffer);
      bool isOperand = llvm::any_of(
          operands, [&](Value v) { return getBaseBuffer(v) == base; });
      if (base == accumulators ||
          (isOperand && access.kind != AccessKind::Read))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

static bool writesTo(Operation *op, Value base) {
  return op
      ->walk([&](Operation *nested) {
        if (isa<ViewLikeOpInterface>(nested))
          return WalkResult::advance();
        SmallVector<Access> accesses;
        bool isKnown = succeeded(collectAccesses(nested, accesses));
        bool writes = llvm::any_of(accesses, [&](const Access &access) {
          return access.kind != AccessKind::Read &&
                 getBaseBuffer(access.region.buffer) == base;
        });
        bool uses = llvm::any_of(nested->getOperands(), [&](Value operand) {
          return isa<MemRefType>(operand.getType()) &&
                 getBaseBuffer(operand) == base;
        });
        return writes || (!isKnown && uses) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The parts of a loop
//===----------------------------------------------------------------------===//

namespace {
class GemmOverlap {
public:
  GemmOverlap(PipelinedOp loop, int64_t groups)
      : loop(loop), groups(groups) {}

  /// Why the loop stays as it is; empty if it can be rotated.
  std::string plan();
  bool hasTwoGemms() { return first != last; }
  /// Ping-pong of the warpgroups, unless an ordered section would contain a
  /// barrier of the whole partition.
  bool isOrdered();
  void run();

private:
  std::string findTail();
  std::string checkTail();
  void createRest(OpBuilder &b, IRMapping &mapping,
                  ArrayRef<Operation *> releases);
  void createBody(OpBuilder &b, Value iv);

  PipelinedOp loop;
  int64_t groups; // warpgroups of the consumer
  GemmOp first, last;
  SmallVector<Operation *> head, rest, tail;
};
} // namespace

/// The ops at the end of the body that do nothing but the last product: its
/// stages, itself, their release.
std::string GemmOverlap::findTail() {
  Block &body = loop.getBody().front();
  for (Operation &op : llvm::reverse(body)) {
    if (!isa<ConsumerReleaseOp, ConsumerWaitOp>(op) && &op != last &&
        !isMemoryEffectFree(&op))
      break;
    tail.insert(tail.begin(), &op);
  }
  if (!llvm::is_contained(tail, last.getOperation()))
    return "its last gemm is followed by other ops";
  return "";
}

/// The tail needs nothing of its iteration but buffers.
std::string GemmOverlap::checkTail() {
  for (Operation *op : tail)
    for (Value operand : op->getOperands()) {
      Operation *owner = operand.getDefiningOp();
      bool isInside = loop->isAncestor(operand.getParentRegion()->getParentOp());
      if (isInside && (!owner || !llvm::is_contained(tail, owner)))
        return "its last gemm depends on other values of its iteration";
    }
  DenseSet<Value> pipelines;
  for (Operation *op : tail)
    if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      pipelines.insert(release.getPipeline());
  for (Operation *op : head) {
    if (auto wait = dyn_cast<ConsumerWaitOp>(op);
        wait && pipelines.contains(wait.getPipeline()))
      return "its gemms share the stages of a pipeline";
    if (conflictsWith(op, last))
      return "its first gemm depends on the last one of the previous iteration";
  }
  if (conflictsWith(last, first))
    return "its last gemm depends on the first one directly";
  return "";
}

std::string GemmOverlap::plan() {
  Block &body = loop.getBody().front();
  for (Operation &op : body)
    if (isAsyncGemm(&op)) {
      last = cast<GemmOp>(op);
      if (!first)
        first = last;
    }
  if (!first || first == last)
    return "it does not have two gemms";
  Type accumulators = cast<MemRefType>(first.getC().getType()).getElementType();
  Type others = cast<MemRefType>(last.getC().getType()).getElementType();
  auto isPlain = [](Type type) { return type.isF32() || type.isInteger(32); };
  if (!isPlain(accumulators) || !isPlain(others))
    return "its accumulator is converted";
  if (std::string reason = findTail(); !reason.empty())
    return reason;
  bool behind = false;
  for (Operation &op : body) {
    if (llvm::is_contained(tail, &op))
      continue;
    (behind ? rest : head).push_back(&op);
    behind |= &op == first;
  }
  if (llvm::any_of(rest, isAsyncGemm))
    return "it has more than two gemms";
  return checkTail();
}

bool GemmOverlap::isOrdered() {
  if (groups < 2)
    return false;
  for (GemmOp gemm : {first, last})
    for (Value operand : {gemm.getA(), gemm.getB()})
      if (getMemorySpace(operand) == MemorySpace::Shared &&
          llvm::any_of(rest, [&](Operation *op) {
            return writesTo(op, getBaseBuffer(operand));
          }))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

static void cloneAll(OpBuilder &b, ArrayRef<Operation *> ops,
                     IRMapping &mapping) {
  for (Operation *op : ops)
    b.clone(*op, mapping);
}

/// Clones ops, of which one is a product, which becomes asynchronous.
static void startProduct(OpBuilder &b, ArrayRef<Operation *> ops,
                         IRMapping &mapping, GemmOp gemm) {
  for (Operation *op : ops) {
    Operation *copy = b.clone(*op, mapping);
    if (op == gemm)
      cast<GemmOp>(copy).setAsync(true);
  }
}

void GemmOverlap::createRest(OpBuilder &b, IRMapping &mapping,
                                ArrayRef<Operation *> releases) {
  Location loc = loop.getLoc();
  bool hasFirst = false, hasLast = false;
  auto waitForLast = [&] {
    SmallVector<Value> accumulators{last.getC()};
    if (!hasFirst)
      accumulators.insert(accumulators.begin(), first.getC());
    GemmWaitOp::create(b, loc, accumulators, /*pending=*/0);
    hasFirst = hasLast = true;
    IRMapping none;
    cloneAll(b, releases, none);
  };
  for (Operation *op : rest) {
    if (!hasLast && conflictsWith(op, last)) {
      waitForLast();
    } else if (!hasFirst && conflictsWith(op, first)) {
      GemmWaitOp::create(b, loc, first.getC(), /*pending=*/1);
      hasFirst = true;
    }
    b.clone(*op, mapping);
  }
  if (!hasLast)
    waitForLast();
}

void GemmOverlap::createBody(OpBuilder &b, Value iv) {
  Location loc = loop.getLoc();
  bool pingPong = isOrdered();
  if (pingPong)
    OrderWaitOp::create(b, loc);
  IRMapping mapping, none;
  mapping.map(loop.getBody().getArgument(0), iv);
  startProduct(b, head, mapping, first);
  SmallVector<Operation *> start, releases;
  for (Operation *op : tail)
    (isa<ConsumerReleaseOp>(op) ? releases : start).push_back(op);
  startProduct(b, start, none, last);
  if (pingPong)
    OrderArriveOp::create(b, loc);
  createRest(b, mapping, releases);
}

PipelinedOp mlir::tile::createWithoutFirst(OpBuilder &b, PipelinedOp loop,
                                           Value lower) {
  Location loc = loop.getLoc();
  SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
  std::optional<int64_t> from = getConstantIntValue(bounds[0]);
  std::optional<int64_t> step = getConstantIntValue(bounds[2]);
  if (from && step)
    bounds[0] = b.getIndexAttr(*from + *step);
  else
    bounds[0] =
        arith::AddIOp::create(b, loc, lower,
                              getValueOrCreateConstantIndexOp(b, loc,
                                                              bounds[2]))
            .getResult();
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(bounds, dynamic, fixed);
  auto rotated = cast<PipelinedOp>(b.insert(loop->cloneWithoutRegions()));
  rotated.getDynamicBoundsMutable().assign(dynamic);
  rotated.setStaticBounds(fixed);
  return rotated;
}

std::pair<Value, Value> mlir::tile::enterLoop(OpBuilder &b, PipelinedOp loop) {
  Location loc = loop.getLoc();
  SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
  Value lower = getValueOrCreateConstantIndexOp(b, loc, bounds[0]);
  Value upper = getValueOrCreateConstantIndexOp(b, loc, bounds[1]);
  Value any =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lower, upper);
  auto guard = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  b.setInsertionPoint(guard.thenBlock()->getTerminator());
  return {lower, upper};
}

void GemmOverlap::run() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Value lower = enterLoop(b, loop).first;
  IRMapping begin, end;
  begin.map(loop.getBody().getArgument(0), lower);
  cloneAll(b, head, begin);
  cloneAll(b, rest, begin);

  PipelinedOp rotated = createWithoutFirst(b, loop, lower);
  Block *body = b.createBlock(&rotated.getBody(), {},
                              TypeRange{b.getIndexType()}, loc);
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  createBody(inner, body->getArgument(0));
  b.setInsertionPointAfter(rotated);
  cloneAll(b, tail, end);
  loop.erase();
}

bool mlir::tile::overlapGemms(PipelinedOp loop, int64_t groups,
                              function_ref<std::string()> findObstacle) {
  GemmOverlap overlap(loop, groups);
  std::string reason = overlap.plan();
  if (!overlap.hasTwoGemms())
    return false;
  if (reason.empty())
    reason = findObstacle();
  auto opts =
      remark::RemarkOpts::name("GemmOverlap").category(kScheduleCategory);
  if (!reason.empty()) {
    remark::missed(loop.getLoc(), opts) << remark::reason("{0}", reason);
    return false;
  }
  remark::passed(loop.getLoc(), opts)
      << remark::reason("the last gemm overlaps with the next iteration")
      << remark::metric("ping_pong", overlap.isOrdered() ? groups : 0);
  overlap.run();
  return true;
}
