//===- ScheduleOverlap.cpp - products over each other ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A consumer loop is read as three parts: the head up to its first products,
// which add to the same sums, the tail around its last ones, and the rest
// between them, which computes from the first what the last ones need. Where
// head and tail have nothing to do with each other, iterations are cut behind
// the rest instead of behind the tail:
//
//     head(i) rest(i) tail(i)   becomes   head(0) rest(0)
//                                         head(i) tail(i - 1) rest(i), i > 0
//                                         tail(n - 1)
//
// in which two products run while the rest is computed. Each is waited for
// where the rest first needs it. Where both read the same stage, two are held.
// Of several last products for which there are no more stages, all but one
// start in front of the head instead, and end with it: nothing waits between.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

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
          accesses.push_back(
              {AccessKind::Write, getWholeRegion(operand.get()), &operand});
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
  GemmOverlap(PipelinedOp loop, int64_t groups) : loop(loop), groups(groups) {}

  /// Why the loop stays as it is; empty if it can be rotated.
  std::string plan();
  bool hasTwoGemms() { return gemms.size() > firsts.size(); }
  /// How many of the last products start in front of the first ones.
  int64_t countEarly() { return early; }
  /// Ping-pong of the warpgroups, unless an ordered section would contain a
  /// barrier of the whole partition.
  bool isOrdered();
  void run();

private:
  void findGemms();
  std::string planTail(size_t most, bool startsEarly);
  std::string findTail(size_t most);
  void findHead();
  std::string checkTail();
  std::string findStages();
  void createRest(OpBuilder &b, IRMapping &mapping,
                  ArrayRef<Operation *> ofHead, ArrayRef<Operation *> releases);
  void createBody(OpBuilder &b, Value iv);
  void cloneStages(OpBuilder &b, IRMapping &mapping);

  PipelinedOp loop;
  int64_t groups; // warpgroups of the consumer
  ArrayRef<GemmOp> getEarly() { return ArrayRef(lasts).take_front(early); }
  ArrayRef<GemmOp> getLate() { return ArrayRef(lasts).drop_front(early); }

  SmallVector<GemmOp> gemms, firsts, lasts;
  size_t early = 0; // of the last ones, in front of the head
  SmallVector<Operation *> head, rest, tail;
  /// What gives the tail the stages that the head waits for.
  SmallVector<Operation *> stages;
  /// Their pipelines: two stages are held.
  DenseSet<Value> held;
};
} // namespace

static bool conflictsWithAny(Operation *op, ArrayRef<GemmOp> gemms) {
  return llvm::any_of(gemms,
                      [&](GemmOp gemm) { return conflictsWith(op, gemm); });
}

void GemmOverlap::findGemms() {
  bool isBehind = false; // behind an op that needs the first sums
  for (Operation &op : loop.getBody().front()) {
    if (!isAsyncGemm(&op)) {
      isBehind |= !isa<ConsumerReleaseOp>(op) && conflictsWithAny(&op, firsts);
      continue;
    }
    auto gemm = cast<GemmOp>(op);
    isBehind |= !firsts.empty() && (gemm.getC() != firsts.front().getC() ||
                                    gemm.getClear() || gemm.getClearIf());
    if (!isBehind)
      firsts.push_back(gemm);
    gemms.push_back(gemm);
  }
}

/// The ops at the end of the body that do nothing but the last products, at
/// most so many: their stages, themselves, their release.
std::string GemmOverlap::findTail(size_t most) {
  lasts.clear();
  tail.clear();
  for (Operation &op : llvm::reverse(loop.getBody().front())) {
    bool isLast = lasts.size() < most && isAsyncGemm(&op) &&
                  !llvm::is_contained(firsts, cast<GemmOp>(op));
    if (!isa<ConsumerReleaseOp, ConsumerWaitOp>(op) && !isLast &&
        !isMemoryEffectFree(&op))
      break;
    tail.insert(tail.begin(), &op);
    if (isLast)
      lasts.insert(lasts.begin(), cast<GemmOp>(op));
  }
  // A stage that is given back in front of them is not theirs.
  while (!tail.empty() && isa<ConsumerReleaseOp>(tail.front()))
    tail.erase(tail.begin());
  return lasts.empty() ? "its last gemm is followed by other ops" : "";
}

/// What is not in the tail: up to the first products, and the rest.
void GemmOverlap::findHead() {
  head.clear();
  rest.clear();
  for (Operation &op : loop.getBody().front())
    if (!llvm::is_contained(tail, &op))
      (firsts.back()->isBeforeInBlock(&op) ? rest : head).push_back(&op);
}

