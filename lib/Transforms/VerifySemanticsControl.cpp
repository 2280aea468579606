//===- VerifySemanticsControl.cpp - collectives and control flow ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifySemantics.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class ControlFlowVerifier {
public:
  LogicalResult verify(Operation *op);

private:
  LogicalResult verifyParent(Operation *op, Operation *parent);
  LogicalResult verifyBranches(Operation *op, Region &region);
  LogicalResult report(Operation *op, Operation *control, StringRef what,
                       Value divergent);

  Uniformity uniformity;
  PostDominanceInfo postDominance;
  /// One error is enough for all the ops that a condition or loop holds.
  llvm::SmallPtrSet<Operation *, 4> reported;
};
} // namespace

static bool isReachedTogether(Operation *op) {
  return isCollective(op) || isa<ParallelOp, PipelinedOp, PersistentOp>(op);
}

LogicalResult ControlFlowVerifier::report(Operation *op, Operation *control,
                                          StringRef what, Value divergent) {
  if (!reported.insert(control).second)
    return failure();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "must be reached by all threads of the block, but the " << what
       << " of '" << control->getName() << "' may differ between threads";
  diag.attachNote(control->getLoc()) << "the control flow is here";
  diag.attachNote(divergent.getLoc())
      << "this value may differ between threads";
  return diag;
}

LogicalResult ControlFlowVerifier::verifyParent(Operation *op,
                                                Operation *parent) {
  Value divergent = uniformity.findDivergence(getControlOperands(parent));
  if (!divergent)
    return success();
  bool isLoop = isa<LoopLikeOpInterface>(parent) && !isa<scf::WhileOp>(parent);
  return report(op, parent, isLoop ? "number of trips" : "condition",
                divergent);
}

/// The operands of a branch that choose where it goes.
static SmallVector<Value> getSelectors(BranchOpInterface branch) {
  SmallVector<Value> selectors(branch->getOperands());
  for (unsigned i = 0, e = branch->getNumSuccessors(); i < e; ++i)
    for (Value forwarded :
         branch.getSuccessorOperands(i).getForwardedOperands())
      if (auto it = llvm::find(selectors, forwarded); it != selectors.end())
        selectors.erase(it);
  return selectors;
}

LogicalResult ControlFlowVerifier::verifyBranches(Operation *op,
                                                  Region &region) {
  if (region.hasOneBlock())
    return success();
  for (Block &block : region) {
    auto branch = dyn_cast<BranchOpInterface>(block.getTerminator());
    if (!branch || branch->getNumSuccessors() < 2 ||
        postDominance.postDominates(op->getBlock(), &block))
      continue;
    if (Value divergent = uniformity.findDivergence(getSelectors(branch)))
      return report(op, branch, "condition", divergent);
  }
  return success();
}

LogicalResult ControlFlowVerifier::verify(Operation *op) {
  for (Operation *inner = op; inner->getParentOp();
       inner = inner->getParentOp()) {
    Operation *parent = inner->getParentOp();
    if (failed(verifyBranches(inner, *inner->getParentRegion())))
      return failure();
    if (isa<KernelOp, FunctionOpInterface>(parent))
      break;
    if (failed(verifyParent(op, parent)))
      return failure();
  }
  // The trips of a loop over tiles are part of what the threads agree on.
  if (!isa<ParallelOp, PipelinedOp, PersistentOp>(op))
    return success();
  Value divergent = uniformity.findDivergence(op->getOperands());
  if (!divergent)
    return success();
  reported.insert(op);
  InFlightDiagnostic diag =
      op->emitOpError("has bounds that may differ between threads");
  diag.attachNote(divergent.getLoc())
      << "this value may differ between threads";
  return diag;
}

LogicalResult tile::verifyControlFlow(Operation *root) {
  ControlFlowVerifier verifier;
  bool ok = true;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isReachedTogether(op))
      ok &= succeeded(verifier.verify(op));
  });
  return success(ok);
}
