//===- VerifyDialects.cpp - ops and types that nothing can lower ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::tile {
#define GEN_PASS_DEF_VERIFYDIALECTSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

static bool isUnknown(Type type) {
  return type.walk([](OpaqueType) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static LogicalResult verifyValues(Operation *op, ValueRange values) {
  for (Type type : values.getTypes())
    if (isUnknown(type))
      return op->emitError() << "'" << op->getName() << "' has a value of type "
                             << type << ", which no registered dialect has";
  return success();
}

/// An attribute that is no part of an op and of no dialect is one that nobody
/// reads: in the short form of an op, a misspelt one.
static LogicalResult verifyAttributes(Operation *op) {
  if (!llvm::is_contained({"tile", "world", "ascend"},
                          op->getDialect()->getNamespace()))
    return success();
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.'))
      continue;
    InFlightDiagnostic error = op->emitError()
                               << "'" << op->getName()
                               << "' has no attribute '" << name << "'";
    SmallVector<StringRef> known;
    for (StringAttr own : op->getName().getAttributeNames())
      if (own != OpTrait::AttrSizedOperandSegments<void>::getOperandSegmentSizeAttr())
        known.push_back(own);
    if (!known.empty())
      error << "; its attributes are " << llvm::join(known, ", ");
    return error;
  }
  return success();
}

static LogicalResult verifyKnown(Operation *op) {
  if (!op->isRegistered())
    return op->emitError()
           << "no registered dialect has an op '" << op->getName()
           << "'; lower it, or register its dialect and give it a lowering";
  if (failed(verifyAttributes(op)) ||
      failed(verifyValues(op, op->getResults())))
    return failure();
  for (Region &region : op->getRegions())
    if (failed(verifyValues(op, ValueRange(region.getArguments()))))
      return failure();
  return success();
}

namespace {
struct VerifyDialectsPass
    : tile::impl::VerifyDialectsPassBase<VerifyDialectsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    bool ok = true;
    getOperation()->walk(
        [&](Operation *op) { ok &= succeeded(verifyKnown(op)); });
    if (!ok)
      signalPassFailure();
  }
};
} // namespace
