//===- Rotations.cpp - loops that begin the next iteration ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rotations.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What an op and all in it read and write. Buffers in global memory are one,
/// since two arguments may be one buffer.
struct Touched {
  DenseSet<Value> read, written;
  bool isUnknown = false;

  explicit Touched(Operation *op);
  bool conflictsWith(const Touched &other) const;
};

/// A loop, and what its iterations do for the next one.
class Rotation {
public:
  explicit Rotation(LoopLikeOpInterface loop) : loop(loop) {}
  /// Whether the loop can do that in its own iteration.
  bool find();
  void undo();

private:
  bool findBounds();
  bool isOfAllButLast(Value condition);
  bool findNext();
  bool canMoveDown();
  bool findFirst();
  bool canEnterLoop();
  bool isFirstOf(Operation *first, Operation *next);
  bool isFirstOf(Value first, Value next);
  bool isFirstRegion(const BufferRegion &first, const BufferRegion &next);
  std::pair<AffineMap, SmallVector<Value>> getMapOfFirst(AffineMap map,
                                                         ValueRange operands);
  llvm::SetVector<Operation *> getSlice();

  LoopLikeOpInterface loop;
  Value iteration;
  int64_t lower = 0, step = 1, last = 0;
  SmallVector<scf::IfOp> guards;
  /// The ops in the guards that touch memory, and what does the same in front
  /// of the loop for the first iteration.
  SmallVector<Operation *> next, first;
  /// Results of the former, and of the latter.
  DenseMap<Value, Value> results;
};
} // namespace

//===----------------------------------------------------------------------===//
// What may change places
//===----------------------------------------------------------------------===//

Touched::Touched(Operation *op) {
  op->walk([&](Operation *nested) {
    if (isa<AllocOp>(nested))
      return;
    SmallVector<Access> accesses;
    if (failed(collectAccesses(nested, accesses))) {
      isUnknown = true;
      return;
    }
    // Hints and prints keep their place.
    if (accesses.empty() && !isMemoryEffectFree(nested) &&
        !nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !nested->hasTrait<OpTrait::IsTerminator>())
      isUnknown = true;
    for (const Access &access : accesses) {
      Value buffer = getBaseBuffer(access.region.buffer);
      if (getMemorySpace(access.region.buffer) == MemorySpace::Global)
        buffer = Value();
      if (access.kind != AccessKind::Write)
        read.insert(buffer);
      if (access.kind != AccessKind::Read)
        written.insert(buffer);
    }
  });
}

bool Touched::conflictsWith(const Touched &other) const {
  auto isIn = [](const DenseSet<Value> &set) {
    return [&set](Value buffer) { return set.contains(buffer); };
  };
  return isUnknown || other.isUnknown ||
         llvm::any_of(written, isIn(other.read)) ||
         llvm::any_of(written, isIn(other.written)) ||
         llvm::any_of(read, isIn(other.written));
}

static bool conflict(Operation *a, Operation *b) {
  return Touched(a).conflictsWith(Touched(b));
}

