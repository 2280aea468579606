//===- PlaceWorkspaces.cpp - intermediate buffers of host functions -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Tile/Conversion/LinalgToTile/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PLACEWORKSPACESPASS
#include "Tile/Conversion/LinalgToTile/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether the type is one of tile.alloc in global memory.
static bool isWorkspace(MemRefType type) {
  return type.getLayout().isIdentity() &&
         !llvm::is_contained(type.getShape(), 0);
}

/// Whether the function writes through the argument.
static bool isWritten(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return store.getMemRef() == buffer;
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      return copy.getTarget() == buffer;
    if (auto copy = dyn_cast<CopyOp>(user))
      return copy.getTarget() == buffer;
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isWritten(view.getViewDest());
    return false;
  });
}

/// Whether frontends assert what always holds: that an extent is not negative.
/// (Upstream's int-range-optimizations would tell, but crash on affine.for.)
static bool alwaysHolds(cf::AssertOp assertion) {
  auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::sge ||
      !isConstantIntValue(compare.getRhs(), 0))
    return false;
  Value extent = compare.getLhs();
  if (auto cast = extent.getDefiningOp<arith::IndexCastOp>())
    extent = cast.getIn();
  return extent.getDefiningOp<memref::DimOp>();
}

/// The results are the last arguments now.
static void restoreAttributes(func::FuncOp function) {
  auto attrs = function->getAttrOfType<ArrayAttr>(kResultAttrsName);
  function->removeAttr(kResultAttrsName);
  if (!attrs || attrs.size() > function.getNumArguments())
    return;
  unsigned first = function.getNumArguments() - attrs.size();
  for (auto [i, given] : llvm::enumerate(attrs.getAsRange<DictionaryAttr>()))
    for (NamedAttribute attr : given)
      function.setArgAttr(first + i, attr.getName(), attr.getValue());
}

/// A result that is a reshape of a buffer is that buffer, and need not be
/// copied.
static bool storeInResult(memref::CopyOp copy) {
  auto expand = copy.getSource().getDefiningOp<memref::ExpandShapeOp>();
  auto result = dyn_cast<BlockArgument>(copy.getTarget());
  auto alloc = expand ? expand.getSrc().getDefiningOp<memref::AllocOp>()
                      : memref::AllocOp();
  if (!alloc || !result || !result.hasOneUse() ||
      alloc->getBlock() != copy->getBlock() ||
      result.getOwner() != copy->getBlock())
    return false;
  for (Value buffer : {alloc.getResult(), expand.getResult()})
    for (Operation *user : buffer.getUsers()) {
      Operation *place = copy->getBlock()->findAncestorOpInBlock(*user);
      if (place != copy && !place->isBeforeInBlock(copy))
        return false;
    }
  auto groups = expand.getReassociationIndices();
  if (memref::CollapseShapeOp::computeCollapsedType(
          cast<MemRefType>(result.getType()), groups) != alloc.getType())
    return false;
  OpBuilder b(copy.getContext());
  b.setInsertionPointToStart(copy->getBlock());
  auto buffer = memref::CollapseShapeOp::create(b, alloc.getLoc(), result,
                                                groups);
  alloc.replaceAllUsesWith(buffer.getResult());
  alloc.erase();
  copy.erase();
  if (expand.use_empty())
    expand.erase();
  return true;
}

namespace {
/// A buffer and the ops of the function's body between which it is used.
struct Workspace {
  memref::AllocOp alloc;
  Operation *first = nullptr, *last = nullptr;
};

struct PlaceWorkspaces
    : mlir::tile::impl::PlaceWorkspacesPassBase<PlaceWorkspaces> {
  using PlaceWorkspacesPassBase::PlaceWorkspacesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    function.walk([](memref::CopyOp copy) {
      if (!copy->getParentOfType<KernelOp>() && !storeInResult(copy))
        emitCopy(copy);
    });
    function.walk([](cf::AssertOp assertion) {
      if (alwaysHolds(assertion))
        assertion.erase();
    });
    restoreAttributes(function);
    share(function);
    for (BlockArgument argument : function.getArguments())
      if (isa<MemRefType>(argument.getType()) && isWritten(argument))
        function.setArgAttr(argument.getArgNumber(), "tile.result",
                            UnitAttr::get(&getContext()));
  }

private:
  void share(func::FuncOp function);
  static void extend(Workspace &workspace, Value buffer, Block &body);
  static void extendTo(Workspace &workspace, Operation *user, Block &body);
};
} // namespace

void PlaceWorkspaces::extendTo(Workspace &workspace, Operation *user,
                               Block &body) {
  Operation *place = body.findAncestorOpInBlock(*user);
  if (!workspace.first || place->isBeforeInBlock(workspace.first))
    workspace.first = place;
  if (!workspace.last || workspace.last->isBeforeInBlock(place))
    workspace.last = place;
}

void PlaceWorkspaces::extend(Workspace &workspace, Value buffer, Block &body) {
  for (Operation *user : buffer.getUsers()) {
    extendTo(workspace, user, body);
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      extend(workspace, view.getViewDest(), body);
    // tile-sink-loads reads the numbers where they are used.
    if (!isa<memref::LoadOp>(user) || user->getBlock() != &body)
      continue;
    SetVector<Operation *> readers;
    getForwardSlice(user, &readers);
    for (Operation *reader : readers)
      extendTo(workspace, reader, body);
  }
}

void PlaceWorkspaces::share(func::FuncOp function) {
  Block &body = function.getBody().front();
  SmallVector<Workspace> free;
  for (auto alloc : llvm::make_early_inc_range(body.getOps<memref::AllocOp>())) {
    // A buffer that the program frees is its own.
    if (llvm::any_of(alloc->getUsers(),
                     [](Operation *user) { return isa<memref::DeallocOp>(user); }))
      continue;
    Workspace next{alloc};
    extend(next, alloc, body);
    if (!next.first) {
      alloc.erase();
      continue;
    }
    if (!isWorkspace(alloc.getType())) {
      OpBuilder b(body.getTerminator());
      memref::DeallocOp::create(b, alloc.getLoc(), alloc);
      continue;
    }
    Workspace *older = llvm::find_if(free, [&](Workspace &w) {
      return w.alloc.getType() == alloc.getType() &&
             w.alloc.getDynamicSizes() == alloc.getDynamicSizes() &&
             w.last->isBeforeInBlock(next.first);
    });
    if (older == free.end()) {
      free.push_back(next);
      continue;
    }
    older->last = next.last;
    alloc.replaceAllUsesWith(older->alloc.getResult());
    alloc.erase();
  }
  for (Workspace &workspace : free) {
    MemRefType type = workspace.alloc.getType();
    if (workspaceArguments && type.hasStaticShape()) {
      unsigned index = function.getNumArguments();
      if (failed(function.insertArgument(index, type, DictionaryAttr(),
                                         workspace.alloc.getLoc())))
        return signalPassFailure();
      workspace.alloc.replaceAllUsesWith(Value(function.getArgument(index)));
      workspace.alloc.erase();
      continue;
    }
    OpBuilder b(workspace.alloc);
    auto buffer = AllocOp::create(
        b, workspace.alloc.getLoc(), workspace.alloc.getType(),
        workspace.alloc.getDynamicSizes(), LayoutAttr(), IntegerAttr());
    workspace.alloc.replaceAllUsesWith(buffer.getResult());
    workspace.alloc.erase();
  }
}
