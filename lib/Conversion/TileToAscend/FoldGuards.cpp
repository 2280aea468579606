//===- FoldGuards.cpp - guards that the bounds of a buffer imply ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/AccessSystem.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Conversion/TileToAscend/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDFOLDGUARDSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The access of one element of a global buffer that is all that the guard
/// runs, and whose results are its own; none if there is something else.
static std::optional<Access> getGuardedAccess(scf::IfOp guard) {
  Block *then = guard.thenBlock();
  if (!llvm::hasNItems(*then, 2) ||
      (guard.elseBlock() && !llvm::hasSingleElement(*guard.elseBlock())))
    return std::nullopt;
  Operation &op = then->front();
  SmallVector<Access> accesses;
  if (failed(collectAccesses(&op, accesses)) || accesses.size() != 1 ||
      !llvm::equal(op.getResults(), guard.thenYield().getOperands()))
    return std::nullopt;
  const Access &access = accesses.front();
  if (getMemorySpace(access.region.buffer) != MemorySpace::Global ||
      !isSingleElement(access.region))
    return std::nullopt;
  return access;
}

/// Whether `value` is what a read outside of the buffer yields.
static bool isPaddingValue(Value value, KernelOp kernel, Value buffer) {
  Attribute given, expected;
  bool isConstant = matchPattern(value, m_Constant(&given));
  Value hint = findPaddingValue(kernel, buffer);
  if (!hint)
    return isConstant &&
           given == Builder(value.getContext()).getZeroAttr(value.getType());
  return value == hint ||
         (isConstant && matchPattern(hint, m_Constant(&expected)) &&
          given == expected);
}

/// Whether the condition holds in all of the executions.
static bool isImplied(const AccessSystem &executions, Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isImplied(executions, both.getLhs()) &&
           isImplied(executions, both.getRhs());
  AccessSystem others = executions;
  others.addCondition(condition, /*holds=*/false, 0);
  return others.isEmpty();
}

/// The conditions of a conjunction.
static void collectConjuncts(Value condition, SmallVectorImpl<Value> &all) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    collectConjuncts(both.getLhs(), all);
    collectConjuncts(both.getRhs(), all);
    return;
  }
  all.push_back(condition);
}

/// The executions of the guard in which the element is in bounds.
static AccessSystem getInside(scf::IfOp guard, const BufferRegion &region) {
  AccessSystem inside(guard.getContext());
  inside.addDomain(guard, 0);
  SmallVector<AffineExpr> coordinates;
  for (unsigned dim = 0, e = region.sizes.size(); dim < e; ++dim)
    coordinates.push_back(
        inside.getExpr(getOffset(region, dim), region.operands, 0));
  inside.addInBounds(region.buffer, coordinates);
  return inside;
}

/// Erases values that nothing uses, and what only they use.
static void eraseUnused(SmallVector<Value> work) {
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !isOpTriviallyDead(op))
      continue;
    llvm::append_range(work, op->getOperands());
    // One op may be there more than once.
    llvm::erase_if(work,
                   [&](Value value) { return value.getDefiningOp() == op; });
    op->erase();
  }
}

/// Leaves what the bounds do not imply of the condition of a store.
static void foldConjuncts(scf::IfOp guard, const AccessSystem &inside) {
  SmallVector<Value> conjuncts;
  Value old = guard.getCondition(), left;
  collectConjuncts(old, conjuncts);
  if (llvm::none_of(conjuncts, [&](Value condition) {
        return isImplied(inside, condition);
      }))
    return;
  OpBuilder b(guard);
  for (Value condition : conjuncts)
    if (!isImplied(inside, condition))
      left = left ? arith::AndIOp::create(b, guard.getLoc(), left, condition)
                        .getResult()
                  : condition;
  guard.getConditionMutable().assign(left);
  eraseUnused({old});
}

static void fold(scf::IfOp guard, KernelOp kernel) {
  std::optional<Access> access = getGuardedAccess(guard);
  if (!access)
    return;
  AccessSystem inside = getInside(guard, access->region);
  if (!isImplied(inside, guard.getCondition())) {
    if (isa<memref::StoreOp>(guard.thenBlock()->front()) && !guard.elseBlock() &&
        guard.getCondition().getDefiningOp<arith::AndIOp>())
      foldConjuncts(guard, inside);
    return;
  }
  SmallVector<Value> unused{guard.getCondition()};
  if (guard.elseBlock())
    llvm::append_range(unused, guard.elseYield().getOperands());
  if (!llvm::all_of(llvm::drop_begin(unused), [&](Value value) {
        return isPaddingValue(value, kernel, access->region.buffer);
      }))
    return;
  Operation &op = guard.thenBlock()->front();
  op.moveBefore(guard);
  guard->replaceAllUsesWith(op.getResults());
  guard.erase();
  eraseUnused(std::move(unused));
}

namespace {
struct AscendFoldGuards
    : tile::impl::AscendFoldGuardsPassBase<AscendFoldGuards> {
  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    getOperation()->walk([](KernelOp kernel) {
      kernel.walk([&](scf::IfOp guard) { fold(guard, kernel); });
    });
  }
};
} // namespace
