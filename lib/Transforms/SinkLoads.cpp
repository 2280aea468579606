//===- SinkLoads.cpp - loads of host code, in kernels ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SINKLOADSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static bool isLoad(Operation *op) {
  return isa<memref::LoadOp, affine::AffineLoadOp>(op);
}

/// What may write the buffer of the load from there to the end of the kernel;
/// null if nothing does.
static Operation *findWrite(Operation *load, KernelOp kernel) {
  Value base = getBaseBuffer(load->getOperand(0));
  Operation *found = nullptr;
  auto visit = [&](Operation *op) {
    SmallVector<Access> accesses;
    bool writes;
    if (succeeded(collectAccesses(op, accesses)))
      writes = llvm::any_of(accesses, [&](const Access &access) {
        return access.kind != AccessKind::Read &&
               getBaseBuffer(access.region.buffer) == base;
      });
    else
      writes = !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
               !isMemoryEffectFree(op);
    if (!writes)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  };
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    op->walk<WalkOrder::PreOrder>(visit);
    if (found || op == kernel)
      return found;
  }
  return kernel;
}

/// Moves assertions of the host to the kernels behind them.
static void sinkAssertions(Block &host) {
  KernelOp next;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(host))) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      next = kernel;
    auto assertion = dyn_cast<cf::AssertOp>(op);
    if (!assertion || !next)
      continue;
    auto b = OpBuilder::atBlockBegin(&next.getBody().front());
    DeviceAssertOp::create(b, assertion.getLoc(), assertion.getArg(),
                           assertion.getMsg());
    assertion.erase();
  }
}

namespace {
/// Computes values of the host again in one kernel, where loads decide them.
class LoadSinker {
public:
  explicit LoadSinker(KernelOp kernel)
      : kernel(kernel), b(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  LogicalResult run() {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(kernel.getBody(), captured);
    for (Value value : captured) {
      if (!dependsOnLoad(value))
        continue;
      FailureOr<Value> inside = sink(value);
      if (failed(inside))
        return failure();
      value.replaceUsesWithIf(*inside, [&](OpOperand &use) {
        return kernel->isProperAncestor(use.getOwner());
      });
    }
    return success();
  }

private:
  /// Loads that stand beside the kernel, and ops that only compute.
  bool dependsOnLoad(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != kernel->getBlock() || op->getNumRegions() != 0)
      return false;
    if (isLoad(op))
      return true;
    if (auto it = depends.find(op); it != depends.end())
      return it->second;
    bool found = isMemoryEffectFree(op) &&
                 llvm::any_of(op->getOperands(), [&](Value operand) {
                   return dependsOnLoad(operand);
                 });
    return depends[op] = found;
  }

  FailureOr<Value> sink(Value value) {
    if (!dependsOnLoad(value))
      return value;
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (isLoad(op))
      if (Operation *write = findWrite(op, kernel)) {
        InFlightDiagnostic diag = op->emitOpError(
            "cannot be moved into the kernel that uses its result: the buffer "
            "is written before the kernel ends; copy the number to a buffer of "
            "its own first");
        diag.attachNote(write->getLoc()) << "it is written here";
        return diag;
      }
    for (Value operand : op->getOperands()) {
      FailureOr<Value> inside = sink(operand);
      if (failed(inside))
        return failure();
      mapping.map(operand, *inside);
    }
    b.clone(*op, mapping);
    return mapping.lookup(value);
  }

  KernelOp kernel;
  OpBuilder b;
  IRMapping mapping;
  DenseMap<Operation *, bool> depends;
};

struct SinkLoadsPass : mlir::tile::impl::SinkLoadsPassBase<SinkLoadsPass> {
  using SinkLoadsPassBase::SinkLoadsPassBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    llvm::SetVector<Block *> hosts;
    getOperation()->walk([&](KernelOp kernel) {
      kernels.push_back(kernel);
      hosts.insert(kernel->getBlock());
    });
    for (Block *host : hosts)
      sinkAssertions(*host);
    for (KernelOp kernel : kernels)
      if (failed(LoadSinker(kernel).run()))
        return signalPassFailure();
    for (Block *host : hosts)
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*host)))
        // A kernel without effects is launched all the same.
        if (!isa<KernelOp>(op) && (isLoad(&op) || isMemoryEffectFree(&op)) &&
            isOpTriviallyDead(&op))
          op.erase();
  }
};
} // namespace
