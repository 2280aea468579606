//===- BindParameters.cpp - values of the parameters of kernels -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifySemantics.h"

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_BINDPARAMETERSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Values by the names of parameters.
using Bindings = llvm::MapVector<StringAttr, int64_t>;

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

/// "BM=64 BK=32"; they go before those of the module's attribute.
static LogicalResult parseBindings(ModuleOp module, StringRef text,
                                   Bindings &bindings) {
  SmallVector<StringRef> parts;
  llvm::SplitString(text, parts, " ,");
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    int64_t value;
    if (name.empty() || number.getAsInteger(10, value))
      return module.emitError()
             << "expected bindings NAME=VALUE, got '" << part << "'";
    if (!bindings.insert({StringAttr::get(module.getContext(), name), value})
             .second)
      return module.emitError() << "binds '@" << name << "' twice";
  }
  return success();
}

static LogicalResult emitUnknown(ModuleOp module, StringAttr name) {
  SmallVector<std::string> known;
  module.walk([&](ParamOp param) {
    known.push_back("@" + param.getSymName().str());
  });
  llvm::sort(known);
  InFlightDiagnostic diag = module.emitError()
                            << "cannot bind '@" << name.getValue() << "'; ";
  if (known.empty())
    return diag << "the module has no parameters";
  return diag << "the parameters are " << llvm::join(known, ", ");
}

