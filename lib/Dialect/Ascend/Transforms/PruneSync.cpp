//===- PruneSync.cpp - flags and barriers that others make redundant ------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BothCores.h"
#include "Tile/Dialect/Ascend/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace mlir::tile::ascend {
#define GEN_PASS_DEF_ASCENDPRUNESYNCPASS
#define GEN_PASS_DEF_ASCENDVERIFYSYNCPASS
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::tile::ascend

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

/// Takes away each group without which everything is still in order.
static LogicalResult prune(tl::KernelOp kernel, Region &code, Core core) {
  // Flags between the cores first: they hold a whole core.
  std::map<std::pair<bool, int64_t>, SmallVector<Operation *>> groups;
  code.walk([&](Operation *op) {
    if (auto group = op->getAttrOfType<IntegerAttr>(AscendDialect::kGroupAttr))
      groups[{true, group.getInt()}].push_back(op);
    // Both ends, where both are here.
    if (!op->hasAttr(AscendDialect::kRingAttr) ||
        isa<SectionOp>(code.getParentOp()))
      return;
    if (auto set = dyn_cast<CrossSetOp>(op))
      groups[{false, set.getId()}].push_back(op);
    if (auto wait = dyn_cast<CrossWaitOp>(op))
      groups[{false, wait.getId()}].push_back(op);
  });
  HappensBefore order(code, core);
  DenseSet<Operation *> removed;
  unsigned pruned = 0;
  // Later ones were inserted knowing the earlier ones.
  for (auto &[number, ops] : groups) {
    DenseSet<Operation *> without = removed;
    without.insert(ops.begin(), ops.end());
    order.setDisabled(without);
    if (!order.run())
      continue;
    removed = std::move(without);
    ++pruned;
  }
  for (Operation *op : removed)
    op->erase();
  remark::passed(kernel.getLoc(), remark::RemarkOpts::name("PrunedSync")
                                      .category("ascend-prune-sync"))
      << remark::metric("groups", unsigned(groups.size()))
      << remark::metric("pruned", pruned);
  return success();
}

static LogicalResult verify(Region &code, Core core) {
  HappensBefore order(code, core);
  if (order.run())
    return success();
  if (auto problem = order.getProblem())
    return problem->op->emitError(problem->problem);
  return reportHazard(*order.getHazard());
}

static bool verifyBoth(tl::KernelOp kernel) {
  BothCores cores(kernel);
  if (cores.run())
    return true;
  cores.report();
  return false;
}

namespace {
struct AscendPruneSync
    : mlir::tile::ascend::impl::AscendPruneSyncPassBase<AscendPruneSync> {
  void runOnOperation() override {
    getOperation()->walk([&](tl::KernelOp kernel) {
      (void)forEachCore(kernel, [&](Region &code, Core core) {
        return prune(kernel, code, core);
      });
    });
  }
};

struct AscendVerifySync
    : mlir::tile::ascend::impl::AscendVerifySyncPassBase<AscendVerifySync> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](tl::KernelOp kernel) {
      bool isRight = BothCores::applies(kernel)
                         ? verifyBoth(kernel)
                         : succeeded(forEachCore(kernel, verify));
      return isRight ? WalkResult::skip() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