/// Whether the op brings a tile from global to shared memory.
static bool isLoad(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  return copy && getMemorySpace(copy.getSource()) == MemorySpace::Global &&
         getMemorySpace(copy.getTarget()) == MemorySpace::Shared;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

bool Rotation::findBounds() {
  if (loop->getNumResults() != 0)
    return false;
  std::optional<Value> index = loop.getSingleInductionVar();
  auto getConstant = [](std::optional<OpFoldResult> bound) {
    return bound ? getConstantIntValue(*bound) : std::nullopt;
  };
  std::optional<int64_t> from = getConstant(loop.getSingleLowerBound());
  std::optional<int64_t> to = getConstant(loop.getSingleUpperBound());
  std::optional<int64_t> by = getConstant(loop.getSingleStep());
  if (!index || !from || !to || !by || *by < 1 || *to - *from <= *by)
    return false;
  iteration = *index;
  lower = *from;
  step = *by;
  last = lower + (*to - 1 - lower) / step * step;
  return true;
}

/// The numbers a and b, if the value is a * index + b.
static std::optional<std::pair<int64_t, int64_t>> getLinear(Value value,
                                                            Value index) {
  MLIRContext *context = value.getContext();
  AffineMap map = AffineMap::getMultiDimIdentityMap(1, context);
  SmallVector<Value> operands{value};
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  AffineExpr expr = map.getResult(0);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::pair(int64_t(0), constant.getValue());
  if (operands.size() != 1 || operands[0] != index || map.getNumDims() != 1)
    return std::nullopt;
  AffineExpr dim = getAffineDimExpr(0, context);
  auto getAt = [&](int64_t place) {
    AffineExpr value = expr.replace(dim, getAffineConstantExpr(place, context));
    return cast<AffineConstantExpr>(simplifyAffineExpr(value, 1, 0)).getValue();
  };
  int64_t begin = getAt(0), slope = getAt(1) - begin;
  if (simplifyAffineExpr(expr - dim * slope - begin, 1, 0) !=
      getAffineConstantExpr(0, context))
    return std::nullopt;
  return std::pair(slope, begin);
}

/// Whether the condition holds in all iterations but the last one.
bool Rotation::isOfAllButLast(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return false;
  auto lhs = getLinear(compare.getLhs(), iteration);
  auto rhs = getLinear(compare.getRhs(), iteration);
  if (!lhs || !rhs)
    return false;
  // What is compared rises or falls steadily: its ends tell all.
  auto holds = [&](int64_t index) {
    return arith::applyCmpPredicate(
        compare.getPredicate(),
        APInt(64, lhs->first * index + lhs->second, true),
        APInt(64, rhs->first * index + rhs->second, true));
  };
  using Predicate = arith::CmpIPredicate;
  switch (compare.getPredicate()) {
  case Predicate::slt:
  case Predicate::sle:
  case Predicate::sgt:
  case Predicate::sge:
    return holds(lower) && holds(last - step) && !holds(last);
  case Predicate::ne:
    return lhs->first != rhs->first && !holds(last);
  default:
    return false;
  }
}

/// The ops that touch memory in branches of all iterations but the last one.
bool Rotation::findNext() {
  Block &body = loop.getLoopRegions().front()->front();
  for (auto branch : body.getOps<scf::IfOp>()) {
    if (branch.getNumResults() != 0 || branch.elseBlock() ||
        !isOfAllButLast(branch.getCondition()))
      continue;
    guards.push_back(branch);
    for (Operation &op : branch.thenBlock()->without_terminator())
      if (!isMemoryEffectFree(&op) && !isa<AllocOp>(op))
        next.push_back(&op);
  }
  return llvm::any_of(next, isLoad);
}

/// Whether what the iteration does afterwards may come before.
bool Rotation::canMoveDown() {
  for (scf::IfOp guard : guards)
    for (Operation *op = guard->getNextNode(); op; op = op->getNextNode())
      if (!llvm::is_contained(guards, op) && conflict(guard, op))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The first iteration
//===----------------------------------------------------------------------===//

/// A map over the values that the first of the next iterations has.
std::pair<AffineMap, SmallVector<Value>>
Rotation::getMapOfFirst(AffineMap map, ValueRange given) {
  SmallVector<Value> operands(given);
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  auto *found = llvm::find(operands, iteration);
  unsigned place = found - operands.begin();
  if (place < map.getNumDims()) {
    AffineExpr index = getAffineConstantExpr(lower - step, map.getContext());
    map = map.replace(getAffineDimExpr(place, map.getContext()), index,
                      map.getNumDims(), map.getNumSymbols());
  }
  map = simplifyAffineMap(map);
  affine::canonicalizeMapAndOperands(&map, &operands);
  return {map, operands};
}

/// The region's offsets; those of all of a buffer are 0.
static AffineMap getOffsets(const BufferRegion &region) {
  MLIRContext *context = region.buffer.getContext();
  SmallVector<AffineExpr> zeros(region.sizes.size(),
                                getAffineConstantExpr(0, context));
  return region.map ? region.map : AffineMap::get(0, 0, zeros, context);
}

bool Rotation::isFirstRegion(const BufferRegion &first,
                             const BufferRegion &next) {
  return first.buffer == next.buffer && first.sizes == next.sizes &&
         getMapOfFirst(getOffsets(first), first.operands) ==
             getMapOfFirst(getOffsets(next), next.operands);
}

/// Whether one value is what the other one is in the first iteration.
bool Rotation::isFirstOf(Value first, Value next) {
  if (first == next)
    return loop.isDefinedOutsideOfLoop(next);
  if (Value result = results.lookup(next))
    return result == first;
  if (first.getType() != next.getType())
    return false;
  if (first.getType().isIndex()) {
    auto identity = AffineMap::getMultiDimIdentityMap(1, loop.getContext());
    return getMapOfFirst(identity, first) == getMapOfFirst(identity, next);
  }
  Operation *op = first.getDefiningOp(), *other = next.getDefiningOp();
  return op && other && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         isFirstOf(op, other);
}

/// Whether an op does in front of the loop what another one does for the next
/// iteration.
bool Rotation::isFirstOf(Operation *first, Operation *next) {
  auto copy = dyn_cast<CopyOp>(first), other = dyn_cast<CopyOp>(next);
  if (copy && other) {
    auto getRest = [](CopyOp op) {
      return std::tuple(op.getIsUnsigned(), op.getSaturate(),
                        op.getPreferAttr(), op.getCoalescedWidthAttr(),
                        op.getInstructionAttr(), op.getSignal());
    };
    return getRest(copy) == getRest(other) &&
           isFirstRegion(copy.getSourceRegion(), other.getSourceRegion()) &&
           isFirstRegion(copy.getTargetRegion(), other.getTargetRegion());
  }
  DenseMap<Value, Value> inside;
  return OperationEquivalence::isEquivalentTo(
      first, next,
      [&](Value a, Value b) {
        auto found = inside.find(b);
        return success(found == inside.end() ? isFirstOf(a, b)
                                             : found->second == a);
      },
      [&](Value a, Value b) { inside[b] = a; },
      OperationEquivalence::IgnoreLocations);
}

/// What the loop does for the next iteration, for the first one in front of it.
bool Rotation::findFirst() {
  for (Operation *op : next) {
    Operation *found = loop->getPrevNode();
    while (found && (llvm::is_contained(first, found) || !isFirstOf(found, op)))
      found = found->getPrevNode();
    if (!found)
      return false;
    first.push_back(found);
    for (auto [result, other] :
         llvm::zip(op->getResults(), found->getResults()))
      results[result] = other;
  }
  return true;
}

/// Whether that may be done in the loop, in the order of the loop.
bool Rotation::canEnterLoop() {
  for (auto [i, op] : llvm::enumerate(first)) {
    for (Operation *user : op->getUsers())
      if (!llvm::is_contained(first, user))
        return false;
    auto later = ArrayRef(first).drop_front(i);
    for (Operation *behind = op->getNextNode(); behind != loop;
         behind = behind->getNextNode())
      if (!llvm::is_contained(later, behind) && !isMemoryEffectFree(behind) &&
          conflict(op, behind))
        return false;
  }
  return true;
}

bool Rotation::find() {
  return findBounds() && findNext() && canMoveDown() && findFirst() &&
         canEnterLoop() && llvm::all_of(getSlice(), isMemoryEffectFree);
}

//===----------------------------------------------------------------------===//
// The loop that begins with it
//===----------------------------------------------------------------------===//

/// What the ops in the branches need from the rest of an iteration.
llvm::SetVector<Operation *> Rotation::getSlice() {
  llvm::SetVector<Operation *> slice;
  Block *body = &loop.getLoopRegions().front()->front();
  llvm::SetVector<Value> needed;
  for (scf::IfOp guard : guards)
    getUsedValuesDefinedAbove(guard.getThenRegion(), needed);
  SmallVector<Value> work(needed.begin(), needed.end());
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != body || !slice.insert(op))
      continue;
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(work, captured);
    llvm::append_range(work, op->getOperands());
  }
  return slice;
}

