//===- MergeBranches.cpp - branches of loops around stores alone ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Vector code computes both sides of a branch. What a branch computes and loads
// goes before it, and a store of both sides behind it, of one of two values;
// what is left of it are guards of single stores. A guarded store to GM keeps
// the old value where nothing else may write the element.
//
//===----------------------------------------------------------------------===//

#include "ParallelParts.h"

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDMERGEBRANCHESPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
namespace tl = mlir::tile;

static Value createTruth(OpBuilder &b, Location loc) {
  return arith::ConstantIntOp::create(b, loc, 1, 1);
}

/// Null is a condition that holds.
static Value createBoth(OpBuilder &b, Location loc, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

//===----------------------------------------------------------------------===//
// What goes before a branch
//===----------------------------------------------------------------------===//

/// Where elements that are outside without the branch are not read: the first
/// one is, which nothing uses. Behind the end of a global buffer is padding.
static void keepInside(memref::LoadOp load, scf::IfOp branch, Value condition) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(load, accesses)) || accesses.size() != 1)
    return;
  bool isGlobal = getMemorySpace(load.getMemRef()) == MemorySpace::Global;
  OpBuilder b(load);
  for (OpenBounds open :
       findOpenBounds(branch, accesses.front().region)) {
    if (isGlobal && !open.lower)
      continue;
    OpOperand &index = load.getIndicesMutable()[open.dim];
    Value zero = arith::ConstantIndexOp::create(b, load.getLoc(), 0);
    index.set(arith::SelectOp::create(b, load.getLoc(), condition, index.get(),
                                      zero));
  }
}

/// The elements that a loop stores without a branch are all of its tile.
static bool storesAll(ParallelOp loop, Value buffer) {
  return llvm::any_of(loop.getBody().front().getOps<memref::StoreOp>(),
                      [&](memref::StoreOp store) {
                        return store.getMemRef() == buffer &&
                               llvm::equal(store.getIndices(),
                                           loop.getBody().getArguments()) &&
                               loop.getStaticExtents() ==
                                   store.getMemRefType().getShape();
                      });
}

static bool writesAll(Operation &op, Value buffer) {
  if (auto loop = dyn_cast<ParallelOp>(op))
    return storesAll(loop, buffer);
  SmallVector<Access> accesses;
  return succeeded(collectAccesses(&op, accesses)) &&
         llvm::any_of(accesses, [&](const Access &access) {
           return access.kind == AccessKind::Write && !access.isOptional &&
                  access.region.buffer == buffer && isWhole(access.region);
         });
}

/// Whether each way to `loop` has an op that writes all of the tile.
static bool isWrittenBefore(Value buffer, Operation *loop) {
  for (Operation *op = loop; !isa<KernelOp>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode())
      if (writesAll(*before, buffer))
        return true;
  return false;
}

/// The scalar unit computes a loop whose iterations come one after the other,
/// or that loads what it also stores. What nothing uses must have been written
/// there: the tile begins with zeros, before the first op that has to do with
/// it, unless all of it is written in any case.
static void fillBefore(memref::LoadOp load, scf::IfOp branch) {
  auto loop = branch->getParentOfType<ParallelOp>();
  auto alloc = load.getMemRef().getDefiningOp<AllocOp>();
  if (!alloc || loop->isProperAncestor(alloc) ||
      getMemorySpace(alloc.getBuffer()) == MemorySpace::Local ||
      getElementBits(alloc.getBuffer()) < 8 ||
      isWrittenBefore(alloc.getBuffer(), loop))
    return;
  auto isStored = [&](Operation *user) {
    return isa<memref::StoreOp>(user) && loop->isProperAncestor(user);
  };
  if (!ascend::needsSerialLoops(loop) &&
      llvm::none_of(alloc->getUsers(), isStored))
    return;
  Block *body = &loop->getParentOfType<KernelOp>().getBody().front();
  Operation *first = body->findAncestorOpInBlock(*loop);
  for (Operation *user : alloc->getUsers())
    if (Operation *op = body->findAncestorOpInBlock(*user);
        op->isBeforeInBlock(first))
      first = op;
  OpBuilder b(first);
  if (alloc->getBlock() != body || !alloc->isBeforeInBlock(first))
    alloc->moveBefore(first);
  Value zero = arith::ConstantOp::create(
      b, load.getLoc(), b.getZeroAttr(load.getMemRefType().getElementType()));
  FillOp::create(b, load.getLoc(), alloc.getBuffer(), zero);
}

