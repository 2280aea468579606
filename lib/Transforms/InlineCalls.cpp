//===- InlineCalls.cpp - functions that kernels call ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/InlineCalls.h"

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/Inliner.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Bounds what nested calls expand to, which is exponential in their depth.
static constexpr unsigned kMaxCalls = 1024;

namespace {
/// The callee has been checked, and what it may contain is for verifiers to
/// say: a dialect need not have an opinion.
struct KernelInlinerInterface : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  void handleTerminator(Operation *, Block *) const final {
    llvm_unreachable("a callee has one block");
  }
  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, operand] : llvm::zip_equal(results, op->getOperands()))
      result.replaceAllUsesWith(operand);
  }
};

class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : module(module) {}
  LogicalResult run();

private:
  LogicalResult inlineCallsIn(Operation *root);
  LogicalResult inlineCall(func::CallOp call);
  LogicalResult verifyCallee(func::CallOp call, func::FuncOp callee);
  LogicalResult replaceByBody(func::CallOp call, func::FuncOp callee);
  LogicalResult inlineLaunchesIn(func::FuncOp function);
  LogicalResult inlineLaunch(func::CallOp call);
  LogicalResult removeInlined();

  ModuleOp module;
  KernelInlinerInterface interface{module.getContext()};
  InlinerConfig config;
  SymbolTableCollection symbols;
  /// The functions whose bodies are being inlined, outermost first.
  SmallVector<func::FuncOp> active;
  llvm::SetVector<func::FuncOp> inlined;
  /// The functions whose calls of host code have been inlined.
  llvm::SmallPtrSet<Operation *, 8> visited;
  unsigned numCalls = 0; ///< of this kernel
};
} // namespace

static InFlightDiagnostic emitCallError(func::CallOp call,
                                        func::FuncOp callee) {
  InFlightDiagnostic diag = call.emitOpError()
                            << "calls '@" << callee.getName() << "', ";
  diag.attachNote(callee.getLoc()) << "the function is here";
  return diag;
}

LogicalResult CallInliner::verifyCallee(func::CallOp call,
                                        func::FuncOp callee) {
  if (callee.isExternal())
    return emitCallError(call, callee)
           << "which has no body; kernels call functions of their module";
  if (llvm::is_contained(active, callee))
    return emitCallError(call, callee)
           << "which calls itself; write the recursion as a loop";
  size_t numBlocks = callee.getBody().getBlocks().size();
  if (numBlocks != 1)
    return emitCallError(call, callee)
           << "whose body has " << numBlocks
           << " blocks; write its branches as 'scf.if' and its loops as "
              "'scf.for'";
  WalkResult found =
      callee.walk([](KernelOp) { return WalkResult::interrupt(); });
  if (found.wasInterrupted())
    return emitCallError(call, callee)
           << "which has a 'tile.kernel' of its own; call it from host code";
  return success();
}

LogicalResult CallInliner::replaceByBody(func::CallOp call,
                                         func::FuncOp callee) {
  if (failed(inlineRegion(interface, config.getCloneCallback(),
                          &callee.getBody(), call, call.getOperands(),
                          call.getResults(), call.getLoc())))
    // untested: callers have checked the callee
    return call.emitOpError() << "cannot be inlined";
  call.erase();
  inlined.insert(callee);
  return success();
}

LogicalResult CallInliner::inlineCall(func::CallOp call) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (failed(verifyCallee(call, callee)))
    return failure();
  if (++numCalls > kMaxCalls)
    return call.emitOpError()
           << "makes more than " << kMaxCalls
           << " calls in one kernel; write repeated calls as a loop";
  // What is inlined stands between the two neighbours of the call.
  Block *block = call->getBlock();
  Operation *before = call->getPrevNode(), *after = call->getNextNode();
  if (failed(replaceByBody(call, callee)))
    return failure();
  active.push_back(callee);
  SmallVector<Operation *> body;
  for (auto it = before ? std::next(before->getIterator()) : block->begin(),
            end = after ? after->getIterator() : block->end();
       it != end; ++it)
    body.push_back(&*it);
  for (Operation *op : body)
    if (failed(inlineCallsIn(op)))
      return failure();
  active.pop_back();
  return success();
}

