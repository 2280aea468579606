//===- Rules.cpp - what all ranks have to do alike ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::world;

//===----------------------------------------------------------------------===//
// The same program on all ranks
//===----------------------------------------------------------------------===//

/// What decides how often the regions of an op run: of loops, not what they
/// carry.
static SmallVector<Value> getDeciding(Operation *op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return llvm::to_vector(op->getOperands());
  SmallVector<Value> values;
  for (auto bounds : {loop.getLoopLowerBounds(), loop.getLoopUpperBounds(),
                      loop.getLoopSteps()})
    for (OpFoldResult bound : bounds.value_or(SmallVector<OpFoldResult>()))
      if (auto value = dyn_cast<Value>(bound))
        values.push_back(value);
  return values;
}

/// Whether ranks differ in the value, as far as arithmetic says.
static bool dependsOnRank(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<RankOp>(op))
    return true;
  auto depends = [&](Value operand) { return dependsOnRank(operand, seen); };
  if (op)
    return llvm::any_of(op->getOperands(), depends);
  // The variable of a loop is between its bounds; blocks are the same ones.
  Operation *parent = value.getParentBlock()->getParentOp();
  return isa<LoopLikeOpInterface>(parent) &&
         llvm::any_of(getDeciding(parent), depends);
}

LogicalResult tile::world::verifyUniform(BarrierOp barrier) {
  for (Operation *at = barrier->getParentOp();
       at && !isa<FunctionOpInterface>(at); at = at->getParentOp()) {
    DenseSet<Value> seen;
    if (llvm::none_of(getDeciding(at), [&](Value value) {
          return dependsOnRank(value, seen);
        }))
      continue;
    InFlightDiagnostic error = barrier.emitOpError(
        "is not reached alike by all ranks, which meet there; move it out of "
        "what 'world.rank' decides");
    error.attachNote(at->getLoc()) << "'" << at->getName() << "' depends on it";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// The buffer of which all ranks have one.
static Value getRoot(Value flags) {
  for (;;) {
    if (auto peer = flags.getDefiningOp<PeerOp>())
      flags = peer.getBuffer();
    else if (auto cast = flags.getDefiningOp<memref::CastOp>())
      flags = cast.getSource();
    else
      return flags;
  }
}

static bool isSame(Value a, Value b);

static bool areSame(OperandRange a, OperandRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return isSame(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Whether two values are computed alike: the block of one kernel is that of
/// another one with the same grid, and so are the variables of loops.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  auto x = dyn_cast<BlockArgument>(a), y = dyn_cast<BlockArgument>(b);
  if (x && y) {
    Operation *p = x.getOwner()->getParentOp(), *q = y.getOwner()->getParentOp();
    return p->getName() == q->getName() &&
           isa<KernelOp, LoopLikeOpInterface>(p) &&
           x.getArgNumber() == y.getArgNumber() &&
           p->getAttrDictionary() == q->getAttrDictionary() &&
           areSame(p->getOperands(), q->getOperands());
  }
  Operation *p = a.getDefiningOp(), *q = b.getDefiningOp();
  return p && q && p->getName() == q->getName() && isMemoryEffectFree(p) &&
         p->getNumRegions() == 0 &&
         cast<OpResult>(a).getResultNumber() ==
             cast<OpResult>(b).getResultNumber() &&
         p->getAttrDictionary() == q->getAttrDictionary() &&
         areSame(p->getOperands(), q->getOperands());
}

/// Whether what the value is computed from lies outside of the loop.
static bool isInvariant(Value value, LoopLikeOpInterface loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isInvariant(operand, loop);
         });
}

namespace {
/// The signals and waits of a function, in the order of the text.
struct Rounds {
  SmallVector<Operation *> ops;

  explicit Rounds(FunctionOpInterface function) {
    function.walk([&](Operation *op) {
      if (isa<SignalOp, WaitOp>(op))
        ops.push_back(op);
    });
  }

  static bool isFor(Operation *op, WaitOp wait) {
    auto signal = dyn_cast<SignalOp>(op);
    return signal && getRoot(signal.getFlags()) == getRoot(wait.getFlags()) &&
           isSame(signal.getIndex(), wait.getIndex());
  }

  /// Counters that only grow: nobody sets the flags back.
  bool onlyGrows(WaitOp wait) const {
    return wait.getCondition() == SignalCondition::GE &&
           llvm::none_of(ops, [&](Operation *op) {
             auto signal = dyn_cast<SignalOp>(op);
             return signal && signal.getSet() &&
                    getRoot(signal.getFlags()) == getRoot(wait.getFlags());
           });
  }

  LogicalResult verifyLoops(WaitOp wait) const {
    for (auto loop = wait->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>()) {
      if (isa<KernelOp>(loop.getOperation()))
        continue;
      if (!isInvariant(wait.getIndex(), loop) ||
          !isInvariant(wait.getValue(), loop))
        continue;
      for (Operation *op : ops) {
        if (!loop->isProperAncestor(op) || !isFor(op, wait))
          continue;
        InFlightDiagnostic error = wait.emitOpError(
            "is fulfilled by the signals of the iteration before; wait for "
            "more in each iteration, or for another flag");
        error.attachNote(op->getLoc()) << "signalled again here";
        return error;
      }
    }
    return success();
  }

  /// Of a wait behind another one for the same, with a signal between.
  LogicalResult verifyBehind(size_t index) const {
    auto wait = cast<WaitOp>(ops[index]);
    Operation *signal = nullptr;
    for (size_t i = index; i-- > 0;) {
      auto before = dyn_cast<WaitOp>(ops[i]);
      if (!signal && isFor(ops[i], wait))
        signal = ops[i];
      if (!before || getRoot(before.getFlags()) != getRoot(wait.getFlags()) ||
          before.getCondition() != wait.getCondition() ||
          !isSame(before.getIndex(), wait.getIndex()) ||
          !isSame(before.getValue(), wait.getValue()))
        continue;
      if (!signal || insideMutuallyExclusiveRegions(before, wait))
        return success();
      InFlightDiagnostic error = wait.emitOpError(
          "is fulfilled by the signals of an earlier wait; wait for more, or "
          "for another flag");
      error.attachNote(before.getLoc()) << "the earlier wait";
      error.attachNote(signal->getLoc()) << "signalled again here";
      return error;
    }
    return success();
  }
};
} // namespace

LogicalResult tile::world::verifyRounds(FunctionOpInterface function) {
  Rounds rounds(function);
  bool ok = true;
  for (auto [index, op] : llvm::enumerate(rounds.ops)) {
    auto wait = dyn_cast<WaitOp>(op);
    if (!wait || !rounds.onlyGrows(wait))
      continue;
    ok &= succeeded(rounds.verifyLoops(wait)) &&
          succeeded(rounds.verifyBehind(index));
  }
  return success(ok);
}