static bool isHoisted(Operation &op, Block &block,
                      const DenseSet<Value> &written) {
  if (op.getNumRegions() != 0 || op.hasTrait<OpTrait::IsTerminator>() ||
      llvm::any_of(op.getOperands(), [&](Value operand) {
        return operand.getParentBlock() == &block;
      }))
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return !written.contains(getBaseBuffer(load.getMemRef()));
  return isMemoryEffectFree(&op);
}

/// `condition` holds where the block is taken.
static void hoist(Block &block, scf::IfOp branch, Value condition) {
  DenseSet<Value> written;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isHoisted(op, block, written)) {
      op.moveBefore(branch);
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        keepInside(load, branch, condition);
        fillBefore(load, branch);
      }
      continue;
    }
    op.walk([&](Operation *inner) {
      SmallVector<Access> accesses;
      (void)collectAccesses(inner, accesses);
      for (const Access &access : accesses)
        if (access.kind != AccessKind::Read)
          written.insert(getBaseBuffer(access.region.buffer));
    });
  }
}

//===----------------------------------------------------------------------===//
// What is left of it
//===----------------------------------------------------------------------===//

namespace {
/// A store, and the condition of a branch around it alone.
struct GuardedStore {
  memref::StoreOp store;
  Value condition; // null if there is no branch
};
} // namespace

/// The one store of a branch that has nothing else.
static std::optional<GuardedStore> getGuarded(Operation &op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return GuardedStore{store, Value()};
  auto guard = dyn_cast<scf::IfOp>(op);
  if (!guard || guard.elseBlock() || !llvm::hasNItems(*guard.thenBlock(), 2))
    return std::nullopt;
  auto store = dyn_cast<memref::StoreOp>(guard.thenBlock()->front());
  if (!store)
    return std::nullopt;
  return GuardedStore{store, guard.getCondition()};
}

/// The stores of a block; nothing if it has other ops.
static std::optional<SmallVector<GuardedStore>> getStores(Block *block) {
  SmallVector<GuardedStore> stores;
  if (!block)
    return stores;
  for (Operation &op : block->without_terminator()) {
    if (isa<AssumeOp>(op)) // it is known in the branch alone
      continue;
    std::optional<GuardedStore> store = getGuarded(op);
    if (!store)
      return std::nullopt;
    stores.push_back(*store);
  }
  return stores;
}

/// Whether two values are computed alike from the same ones.
static bool isSameValue(Value x, Value y) {
  if (x == y)
    return true;
  Operation *a = x.getDefiningOp(), *c = y.getDefiningOp();
  return a && c && isPure(a) && a->getNumRegions() == 0 &&
         OperationEquivalence::isEquivalentTo(
             a, c,
             [](Value u, Value v) { return success(isSameValue(u, v)); },
             /*markEquivalent=*/nullptr,
             OperationEquivalence::IgnoreLocations);
}

static bool isSameElement(memref::StoreOp a, memref::StoreOp c) {
  return a.getMemRef() == c.getMemRef() &&
         llvm::all_of(llvm::zip_equal(a.getIndices(), c.getIndices()),
                      [](auto pair) {
                        return isSameValue(std::get<0>(pair),
                                           std::get<1>(pair));
                      });
}