/// Stages of one pipeline for the head and the tail. The next one is read while
/// another is held, and a third one is loaded in the meantime. With two, the
/// load has the time of the products that are not late, or of the rest.
std::string GemmOverlap::findStages() {
  held.clear();
  for (Operation *op : head)
    if (auto wait = dyn_cast<ConsumerWaitOp>(op))
      if (llvm::any_of(tail, [&](Operation *other) {
            auto release = dyn_cast<ConsumerReleaseOp>(other);
            return release && release.getPipeline() == wait.getPipeline();
          }))
        held.insert(wait.getPipeline());
  int64_t least = early > 0 || llvm::any_of(rest, isAsyncGemm) ? 2 : 3;
  for (Value pipeline : held)
    if (int64_t count = cast<PipelineType>(pipeline.getType()).getStages();
        count < least)
      return llvm::formatv("its gemms share the stages of a pipeline: expected "
                           "{0}, got {1}",
                           least, count);
  return "";
}

/// The tail needs nothing of its iteration but buffers and their stages.
std::string GemmOverlap::checkTail() {
  if (std::string reason = findStages(); !reason.empty())
    return reason;
  stages.clear();
  llvm::SetVector<Operation *> needed;
  needed.insert_range(tail);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands()) {
      if (!loop->isAncestor(operand.getParentRegion()->getParentOp()))
        continue;
      Operation *owner = operand.getDefiningOp();
      auto wait = dyn_cast_or_null<ConsumerWaitOp>(owner);
      bool isStage = wait ? held.contains(wait.getPipeline())
                          : isa_and_nonnull<ViewLikeOpInterface>(owner);
      if (!isStage && !llvm::is_contained(tail, owner))
        return "its last gemm depends on other values of its iteration";
      needed.insert(owner);
    }
  for (Operation *op : head)
    if (needed.contains(op))
      stages.push_back(op);
  for (Operation *op : rest)
    if (needed.contains(op))
      stages.push_back(op);
  if (llvm::any_of(head,
                   [&](Operation *op) { return conflictsWithAny(op, lasts); }))
    return "its first gemm depends on the last one of the previous iteration";
  if (llvm::any_of(lasts,
                   [&](GemmOp last) { return conflictsWithAny(last, firsts); }))
    return "its last gemm depends on the first one directly";
  return "";
}

std::string GemmOverlap::planTail(size_t most, bool startsEarly) {
  if (std::string reason = findTail(most); !reason.empty())
    return reason;
  early = startsEarly ? most - 1 : 0;
  findHead();
  return checkTail();
}

std::string GemmOverlap::plan() {
  findGemms();
  if (!hasTwoGemms())
    return "it does not have two gemms";
  if (llvm::any_of(gemms, [](GemmOp gemm) {
        Type sums = cast<MemRefType>(gemm.getC().getType()).getElementType();
        return !sums.isF32() && !sums.isInteger(32);
      }))
    return "its accumulator is converted";
  size_t most = gemms.size() - firsts.size();
  if (std::string reason = findTail(most); !reason.empty())
    return reason;
  if (lasts.size() < most)
    return "it has gemms between the first and the last ones";
  // As many late products as there are stages for.
  std::string reason;
  for (; most > 0; --most) {
    if (reason = planTail(most, false); reason.empty())
      break;
    if (most > 1 && planTail(most, true).empty())
      return "";
  }
  return reason;
}

/// Whether threads access a shared tile that no pipeline fills: a barrier may
/// stand in front of it.
static bool touchesTile(Operation *op) {
  return !isAsyncGemm(op) &&
         op->walk([](Operation *nested) {
             SmallVector<Access> accesses;
             if (isa<ViewLikeOpInterface>(nested) ||
                 failed(collectAccesses(nested, accesses)))
               return WalkResult::advance();
             bool touches = llvm::any_of(accesses, [](const Access &access) {
               Value buffer = access.region.buffer;
               return getMemorySpace(buffer) == MemorySpace::Shared &&
                      !getStagePipeline(buffer);
             });
             return touches ? WalkResult::interrupt() : WalkResult::advance();
           }).wasInterrupted();
}

