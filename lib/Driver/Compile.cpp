//===- Compile.cpp - steps of a compilation for any target ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Backend.h"

#include "Tile/Transforms/InlineCalls.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ManagedStatic.h"

using namespace mlir;
using namespace mlir::tile;

/// Says that there is nothing to compile, and why, where linalg ops are not on
/// tensors.
static LogicalResult refuseWithoutKernel(ModuleOp module) {
  InFlightDiagnostic error =
      module.emitError("expected a public function with a 'tile.kernel', "
                       "got none");
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "linalg" ||
        !llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
      return WalkResult::advance();
    error.attachNote(op->getLoc())
        << "expected linalg ops on tensors, as they are in front of "
           "bufferization, got '"
        << op->getName() << "' on memrefs";
    return WalkResult::interrupt();
  });
  return error;
}

FailureOr<std::vector<std::string>>
tile::getKernelFunctions(ModuleOp module, const CompileOptions &options) {
  std::vector<std::string> names;
  for (const std::string &name : options.functions) {
    auto function = module.lookupSymbol<FunctionOpInterface>(name);
    if (!function || function.isExternal())
      return module.emitError()
             << "expected a function '@" << name << "' with a body, got none";
    names.push_back(name);
  }
  if (!names.empty())
    return names;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.isPublic() && launchesKernels(function))
      names.push_back(function.getName().str());
  if (names.empty())
    return refuseWithoutKernel(module);
  return names;
}

/// What the function is compared with, which it does not need.
static constexpr StringRef kReferences[] = {"tile.reference",
                                            "world.reference"};

static bool isReference(const SymbolTable::SymbolUse &use) {
  return llvm::any_of(kReferences, [&](StringRef name) {
    return use.getUser()->getAttr(name) == use.getSymbolRef();
  });
}

OwningOpRef<ModuleOp> tile::cloneFunctions(ModuleOp module,
                                           ArrayRef<std::string> names) {
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> kept;
  for (Operation &op : *module.getBody())
    if (!isa<FunctionOpInterface>(op) ||
        llvm::is_contained(names, cast<FunctionOpInterface>(op).getName()))
      kept.insert(&op);
  for (size_t i = 0; i < kept.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(kept[i]))
      for (SymbolTable::SymbolUse use : *uses)
        if (Operation *used =
                symbols.lookup(use.getSymbolRef().getRootReference());
            used && !isReference(use))
          kept.insert(used);
  auto copy = cast<ModuleOp>(module->cloneWithoutRegions());
  OpBuilder b(&copy.getRegion());
  b.createBlock(&copy.getRegion());
  IRMapping mapping;
  for (Operation &op : *module.getBody()) {
    if (!kept.contains(&op))
      continue;
    Operation *cloned = b.clone(op, mapping);
    // What they name may not be in the copy.
    for (StringRef name : kReferences)
      cloned->removeAttr(name);
  }
  return copy;
}

LogicalResult tile::keepFunctions(ModuleOp module,
                                  ArrayRef<std::string> names) {
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool kept = llvm::is_contained(names, function.getName());
    function.setVisibility(kept ? SymbolTable::Visibility::Public
                                : SymbolTable::Visibility::Private);
    // A mention in this attribute is not a need.
    for (StringRef name : kReferences)
      function->removeAttr(name);
  }
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

LogicalResult tile::compileFunctions(
    ModuleOp module, const CompileOptions &options,
    function_ref<LogicalResult(ModuleOp copy, StringRef name)> compile) {
  auto names = getKernelFunctions(module, options);
  if (failed(names))
    return failure();
  for (const std::string &name : *names) {
    OwningOpRef<ModuleOp> copy = cloneFunctions(module, {name});
    if (failed(keepFunctions(*copy, {name})) || failed(compile(*copy, name)))
      return failure();
  }
  return success();
}

LogicalResult tile::addBindings(ModuleOp module,
                                ArrayRef<std::string> bindings) {
  if (bindings.empty())
    return success();
  NamedAttrList values;
  if (auto given = module->getAttrOfType<DictionaryAttr>(kBindingsAttrName))
    values.append(given.getValue());
  Builder b(module.getContext());
  for (StringRef binding : bindings) {
    auto [name, number] = binding.split('=');
    int64_t value;
    if (name.empty() || number.getAsInteger(10, value))
      return module.emitError()
             << "expected the value of a parameter as NAME=VALUE with an "
                "integer, got '"
             << binding << "'";
    values.set(name, b.getI64IntegerAttr(value));
  }
  module->setAttr(kBindingsAttrName, values.getDictionary(b.getContext()));
  return success();
}

namespace {
/// Constructed on registration, so that other tools do not show it.
struct ParameterCLOptions {
  llvm::cl::list<std::string> parameters{
      "param",
      llvm::cl::desc("the value of a parameter, tile.param (may be repeated)"),
      llvm::cl::value_desc("NAME=VALUE")};
};
} // namespace

static llvm::ManagedStatic<ParameterCLOptions> parameterOptions;

void tile::registerParameterCLOptions() { *parameterOptions; }

/// Whether the IR is verified behind each pass, or behind the last one.
enum class VerifyIR { Each, Last };

static LogicalResult runPasses(ModuleOp module,
                               function_ref<void(OpPassManager &pm)> build,
                               VerifyIR verifyIR) {
  PassManager pm(module.getContext());
  // Fails where the tool has no such options.
  (void)applyPassManagerCLOptions(pm);
#ifdef NDEBUG
  // tile-opt, by which passes are tested, verifies behind each of them.
  pm.enableVerifier(verifyIR == VerifyIR::Each);
#endif
  build(pm);
  // A pass of upstream may report an error and go on.
  bool hasErrors = false;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        hasErrors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return failure();
      });
  return failure(failed(pm.run(module)) || hasErrors ||
                 (verifyIR == VerifyIR::Last && failed(verify(module))));
}

LogicalResult
tile::runPipeline(ModuleOp module,
                  function_ref<void(OpPassManager &pm)> build) {
  if (parameterOptions.isConstructed() &&
      failed(addBindings(module, parameterOptions->parameters)))
    return failure();
  return runPasses(module, build, VerifyIR::Each);
}

LogicalResult tile::lower(ModuleOp module, const Backend &backend,
                          const CompileOptions &options) {
  auto build = [&](OpPassManager &pm) {
    backend.buildPipeline(pm, module, options);
  };
  auto buildCode = [&](OpPassManager &pm) {
    backend.buildCodePipeline(pm, options);
  };
  return failure(failed(runPipeline(module, build)) ||
                 failed(runPasses(module, buildCode, VerifyIR::Last)));
}

void tile::addModuleText(ModuleOp module, const CompileOptions &options,
                         CompiledKernel &kernel) {
  if (!llvm::is_contained(options.emit, "mlir"))
    return;
  Artifact &artifact = kernel.artifacts.emplace_back(Artifact{"mlir", ""});
  llvm::raw_string_ostream(artifact.bytes) << module << "\n";
}

std::string tile::describeFile(StringRef path) {
  llvm::sys::fs::file_status status;
  if (path.empty() || llvm::sys::fs::status(path, status))
    return "";
  return llvm::formatv(
      " {0} {1} {2}", path, status.getSize(),
      status.getLastModificationTime().time_since_epoch().count());
}
