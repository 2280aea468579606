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

static bool isAsyncGemm(Operation *op) {
  auto gemm = dyn_cast<GemmOp>(op);
  return gemm && gemm.getInstructionAttr() &&
         gemm.getInstructionAttr().isAsynchronous();
}

static Value getSlotRing(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto slot = dyn_cast<SlotOp>(view.getOperation()))
      if (auto wait = slot.getIndex().getDefiningOp<ConsumerWaitOp>())
        return wait.getRing();
    buffer = view.getViewSource();
  }
  return {};
}

bool mlir::tile::disturbs(Operation *op, GemmOp gemm) {
  Value sums = getBaseBuffer(gemm.getC());
  Value operands[] = {gemm.getA(), gemm.getB()};
  if (auto release = dyn_cast<ConsumerReleaseOp>(op))
    return llvm::any_of(operands, [&](Value operand) {
      return getSlotRing(operand) == release.getRing();
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
      if (base == sums || (isOperand && access.kind != AccessKind::Read))
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
class ProductOverlap {
public:
  ProductOverlap(PipelinedOp loop, int64_t groups)
      : loop(loop), groups(groups) {}

  /// Why the loop stays as it is; empty if it can be turned.
  std::string plan();
  bool hasTwoProducts() { return first != last; }
  /// Warpgroups take turns, unless a barrier of all will stand in a turn.
  bool hasTurns();
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
/// slots, itself, their release.
std::string ProductOverlap::findTail() {
  Block &body = loop.getBody().front();
  for (Operation &op : llvm::reverse(body)) {
    if (!isa<ConsumerReleaseOp, ConsumerWaitOp>(op) && &op != last &&
        !isMemoryEffectFree(&op))
      break;
    tail.insert(tail.begin(), &op);
  }
  if (!llvm::is_contained(tail, last.getOperation()))
    return "its last product is followed by other ops";
  return "";
}

/// The tail needs nothing of its iteration but buffers.
std::string ProductOverlap::checkTail() {
  for (Operation *op : tail)
    for (Value operand : op->getOperands()) {
      Operation *owner = operand.getDefiningOp();
      bool isInside = loop->isAncestor(operand.getParentRegion()->getParentOp());
      if (isInside && (!owner || !llvm::is_contained(tail, owner)))
        return "its last product needs values of its iteration";
    }
  DenseSet<Value> rings;
  for (Operation *op : tail)
    if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      rings.insert(release.getRing());
  for (Operation *op : head) {
    if (auto wait = dyn_cast<ConsumerWaitOp>(op);
        wait && rings.contains(wait.getRing()))
      return "its products share the slots of a ring";
    if (disturbs(op, last))
      return "its first product needs the last one of the iteration before";
  }
  if (disturbs(last, first))
    return "its last product needs the first one itself";
  return "";
}

std::string ProductOverlap::plan() {
  Block &body = loop.getBody().front();
  for (Operation &op : body)
    if (isAsyncGemm(&op)) {
      last = cast<GemmOp>(op);
      if (!first)
        first = last;
    }
  if (!first || first == last)
    return "it has no two products";
  Type sums = cast<MemRefType>(first.getC().getType()).getElementType();
  Type others = cast<MemRefType>(last.getC().getType()).getElementType();
  auto isPlain = [](Type type) { return type.isF32() || type.isInteger(32); };
  if (!isPlain(sums) || !isPlain(others))
    return "its sums are converted";
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
    return "it has more than two products";
  return checkTail();
}

bool ProductOverlap::hasTurns() {
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

void ProductOverlap::createRest(OpBuilder &b, IRMapping &mapping,
                                ArrayRef<Operation *> releases) {
  Location loc = loop.getLoc();
  bool hasFirst = false, hasLast = false;
  auto waitForLast = [&] {
    SmallVector<Value> sums{last.getC()};
    if (!hasFirst)
      sums.insert(sums.begin(), first.getC());
    GemmWaitOp::create(b, loc, sums, /*pending=*/0);
    hasFirst = hasLast = true;
    IRMapping none;
    cloneAll(b, releases, none);
  };
  for (Operation *op : rest) {
    if (!hasLast && disturbs(op, last)) {
      waitForLast();
    } else if (!hasFirst && disturbs(op, first)) {
      GemmWaitOp::create(b, loc, first.getC(), /*pending=*/1);
      hasFirst = true;
    }
    b.clone(*op, mapping);
  }
  if (!hasLast)
    waitForLast();
}

void ProductOverlap::createBody(OpBuilder &b, Value iv) {
  Location loc = loop.getLoc();
  bool turns = hasTurns();
  if (turns)
    TakeTurnOp::create(b, loc);
  IRMapping mapping, none;
  mapping.map(loop.getBody().getArgument(0), iv);
  startProduct(b, head, mapping, first);
  SmallVector<Operation *> start, releases;
  for (Operation *op : tail)
    (isa<ConsumerReleaseOp>(op) ? releases : start).push_back(op);
  startProduct(b, start, none, last);
  if (turns)
    PassTurnOp::create(b, loc);
  createRest(b, mapping, releases);
}

void ProductOverlap::run() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
  Value lower = getValueOrCreateConstantIndexOp(b, loc, bounds[0]);
  Value upper = getValueOrCreateConstantIndexOp(b, loc, bounds[1]);
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lower,
                                    upper);
  auto guard = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  b.setInsertionPoint(guard.thenBlock()->getTerminator());
  IRMapping begin, end;
  begin.map(loop.getBody().getArgument(0), lower);
  cloneAll(b, head, begin);
  cloneAll(b, rest, begin);

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
  auto turned = cast<PipelinedOp>(b.insert(loop->cloneWithoutRegions()));
  turned.getDynamicBoundsMutable().assign(dynamic);
  turned.setStaticBounds(fixed);
  Block *body = b.createBlock(&turned.getBody(), {},
                              TypeRange{b.getIndexType()}, loc);
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  createBody(inner, body->getArgument(0));
  b.setInsertionPointAfter(turned);
  cloneAll(b, tail, end);
  loop.erase();
}

void mlir::tile::overlapProducts(PipelinedOp loop, int64_t groups,
                                 function_ref<std::string()> findObstacle) {
  ProductOverlap overlap(loop, groups);
  std::string reason = overlap.plan();
  if (!overlap.hasTwoProducts())
    return;
  if (reason.empty())
    reason = findObstacle();
  auto opts = remark::RemarkOpts::name("Products").category(kScheduleCategory);
  if (!reason.empty()) {
    remark::missed(loop.getLoc(), opts) << remark::reason("{0}", reason);
    return;
  }
  remark::passed(loop.getLoc(), opts)
      << remark::reason("the last product runs over the next iteration")
      << remark::metric("turns", overlap.hasTurns() ? groups : 0);
  overlap.run();
}