/// Offsets that were of the iteration before are of this one.
static void composeOffsets(CopyOp copy) {
  auto compose = [](AffineMap map, MutableOperandRange indices) {
    SmallVector<Value> operands(OperandRange(indices).begin(),
                                OperandRange(indices).end());
    affine::fullyComposeAffineMapAndOperands(&map, &operands);
    affine::canonicalizeMapAndOperands(&map, &operands);
    indices.assign(operands);
    return AffineMapAttr::get(simplifyAffineMap(map));
  };
  if (AffineMapAttr map = copy.getSourceMapAttr())
    copy.setSourceMapAttr(
        compose(map.getValue(), copy.getSourceIndicesMutable()));
  if (AffineMapAttr map = copy.getTargetMapAttr())
    copy.setTargetMapAttr(
        compose(map.getValue(), copy.getTargetIndicesMutable()));
}

void Rotation::undo() {
  Block *body = &loop.getLoopRegions().front()->front();
  OpBuilder b = OpBuilder::atBlockBegin(body);
  llvm::SetVector<Operation *> slice = getSlice();
  IRMapping mapping;
  mapping.map(iteration, affine::makeComposedAffineApply(
                             b, loop.getLoc(), b.getAffineDimExpr(0) - step,
                             {OpFoldResult(iteration)})
                             .getResult());
  for (Operation &op : *body)
    if (slice.contains(&op))
      b.clone(op, mapping);
  for (scf::IfOp guard : guards)
    for (Operation &op : guard.thenBlock()->without_terminator())
      b.clone(op, mapping)->walk(composeOffsets);
  for (scf::IfOp guard : guards)
    guard.erase();
  for (Operation *op : llvm::reverse(first))
    op->erase();
  auto serial = dyn_cast<scf::ForOp>(loop.getOperation());
  if (!serial)
    return;
  b.setInsertionPoint(loop);
  auto pipelined = PipelinedOp::create(b, loop.getLoc(), ValueRange(),
                                       ArrayRef<int64_t>{lower, last + 1, step},
                                       /*stages=*/2, nullptr, nullptr);
  Block *into = b.createBlock(&pipelined.getBody());
  iteration.replaceAllUsesWith(
      into->addArgument(b.getIndexType(), iteration.getLoc()));
  body->back().erase();
  into->getOperations().splice(into->end(), body->getOperations());
  serial.erase();
}

void tilelang::undoRotations(func::FuncOp function) {
  SmallVector<LoopLikeOpInterface> loops;
  function.walk([&](Operation *op) {
    if (isa<scf::ForOp, PipelinedOp>(op) && !op->getParentOfType<ParallelOp>())
      loops.push_back(cast<LoopLikeOpInterface>(op));
  });
  // Inner loops come first.
  for (LoopLikeOpInterface loop : loops) {
    Rotation rotation(loop);
    if (!rotation.find())
      continue;
    remark::passed(loop.getLoc(), remark::RemarkOpts::name("ImportedOtherwise")
                                      .category("tile-import")
                                      .function(""))
        << "its iterations load their own tiles, not those of the next one";
    rotation.undo();
  }
}
