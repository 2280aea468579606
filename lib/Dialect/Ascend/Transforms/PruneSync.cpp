//===- PruneSync.cpp - redundant flags and barriers -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrossCoreVerifier.h"
#include "FlagAssignment.h"
#include "Tile/Analysis/Bounds.h"
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
namespace target = ::tile::target;

namespace {
/// A barrier, or a group of flags, and what the flags of the chip have against
/// its removal.
struct Removable {
  SmallVector<Operation *> ops;
  std::optional<FlagProblem> problem;
};
} // namespace

/// Groups by their number, flags between the cores first: they hold a whole
/// core.
static SmallVector<Removable> collectRemovable(Region &code) {
  std::map<std::pair<bool, int64_t>, Removable> groups;
  code.walk([&](Operation *op) {
    if (auto group = op->getAttrOfType<IntegerAttr>(AscendDialect::kGroupAttr))
      groups[{true, group.getInt()}].ops.push_back(op);
    // Both ends, where both are here.
    if (!op->hasAttr(AscendDialect::kCrossCoreTransferAttr) ||
        isa<SectionOp>(code.getParentOp()))
      return;
    if (auto set = dyn_cast<CrossCoreSetFlagOp>(op))
      groups[{false, set.getId()}].ops.push_back(op);
    if (auto wait = dyn_cast<CrossCoreWaitFlagOp>(op))
      groups[{false, wait.getId()}].ops.push_back(op);
  });
  return llvm::to_vector(llvm::make_second_range(groups));
}

void mlir::tile::ascend::pruneSync(tl::KernelOp kernel, Region &code,
                                   HappensBefore &order, bool isTrial) {
  SmallVector<Removable> groups = collectRemovable(code);
  DenseSet<Operation *> removed;
  unsigned count = groups.size();
  // What bounds how far a core runs ahead stays.
  order.setCountsSets(true);
  order.setCountsSets(order.run());
  auto remove = [&](Removable &group) {
    DenseSet<Operation *> without = removed;
    without.insert(group.ops.begin(), group.ops.end());
    order.setDisabled(without);
    if (order.run()) {
      removed = std::move(without);
      return true;
    }
    group.problem = order.getProblem();
    return false;
  };
  // Later ones were inserted knowing the earlier ones.
  llvm::erase_if(groups, remove);
  // What only kept a flag from being set twice goes with that flag; the order
  // of instructions can but get less.
  for (size_t before = 0; before != removed.size();) {
    before = removed.size();
    llvm::erase_if(groups, [&](Removable &group) {
      return group.problem && (removed.contains(group.problem->op) ||
                               removed.contains(group.problem->other)) &&
             remove(group);
    });
  }
  order.setDisabled({});
  order.setCountsSets(false);
  for (Operation *op : removed)
    op->erase();
  if (isTrial)
    return;
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("PrunedSync").category("ascend-prune-sync"))
      << remark::metric("groups", count)
      << remark::metric("pruned", count - unsigned(groups.size()));
}

/// Whether a core has what an op of its code names: a pipe, a barrier, a pair.
static LogicalResult verifyPipes(Operation *op, Core core) {
  const target::AscendSpec &spec = getSpec(op);
  target::Core at = core == Core::Cube ? target::Core::AIC : target::Core::AIV;
  auto flag = [&](auto op) -> LogicalResult {
    if (spec.hasFlag(at, *getEngine(op.getSrc()), *getEngine(op.getDst())))
      return success();
    return op.emitOpError()
           << "the " << stringifyCore(core) << " core has no flags from '"
           << stringifyPipe(op.getSrc()) << "' to '"
           << stringifyPipe(op.getDst()) << "'";
  };
  if (auto set = dyn_cast<SetFlagOp>(op))
    return flag(set);
  if (auto wait = dyn_cast<WaitFlagOp>(op))
    return flag(wait);
  if (auto barrier = dyn_cast<PipeBarrierOp>(op);
      barrier && barrier.getPipe() != Pipe::All &&
      !spec.hasBarrier(at, *getEngine(barrier.getPipe())))
    return op->emitOpError()
           << "the " << stringifyCore(core) << " core has no barrier of '"
           << stringifyPipe(barrier.getPipe()) << "'";
  auto raise = dyn_cast<CrossCoreSetFlagOp>(op);
  if (raise && llvm::none_of(spec.flagPairs, [&](const auto &pair) {
        return pair.core == at && (pair.src == getEngine(raise.getPipe()) ||
                                   pair.dst == getEngine(raise.getPipe()));
      }))
    return op->emitOpError()
           << "the " << stringifyCore(core) << " core has no pipe '"
           << stringifyPipe(raise.getPipe()) << "'";
  return success();
}

/// What stands alone: the pipes of the core, and flags that another core would
/// have to take or raise.
static LogicalResult verifyOps(Region &code, Core core, bool hasOther) {
  // Before it is divided, an op of a kernel of both cores says which one it is
  // of.
  bool isOfBoth = hasOther && isa<tl::KernelOp>(code.getParentOp());
  auto result = code.walk([&](Operation *op) -> WalkResult {
    std::optional<Core> at = getCoreOf(op);
    if (!at && !isOfBoth)
      at = core;
    if (at && failed(verifyPipes(op, *at)))
      return WalkResult::interrupt();
    if (hasOther || !isa<CrossCoreSetFlagOp, CrossCoreWaitFlagOp>(op))
      return WalkResult::advance();
    return op->emitOpError("the kernel has no code of the other core");
  });
  return failure(result.wasInterrupted());
}

static bool hasBothCores(tl::KernelOp kernel) {
  bool has[2] = {false, false};
  kernel.walk([&](Operation *op) {
    if (auto section = dyn_cast<SectionOp>(op))
      has[unsigned(section.getCore())] = true;
    if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      has[unsigned(instruction.getCore())] = true;
  });
  return has[0] && has[1];
}

static LogicalResult verify(Region &code, Core core) {
  HappensBefore order(code, core);
  if (order.run())
    return success();
  if (auto problem = order.getProblem())
    return reportProblem(*problem);
  return reportHazard(*order.getHazard());
}

static bool verifyBoth(tl::KernelOp kernel) {
  CrossCoreVerifier cores(kernel);
  if (cores.run())
    return true;
  cores.report();
  return false;
}

namespace {
struct AscendPruneSync
    : mlir::tile::ascend::impl::AscendPruneSyncPassBase<AscendPruneSync> {
  void runOnOperation() override {
    if (failed(tl::verifyDimensionNumbers(getOperation())))
      return signalPassFailure();
    getOperation()->walk([&](tl::KernelOp kernel) {
      (void)forEachCore(kernel, [&](Region &code, Core core) {
        HappensBefore order(code, core);
        pruneSync(kernel, code, order);
        return success();
      });
    });
  }
};

struct AscendVerifySync
    : mlir::tile::ascend::impl::AscendVerifySyncPassBase<AscendVerifySync> {
  void runOnOperation() override {
    if (failed(tl::verifyDimensionNumbers(getOperation())))
      return signalPassFailure();
    auto result = getOperation()->walk([](tl::KernelOp kernel) {
      auto verifyEach = [&](Region &code, Core core) {
        return verifyOps(code, core, hasBothCores(kernel));
      };
      if (failed(forEachCore(kernel, verifyEach)))
        return WalkResult::interrupt();
      bool isRight = CrossCoreVerifier::applies(kernel)
                         ? verifyBoth(kernel)
                         : succeeded(forEachCore(kernel, verify));
      return isRight ? WalkResult::skip() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