/// The only store to the buffer of `store` among these; null if there is none,
/// or another one.
static GuardedStore *findOnly(SmallVectorImpl<GuardedStore> &stores,
                              memref::StoreOp store) {
  GuardedStore *only = nullptr;
  for (GuardedStore &other : stores) {
    if (!other.store || getBaseBuffer(other.store.getMemRef()) !=
                            getBaseBuffer(store.getMemRef()))
      continue; // or merged already
    if (only)
      return nullptr;
    only = &other;
  }
  return only;
}

static void createGuarded(OpBuilder &b, GuardedStore guarded) {
  Location loc = guarded.store.getLoc();
  if (!guarded.condition)
    return guarded.store->moveBefore(b.getInsertionBlock(),
                                     b.getInsertionPoint());
  auto guard = scf::IfOp::create(b, loc, guarded.condition, false);
  guarded.store->moveBefore(guard.thenBlock()->getTerminator());
}

/// One store where both sides have one to the same element.
static GuardedStore mergeStores(OpBuilder &b, Value condition,
                                GuardedStore then, GuardedStore other) {
  Location loc = then.store.getLoc();
  auto select = [&](Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  Value guard;
  if (then.condition || other.condition) {
    Value truth = createTruth(b, loc);
    guard = select(then.condition ? then.condition : truth,
                   other.condition ? other.condition : truth);
  }
  then.store.getValueMutable().set(
      select(then.store.getValue(), other.store.getValue()));
  return {then.store, guard};
}

/// The stores of both sides as guarded ones in the place of the branch.
static void dissolve(scf::IfOp branch, SmallVectorImpl<GuardedStore> &then,
                     SmallVectorImpl<GuardedStore> &otherwise, Value negated) {
  OpBuilder b(branch);
  Location loc = branch.getLoc();
  Value condition = branch.getCondition();
  SmallVector<GuardedStore> merged;
  for (GuardedStore &store : then) {
    GuardedStore *other = findOnly(otherwise, store.store);
    if (!other || findOnly(then, store.store) != &store ||
        !isSameElement(store.store, other->store)) {
      merged.push_back(
          {store.store, createBoth(b, loc, condition, store.condition)});
      continue;
    }
    merged.push_back(mergeStores(b, condition, store, *other));
    other->store = nullptr;
  }
  for (GuardedStore &store : otherwise)
    if (store.store)
      merged.push_back(
          {store.store, createBoth(b, loc, negated, store.condition)});
  for (GuardedStore &store : merged)
    createGuarded(b, store);
  for (auto [result, yes, no] :
       llvm::zip(branch.getResults(),
                 branch.getNumResults() ? branch.thenYield().getOperands()
                                        : ValueRange(),
                 branch.getNumResults() ? branch.elseYield().getOperands()
                                        : ValueRange()))
    result.replaceAllUsesWith(
        arith::SelectOp::create(b, loc, condition, yes, no).getResult());
  branch.erase();
}

static void merge(scf::IfOp branch) {
  auto loop = branch->getParentOfType<ParallelOp>();
  if (ascend::getDependence(loop, branch.getCondition()).none())
    return;
  OpBuilder b(branch);
  Location loc = branch.getLoc();
  Value negated;
  if (branch.elseBlock())
    negated = arith::XOrIOp::create(b, loc, branch.getCondition(),
                                    createTruth(b, loc));
  hoist(*branch.thenBlock(), branch, branch.getCondition());
  if (branch.elseBlock())
    hoist(*branch.elseBlock(), branch, negated);
  auto then = getStores(branch.thenBlock()),
       otherwise = getStores(branch.elseBlock());
  if (then && otherwise)
    dissolve(branch, *then, *otherwise, negated);
}

namespace {
struct AscendMergeBranches
    : tl::impl::AscendMergeBranchesPassBase<AscendMergeBranches> {
  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    SmallVector<scf::IfOp> branches; // inner ones first
    getOperation()->walk([&](scf::IfOp branch) {
      if (branch->getParentOfType<ParallelOp>())
        branches.push_back(branch);
    });
    for (scf::IfOp branch : branches)
      merge(branch);
  }
};
} // namespace