LogicalResult CallInliner::inlineCallsIn(Operation *root) {
  SmallVector<func::CallOp> calls;
  WalkResult indirect = root->walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      calls.push_back(call);
    if (!isa<func::CallIndirectOp>(op))
      return WalkResult::advance();
    op->emitOpError("is an indirect call; kernels call functions by their "
                    "names");
    return WalkResult::interrupt();
  });
  if (indirect.wasInterrupted())
    return failure();
  for (func::CallOp call : calls)
    if (failed(inlineCall(call)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

bool tile::launchesKernels(FunctionOpInterface function) {
  llvm::SetVector<FunctionOpInterface> reached;
  reached.insert(function);
  for (size_t i = 0; i < reached.size(); ++i) {
    FunctionOpInterface caller = reached[i];
    WalkResult found = caller->walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        if (auto callee =
                SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
                    call, call.getCalleeAttr()))
          reached.insert(callee);
      return isa<KernelOp>(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return true;
  }
  return false;
}

/// A call of host code. What calls itself, has branches or is called too deep
/// stays: a CPU can call it.
LogicalResult CallInliner::inlineLaunch(func::CallOp call) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal() ||
      !llvm::hasSingleElement(callee.getBody()) ||
      llvm::is_contained(active, callee) || active.size() > kMaxCalls)
    return success();
  if (failed(inlineLaunchesIn(callee)))
    return failure();
  // What it calls is in it now.
  if (!callee.walk([](KernelOp) { return WalkResult::interrupt(); })
           .wasInterrupted())
    return success();
  auto caller = call->getParentOfType<func::FuncOp>();
  unsigned count = 0;
  for (func::FuncOp function : {caller, callee})
    function.walk([&](KernelOp) { ++count; });
  if (count > kMaxCalls)
    return call.emitOpError() << "makes more than " << kMaxCalls
                              << " kernels of one function; write repeated "
                                 "calls as a loop";
  return replaceByBody(call, callee);
}

/// The calls of functions that launch kernels, those of the callees first.
LogicalResult CallInliner::inlineLaunchesIn(func::FuncOp function) {
  if (!visited.insert(function).second)
    return success();
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  active.push_back(function);
  for (func::CallOp call : calls)
    if (failed(inlineLaunch(call)))
      return failure();
  active.pop_back();
  return success();
}

static bool isTile(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && getMemorySpace(memref) != MemorySpace::Global;
}

/// A tile that is allocated outside of a kernel; null if there is none.
static AllocOp findTileOutsideKernels(Operation *root) {
  AllocOp found;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    auto alloc = dyn_cast<AllocOp>(op);
    if (!alloc || !isTile(alloc.getBuffer().getType()))
      return WalkResult::advance();
    found = alloc;
    return WalkResult::interrupt();
  });
  return found;
}

/// Removes functions that are of no use any more. What they call may become
/// useless by that.
LogicalResult CallInliner::removeInlined() {
  auto isUnused = [&](func::FuncOp function) {
    if (!function.isPrivate() || function.isExternal())
      return false;
    bool isHelper = inlined.contains(function) ||
                    llvm::any_of(function.getArgumentTypes(), isTile) ||
                    findTileOutsideKernels(function);
    return isHelper && SymbolTable::symbolKnownUseEmpty(function, module);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (isUnused(function)) {
        function.erase();
        changed = true;
      }
  }
  AllocOp left = findTileOutsideKernels(module);
  if (!left)
    return success();
  return left.emitOpError()
         << "allocates a buffer in '"
         << stringifyMemorySpace(getMemorySpace(left.getBuffer()))
         << "' memory, but the function around it is called outside of "
            "kernels";
}

LogicalResult CallInliner::run() {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  for (KernelOp kernel : kernels) {
    numCalls = 0;
    if (failed(inlineCallsIn(kernel)))
      return failure();
    if (numCalls)
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("InlinedCalls")
                                          .category("tile-inline-calls"))
          << remark::metric("calls", numCalls);
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(inlineLaunchesIn(function)))
      return failure();
  return removeInlined();
}

namespace {
struct InlineCallsPass : tile::impl::InlineCallsPassBase<InlineCallsPass> {
  void runOnOperation() override {
    if (failed(CallInliner(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
