//===- CPUEngine.cpp - runs functions on this machine ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/CPU/CPUEngine.h"

#include "Tile/Driver/RuntimeSymbols.h"
#include "Tile/Targets/CPU/CPU.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tile;

CPUEngine::CPUEngine() = default;
CPUEngine::~CPUEngine() = default;

/// Makes the entries callable from outside, and all else removable. Code for
/// devices goes.
static LogicalResult keepEntries(ModuleOp module, ArrayRef<StringRef> entries) {
  auto unit = UnitAttr::get(module.getContext());
  for (auto device :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    device.erase();
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool isEntry = llvm::is_contained(entries, function.getName());
    function.setVisibility(isEntry ? SymbolTable::Visibility::Public
                                   : SymbolTable::Visibility::Private);
    if (isEntry)
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), unit);
    // A mention in these attributes is not a need.
    function->removeAttr("tile.reference");
  }
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

FailureOr<std::unique_ptr<CPUEngine>>
CPUEngine::create(ModuleOp module, ArrayRef<StringRef> entries,
                  const CPUEngineOptions &options) {
  std::unique_ptr<CPUEngine> result(new CPUEngine);
  auto machine = createTargetMachine(module, {"native", "", options.optLevel});
  if (failed(machine) || failed(keepEntries(module, entries)) ||
      failed(lowerToLLVMDialect(module, **machine, options.threads,
                                options.checkAssumptions)))
    return failure();
  result->machine = std::move(*machine);
  if (options.dumpMLIR)
    *options.dumpMLIR << module << "\n";

  ExecutionEngineOptions engineOptions;
  auto build = [&](Operation *, llvm::LLVMContext &context) {
    return translateToLLVMIR(module, context, *result->machine);
  };
  auto transform = [&](llvm::Module *llvmModule) -> llvm::Error {
    if (failed(
            optimize(module, *llvmModule, *result->machine, options.optLevel)))
      return llvm::createStringError("optimisation failed");
    if (options.dumpLLVM)
      llvmModule->print(*options.dumpLLVM, /*AAW=*/nullptr);
    return llvm::Error::success();
  };
  engineOptions.llvmModuleBuilder = build;
  engineOptions.transformer = transform;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  // The engine takes one machine away; ours serves the optimiser.
  auto own = createTargetMachine(module, {"native", "", options.optLevel});
  auto engine = ExecutionEngine::create(module, engineOptions, std::move(*own));
  if (!engine)
    // untested: the module has been verified
    return module.emitError()
           << "cannot be compiled: " << llvm::toString(engine.takeError());
  result->engine = std::move(*engine);
  result->engine->registerSymbols([&](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](StringRef name, void *address) {
      symbols[mangle(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    for (const auto &symbol : getRuntimeSymbols())
      add(symbol.first(), symbol.second);
    // This is how the lowering of cf.assert prints its message.
    if (options.failedAssertion)
      add("puts", reinterpret_cast<void *>(options.failedAssertion));
    return symbols;
  });
  result->engine->initialize();
  // Code generation happens at the first lookup: have it reported as part of
  // compilation.
  for (StringRef entry : entries) {
    std::string reason;
    if (!result->lookup(entry, reason))
      // untested: the entries are in the module
      return module.emitError() << "cannot be compiled: " << reason;
  }
  return result;
}

CPUEngine::Function CPUEngine::lookup(StringRef name,
                                      std::string &error) const {
  auto function = engine->lookupPacked(("_mlir_ciface_" + name).str());
  if (function)
    return *function;
  error = llvm::toString(function.takeError());
  return nullptr;
}
