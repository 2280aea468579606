//===- Variables.cpp - variables of a block as values ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Variables.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class Promotion {
public:
  explicit Promotion(AllocOp alloc)
      : alloc(alloc), rewriter(alloc.getContext()) {}

  /// Whether all that happens to the variable can be followed.
  bool isPossible();
  void run();

private:
  bool isStored(Region &region);
  Value follow(Block &block, Value current);
  Value followBranch(scf::IfOp branch, Value current);
  Value followLoop(scf::ForOp loop, Value current);

  AllocOp alloc;
  IRRewriter rewriter;
};
} // namespace

bool Promotion::isPossible() {
  MemRefType type = alloc.getType();
  if (type.getRank() != 1 || type.getNumElements() != 1)
    return false;
  bool isWritten = false;
  for (Operation *user : alloc->getUsers()) {
    if (isa<memref::LoadOp>(user))
      continue;
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store || store.getValue() == alloc.getBuffer())
      return false;
    for (Operation *parent = store->getParentOp();
         parent != alloc->getParentOp(); parent = parent->getParentOp())
      if (!isa<scf::IfOp, scf::ForOp>(parent))
        return false;
    isWritten |= store->getBlock() == alloc->getBlock();
  }
  if (!isWritten)
    return false;
  // The first use gives it a value.
  for (Operation &op : llvm::make_range(std::next(alloc->getIterator()),
                                        alloc->getBlock()->end())) {
    bool uses = op.walk([&](Operation *inner) {
                    return llvm::is_contained(inner->getOperands(),
                                              alloc.getBuffer())
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  })
                    .wasInterrupted();
    if (uses)
      return isa<memref::StoreOp>(op);
  }
  return false;
}

bool Promotion::isStored(Region &region) {
  return llvm::any_of(alloc->getUsers(), [&](Operation *user) {
    return isa<memref::StoreOp>(user) &&
           region.isAncestor(user->getParentRegion());
  });
}

Value Promotion::followBranch(scf::IfOp branch, Value current) {
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(current.getType());
  rewriter.setInsertionPoint(branch);
  auto made = scf::IfOp::create(rewriter, branch.getLoc(), types,
                                branch.getCondition(),
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  bool hasElse = !branch.getElseRegion().empty();
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  if (!hasElse) {
    rewriter.createBlock(&made.getElseRegion());
    scf::YieldOp::create(rewriter, branch.getLoc());
  }
  for (Region *region : made.getRegions()) {
    Value last = follow(region->front(), current);
    Operation *yield = region->front().getTerminator();
    yield->insertOperands(yield->getNumOperands(), last);
  }
  rewriter.replaceOp(branch, made.getResults().drop_back());
  return made.getResults().back();
}

Value Promotion::followLoop(scf::ForOp loop, Value current) {
  SmallVector<Location> names = llvm::map_to_vector(
      loop.getBody()->getArguments(),
      [](BlockArgument argument) { return argument.getLoc(); });
  names.push_back(alloc.getLoc());
  auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, current, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>{arguments.back()};
      }));
  for (auto [argument, name] : llvm::zip(made.getBody()->getArguments(), names))
    argument.setLoc(name);
  Value last = follow(*made.getBody(), made.getRegionIterArgs().back());
  Operation *yield = made.getBody()->getTerminator();
  yield->setOperand(yield->getNumOperands() - 1, last);
  return made.getResults().back();
}

/// Replaces the loads of a block; what the variable holds at its end.
Value Promotion::follow(Block &block, Value current) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && load.getMemref() == alloc.getBuffer()) {
      rewriter.replaceOp(load, current);
    } else if (auto store = dyn_cast<memref::StoreOp>(op);
               store && store.getMemref() == alloc.getBuffer()) {
      current = store.getValue();
      rewriter.eraseOp(store);
    } else if (llvm::any_of(op.getRegions(),
                            [&](Region &inner) { return isStored(inner); })) {
      current = isa<scf::IfOp>(op) ? followBranch(cast<scf::IfOp>(op), current)
                                   : followLoop(cast<scf::ForOp>(op), current);
    } else {
      op.walk([&](memref::LoadOp load) {
        if (load.getMemref() == alloc.getBuffer())
          rewriter.replaceOp(load, current);
      });
    }
  }
  return current;
}

void Promotion::run() {
  follow(*alloc->getBlock(), Value());
  rewriter.eraseOp(alloc);
}

void tilelang::promoteVariables(Operation *root) {
  SmallVector<AllocOp> variables;
  root->walk([&](AllocOp alloc) { variables.push_back(alloc); });
  for (AllocOp alloc : variables)
    if (Promotion promotion(alloc); promotion.isPossible())
      promotion.run();
}
