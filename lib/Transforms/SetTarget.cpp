//===- SetTarget.cpp - the target of a module, resolved once --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Dialect/World/Transforms/Passes.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SETTARGETPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Target;

namespace {
/// A target, and the op whose attribute names it; no op: an option does.
struct NamedTarget {
  const Target *target = nullptr;
  Operation *op = nullptr;
};
} // namespace

static LogicalResult reportContradiction(Operation *op, const Target &target,
                                         NamedTarget first) {
  InFlightDiagnostic diag = op->emitError()
                            << "'" << kTargetAttrName << "' names '"
                            << target.name << "', but ";
  if (!first.op)
    return diag << "the option 'chip' names '" << first.target->name
                << "'; leave one of them out";
  diag << "another one names '" << first.target->name
       << "'; a module is compiled for one target";
  diag.attachNote(first.op->getLoc()) << "the other one is here";
  return diag;
}

/// The target that the attributes in the module name; all name the same, and
/// the one of the option, if there is one.
static LogicalResult collectTargets(ModuleOp module, NamedTarget &found) {
  WalkResult result = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto attr = op->getAttrOfType<TargetAttr>(kTargetAttrName);
    if (!attr)
      return WalkResult::advance();
    const Target &target = getTarget(attr);
    if (!found.op && (!found.target || found.target == &target))
      found = {&target, op};
    if (found.target == &target)
      return WalkResult::advance();
    (void)reportContradiction(op, target, found);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Reductions of parts of rows need blocks that share memory.
static LogicalResult verifySpreads(ModuleOp module, const Target &target) {
  if (target.has(::tile::target::Feature::Clusters))
    return success();
  bool ok = true;
  module->walk([&](ReduceOp op) {
    if (!op->hasAttr(kSpreadAttrName))
      return;
    op.emitOpError() << "combines parts of rows in several blocks, and "
                     << target.name << " has no clusters; reduce whole rows";
    ok = false;
  });
  return success(ok);
}

namespace {
struct SetTargetPass : mlir::tile::impl::SetTargetPassBase<SetTargetPass> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(resolve(getOperation())))
      signalPassFailure();
  }

  LogicalResult resolve(ModuleOp module) {
    NamedTarget found;
    if (failed(lookup(module, chip, found)) ||
        failed(collectTargets(module, found)) ||
        (!found.target && failed(lookup(module, defaultChip, found))))
      return failure();
    if (!found.target)
      return module.emitError() << "expected a target; give the option 'chip' "
                                   "or the module the attribute '"
                                << kTargetAttrName << "'";
    if (!isInFamily(*found.target, family))
      return emitWrongFamily(found.op ? found.op : module.getOperation(),
                             *found.target, family);
    if (!module->hasAttr(kTargetAttrName))
      module->setAttr(kTargetAttrName,
                      TargetAttr::get(&getContext(), found.target->name.str()));
    return verifySpreads(module, *found.target);
  }

  /// An empty name names nothing.
  static LogicalResult lookup(ModuleOp module, StringRef name,
                              NamedTarget &found) {
    if (name.empty())
      return success();
    found.target = ::tile::target::lookupTarget(name);
    if (found.target)
      return success();
    return module.emitError() << ::tile::target::describeUnknownTarget(name);
  }
};
} // namespace

void mlir::tile::buildTileFrontEnd(OpPassManager &pm,
                                   const SetTargetPassOptions &target) {
  pm.addPass(createVerifyDialectsPass());
  pm.addPass(createSetTargetPass(target));
  pm.addPass(world::createWorldDecomposeCollectivesPass());
  pm.addPass(createInlineCallsPass());
  pm.addPass(createBindParametersPass());
  pm.addPass(world::createWorldVerifyPass());
  pm.addPass(createVerifySemanticsPass());
  pm.addPass(world::createWorldResolvePass());
  pm.addPass(createLegalizeAccessesPass());
  pm.addPass(createFoldViewsPass());
}