/// The value of each parameter: the one in `bindings`, or the default.
static LogicalResult completeBindings(ModuleOp module, Bindings &bindings) {
  llvm::SmallPtrSet<Attribute, 8> declared;
  WalkResult result = module.walk([&](ParamOp param) {
    declared.insert(param.getSymNameAttr());
    int64_t value = getDefault(param, lookupTarget(module));
    auto [it, isNew] = bindings.insert({param.getSymNameAttr(), value});
    if (isNew || llvm::is_contained(param.getCandidates(), it->second))
      return WalkResult::advance();
    InFlightDiagnostic diag = module.emitError()
                              << "cannot bind '@" << param.getSymName()
                              << "' to " << it->second << "; expected one of ";
    llvm::interleaveComma(param.getCandidates(), diag);
    diag.attachNote(param.getLoc()) << "the parameter is here";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto &[name, value] : bindings)
    if (!declared.contains(name))
      return emitUnknown(module, name);
  return success();
}

//===----------------------------------------------------------------------===//
// What depends on it
//===----------------------------------------------------------------------===//

/// `tile.get_param`, and clauses like `stages(@p)`.
static void replaceUses(ModuleOp module, const Bindings &bindings) {
  auto getValue = [&](Attribute name) {
    return bindings.find(cast<FlatSymbolRefAttr>(name).getAttr())->second;
  };
  module.walk([&](Operation *op) {
    OpBuilder b(op);
    if (auto get = dyn_cast<GetParamOp>(op)) {
      Value value = arith::ConstantIndexOp::create(
          b, op->getLoc(), getValue(get.getParamAttr()));
      get.getValue().replaceAllUsesWith(value);
      return op->erase();
    }
    auto clauses = op->getAttrOfType<DictionaryAttr>(kParametersAttrName);
    if (!clauses)
      return;
    for (NamedAttribute clause : clauses)
      op->setAttr(clause.getName(),
                  b.getI64IntegerAttr(getValue(clause.getValue())));
    op->removeAttr(kParametersAttrName);
  });
}

/// Gives a tile the shape that its extents say if they are constants by now;
/// false if they are not.
static bool makeStatic(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  SmallVector<int64_t> shape(type.getShape());
  OperandRange extents = alloc.getExtents();
  unsigned next = 0;
  for (int64_t &extent : shape) {
    if (!ShapedType::isDynamic(extent))
      continue;
    std::optional<int64_t> value = getConstantIntValue(extents[next++]);
    if (!value || ShapedType::isDynamic(*value))
      return false;
    extent = *value;
  }
  alloc.getExtentsMutable().clear();
  alloc.getBuffer().setType(MemRefType::Builder(type).setShape(shape));
  return true;
}

static LogicalResult checkShape(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  if (isUnbound(type))
    return alloc.emitOpError()
           << "expected extents of parameters and constants in a tile of "
           << type;
  if (llvm::any_of(type.getShape(), [](int64_t extent) {
        return !ShapedType::isDynamic(extent) && extent < 1;
      }))
    return alloc.emitOpError()
           << "expected positive extents, got " << formatShape(type.getShape());
  return success();
}

static LogicalResult checkRequirement(RequireOp require) {
  llvm::APInt value;
  if (!matchPattern(require.getCondition(), m_ConstantInt(&value)))
    return require.emitOpError(
        "expected a condition of parameters and constants");
  if (value.isZero())
    return require.emitOpError()
           << "the parameters do not meet this requirement: "
           << require.getMessage();
  require.erase();
  return success();
}

/// A tile is used as what it is, not as one of unknown extents: a function
/// that was inlined may have taken it as such.
static bool foldCasts(ModuleOp module) {
  bool changed = false;
  module.walk([&](memref::CastOp cast) {
    auto source = dyn_cast<MemRefType>(cast.getSource().getType());
    auto target = dyn_cast<MemRefType>(cast.getType());
    if (!source || !target || !isUnbound(target) || !source.hasStaticShape())
      return;
    cast.getResult().replaceAllUsesWith(cast.getSource());
    cast.erase();
    changed = true;
  });
  return changed;
}

/// What is left of unknown extents has nothing to do with parameters.
static LogicalResult verifyStaticTiles(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isa_and_nonnull<TileDialect>(op->getDialect()))
      return WalkResult::advance();
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType());
          type && isUnbound(type)) {
        op->emitOpError() << "needs a tile of static shape, got " << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct BindParametersPass
    : mlir::tile::impl::BindParametersPassBase<BindParametersPass> {
  using BindParametersPassBase::BindParametersPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Bindings values;
    if (failed(parseBindings(module, bindings, values)))
      return signalPassFailure();
    if (auto given = module->getAttrOfType<DictionaryAttr>(kBindingsAttrName))
      for (NamedAttribute binding : given)
        values.insert({binding.getName(),
                       cast<IntegerAttr>(binding.getValue()).getInt()});
    if (failed(completeBindings(module, values)) ||
        failed(bind(module, values)) || failed(verifyStaticTiles(module)))
      return signalPassFailure();
  }

  LogicalResult bind(ModuleOp module, const Bindings &values) {
    module->removeAttr(kBindingsAttrName);
    bool isOpen = foldCasts(module) || !values.empty();
    module.walk([&](AllocOp alloc) { isOpen |= !alloc.getExtents().empty(); });
    module.walk([&](RequireOp) { isOpen = true; });
    if (!isOpen)
      return success();
    replaceUses(module, values);
    if (failed(foldExtents(module)))
      return failure();
    bool ok = true;
    module.walk([&](AllocOp alloc) { ok &= succeeded(checkShape(alloc)); });
    module.walk([&](RequireOp op) { ok &= succeeded(checkRequirement(op)); });
    if (!ok)
      return failure();
    if (!values.empty()) {
      auto remark = remark::passed(
          module.getLoc(),
          remark::RemarkOpts::name("Parameters").category(
              "tile-bind-parameters"));
      for (auto &[name, value] : values)
        remark << remark::metric(name.getValue(), value);
    }
    module.walk([](ParamOp param) { param.erase(); });
    return success();
  }

  /// Folds what is computed from parameters: extents of tiles, and what is
  /// computed from these, conditions, offsets.
  LogicalResult foldExtents(ModuleOp module) {
    OpPassManager fold(ModuleOp::getOperationName());
    fold.addPass(createCanonicalizerPass());
    bool changed;
    do {
      // Upstream's patterns take divisors and dimensions to be possible.
      if (failed(verifyConstants(module)) || failed(runPipeline(fold, module)))
        return failure();
      changed = false;
      module.walk([&](AllocOp alloc) {
        if (!alloc.getExtents().empty())
          changed |= makeStatic(alloc);
      });
      changed |= foldCasts(module);
    } while (changed);
    return success();
  }
};
} // namespace
