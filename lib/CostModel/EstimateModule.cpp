//===- EstimateModule.cpp - estimates of modules --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Describe.h"
#include "Tile/CostModel/Passes.h"
#include "Tile/CostModel/Tuning.h"

#include "Tile/Conversion/LinalgToTile/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tile {
#define GEN_PASS_DEF_APPLYTUNINGPASS
#define GEN_PASS_DEF_ESTIMATEPASS
#include "Tile/CostModel/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::cost::Program;
using ::tile::cost::SymbolValues;

FailureOr<ChipRates> mlir::tile::findChipRates(ModuleOp module,
                                               StringRef chip) {
  std::string name = chip.str();
  auto given = module->getAttrOfType<TargetAttr>("tile.target");
  if (name.empty() && given)
    name = getTarget(given).name.str();
  if (name.empty())
    return module.emitError("expected a chip to estimate for (")
           << ::tile::target::listRatedChips() << ")";
  ChipRates found{::tile::target::lookupTarget(name), nullptr};
  if (!found.target)
    return module.emitError(::tile::target::describeUnknownTarget(name));
  found.rates = ::tile::target::lookupRates(found.target->name);
  if (!found.rates)
    return module.emitError("nothing is known of how fast ")
           << found.target->name << " is; there are figures of "
           << ::tile::target::listRatedChips();
  return found;
}

FailureOr<SymbolValues>
mlir::tile::getSymbolValues(Operation *at, const Program &program,
                            StringRef sizes, DictionaryAttr bindings) {
  std::optional<NamedNumbers> known = parseNamedNumbers(sizes);
  if (!known)
    return at->emitError("expected sizes NAME=NUMBER of at least 0, each once, "
                         "got '")
           << sizes << "'";
  SymbolValues values;
  for (const std::string &symbol : program.exprs.getSymbols()) {
    auto parameter = llvm::find_if(program.parameters, [&](const auto &p) {
      return p.name == symbol;
    });
    if (parameter != program.parameters.end()) {
      auto bound = bindings ? bindings.getAs<IntegerAttr>(symbol.substr(1))
                            : IntegerAttr();
      values.push_back(bound ? bound.getInt() : parameter->defaultValue);
      continue;
    }
    auto size = known->find(symbol);
    if (size == known->end())
      return at->emitError("expected the size '")
             << symbol << "' in '" << sizes << "'; give all sizes: " << symbol
             << "=…";
    values.push_back(size->second);
  }
  return values;
}

FailureOr<OwningOpRef<ModuleOp>> mlir::tile::prepareEstimate(ModuleOp module) {
  OwningOpRef<ModuleOp> copy(module.clone());
  if (hasTensorFunctions(*copy) && failed(convertTensorFunctions(*copy)))
    return failure();
  PassManager pm(module.getContext());
  pm.addPass(createInlineCallsPass());
  if (failed(pm.run(*copy)))
    return failure();
  return std::move(copy);
}

std::string mlir::tile::getFirstCase(Operation *function) {
  auto cases = function->getAttrOfType<ArrayAttr>("tile.cases");
  return cases && !cases.empty()
             ? cast<StringAttr>(cases[0]).getValue().str()
             : "";
}

FailureOr<::tile::cost::Estimate>
mlir::tile::estimate(ModuleOp module, const EstimateOptions &options) {
  FailureOr<ChipRates> chip = findChipRates(module, options.chip);
  if (failed(chip))
    return failure();
  FailureOr<OwningOpRef<ModuleOp>> copy = prepareEstimate(module);
  if (failed(copy))
    return failure();
  CompileOptions wanted;
  wanted.functions = options.functions;
  auto names = getKernelFunctions(**copy, wanted);
  if (failed(names))
    return failure();
  auto bindings =
      module->getAttrOfType<DictionaryAttr>(kBindingsAttrName);
  ::tile::cost::Estimate all;
  for (const std::string &name : *names) {
    auto function = (*copy)->lookupSymbol<FunctionOpInterface>(name);
    auto program = describeKernels(function);
    if (failed(program))
      return failure();
    FailureOr<SymbolValues> values = getSymbolValues(
        function, **program,
        options.sizes.empty() ? getFirstCase(function) : options.sizes,
        bindings);
    if (failed(values))
      return failure();
    ::tile::cost::Estimator estimator(**program, *chip->target, *chip->rates);
    if (const auto *unmet = estimator.findUnmet(*values))
      return function.emitError(
                 "the parameters do not meet this requirement: ")
             << unmet->message;
    ::tile::cost::Estimate one = estimator.estimate(*values);
    all.seconds += one.seconds;
    if (all.problem.empty())
      all.problem = one.problem;
    llvm::append_range(all.kernels, one.kernels);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

namespace {
struct EstimatePass : mlir::tile::impl::EstimatePassBase<EstimatePass> {
  using EstimatePassBase::EstimatePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (format != "text" && format != "json") {
      module.emitError("expected the format 'text' or 'json', got '")
          << format << "'";
      return signalPassFailure();
    }
    EstimateOptions options{chip, sizes, {}};
    FailureOr<::tile::cost::Estimate> result = estimate(module, options);
    if (failed(result))
      return signalPassFailure();
    const ::tile::target::Target &target =
        *findChipRates(module, chip)->target;
    llvm::outs() << (format == "json"
                         ? ::tile::cost::formatJSON(*result, target)
                         : ::tile::cost::formatText(*result, target));
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};

struct ApplyTuningPass : mlir::tile::impl::ApplyTuningPassBase<ApplyTuningPass> {
  using ApplyTuningPassBase::ApplyTuningPassBase;

  void runOnOperation() override {
    auto names = getKernelFunctions(getOperation(), CompileOptions());
    if (failed(names))
      return signalPassFailure();
    for (const std::string &name : *names) {
      auto function = getOperation().lookupSymbol<FunctionOpInterface>(name);
      if (failed(applyTuning(getOperation(), file, chip, name,
                             sizes.empty() ? getFirstCase(function)
                                           : sizes.getValue())))
        return signalPassFailure();
    }
  }
};
} // namespace