bool GemmOverlap::isOrdered() {
  if (groups < 2)
    return false;
  if (llvm::any_of(head, touchesTile))
    return false;
  // Those that share rows exchange what they computed of them anyway.
  if (llvm::any_of(firsts, [](GemmOp gemm) {
        return gemm.getInstructionAttr().getWarpsN() > 1;
      }))
    return false;
  for (GemmOp gemm : gemms)
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

/// Clones ops, whose products become asynchronous.
static void startProducts(OpBuilder &b, ArrayRef<Operation *> ops,
                          IRMapping &mapping) {
  for (Operation *op : ops) {
    Operation *copy = b.clone(*op, mapping);
    if (isAsyncGemm(op))
      cast<GemmOp>(copy).setAsync(true);
  }
}

static void setAhead(Operation *op, int64_t stages) {
  if (isa<ConsumerWaitOp>(op))
    op->setAttr(kAheadAttrName,
                Builder(op->getContext()).getI64IntegerAttr(stages));
}

/// The stages of the iteration before, which are held.
void GemmOverlap::cloneStages(OpBuilder &b, IRMapping &mapping) {
  for (Operation *op : stages)
    setAhead(b.clone(*op, mapping), 0);
}

void GemmOverlap::createRest(OpBuilder &b, IRMapping &mapping,
                             ArrayRef<Operation *> ofHead,
                             ArrayRef<Operation *> releases) {
  Location loc = loop.getLoc();
  IRMapping none;
  bool hasFirst = false, hasLast = false;
  llvm::SetVector<Value> ofFirst, ofLast;
  ofFirst.insert(firsts.front().getC());
  for (GemmOp gemm : getEarly())
    ofFirst.insert(gemm.getC());
  for (GemmOp gemm : getLate())
    ofLast.insert(gemm.getC());
  auto waitForLast = [&] {
    if (!hasFirst)
      ofLast.insert_range(ofFirst);
    GemmWaitOp::create(b, loc, ofLast.getArrayRef(), /*pending=*/0);
    if (!hasFirst)
      cloneAll(b, ofHead, none);
    hasFirst = hasLast = true;
    cloneAll(b, releases, none);
  };
  for (Operation *op : rest) {
    if (!hasLast && conflictsWithAny(op, getLate())) {
      waitForLast();
    } else if (!hasFirst && (conflictsWithAny(op, firsts) ||
                             conflictsWithAny(op, getEarly()))) {
      GemmWaitOp::create(b, loc, ofFirst.getArrayRef(),
                         /*pending=*/getLate().size());
      cloneAll(b, ofHead, none);
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
  IRMapping mapping, before;
  mapping.map(loop.getBody().getArgument(0), iv);
  // A stage is given back when its product has ended.
  SmallVector<Operation *> begin, ofHead;
  for (Operation *op : head)
    (isa<ConsumerReleaseOp>(op) ? ofHead : begin).push_back(op);
  SmallVector<Operation *> ofEarly, start, releases;
  for (Operation *op : tail) {
    bool isEarly =
        isAsyncGemm(op) && llvm::is_contained(getEarly(), cast<GemmOp>(op));
    if (!isa<ConsumerReleaseOp>(op))
      (isEarly ? ofEarly : start).push_back(op);
    else if (conflictsWithAny(op, getEarly()) &&
             !conflictsWithAny(op, getLate()))
      ofHead.push_back(op);
    else
      releases.push_back(op);
  }
  if (early > 0) {
    cloneStages(b, before);
    startProducts(b, ofEarly, before);
  }
  startProducts(b, begin, mapping);
  for (Operation *op : head)
    if (auto wait = dyn_cast<ConsumerWaitOp>(op);
        wait && held.contains(wait.getPipeline()))
      setAhead(mapping.lookup(wait.getStage()).getDefiningOp(), 1);
  if (early == 0)
    cloneStages(b, before);
  startProducts(b, start, before);
  if (pingPong)
    OrderArriveOp::create(b, loc);
  createRest(b, mapping, ofHead, releases);
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
        arith::AddIOp::create(
            b, loc, lower, getValueOrCreateConstantIndexOp(b, loc, bounds[2]))
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
  Block *body =
      b.createBlock(&rotated.getBody(), {}, TypeRange{b.getIndexType()}, loc);
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  createBody(inner, body->getArgument(0));
  b.setInsertionPointAfter(rotated);
  cloneStages(b, end);
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
  {
    auto remark = remark::passed(loop.getLoc(), opts);
    remark << remark::reason("the last gemm overlaps with the next iteration")
           << remark::metric("ping_pong", overlap.isOrdered() ? groups : 0);
    if (overlap.countEarly() > 0)
      remark << remark::metric("in_front", overlap.countEarly());
  }
  overlap.run();
  return true;
}
