//===- CPUTarget.cpp - kernels for a CPU ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostImage.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Driver/HostKernel.h"
#include "Tile/Target/Target.h"
#include "Tile/Targets/CPU/CPU.h"
#include "Tile/Targets/CPU/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::tile;

namespace mlir::tile {
void registerCPUTarget();
} // namespace mlir::tile

namespace {
class CPUBackend : public Backend {
public:
  StringRef getName() const override { return "cpu"; }
  std::vector<std::string> getChips() const override;
  bool hasChip(StringRef chip) const override {
    return isKnownCPU(getLLVMName(chip)) || chip == "native";
  }
  void registerPasses() const override { registerCPUPasses(); }
  void registerTranslations() const override { registerCPUTranslations(*this); }
  void buildPipeline(OpPassManager &pm, ModuleOp module,
                     const CompileOptions &options) const override;
  void buildCodePipeline(OpPassManager &pm,
                         const CompileOptions &) const override {
    buildLoopsToLLVMPipeline(pm);
  }
  std::vector<std::string> getKinds() const override {
    return {"object", "asm", "llvmir", "mlir"};
  }
  std::string getFingerprint(const CompileOptions &options) const override;
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        std::vector<CompiledKernel> &kernels) const override;
  std::unique_ptr<LoadedImage> load(const CompiledKernel &kernel,
                                    std::string &error) const override;

private:
  static std::string getLLVMName(StringRef chip);
  static FailureOr<std::unique_ptr<llvm::TargetMachine>>
  createMachine(ModuleOp module, const CompileOptions &options);
  LogicalResult compileFunction(ModuleOp module, StringRef name,
                                const CompileOptions &options,
                                std::vector<CompiledKernel> &kernels) const;
};
} // namespace

/// The name of a record, or one of LLVM's own.
std::string CPUBackend::getLLVMName(StringRef chip) {
  const ::tile::target::Target *record = ::tile::target::lookupTarget(chip);
  return record && record->getCPU() ? record->arch.str() : chip.str();
}

std::vector<std::string> CPUBackend::getChips() const {
  std::vector<std::string> chips{"native"};
  for (const ::tile::target::Target &record : ::tile::target::targets())
    // LLVM knows a "generic" of each architecture.
    if (record.getCPU() && isKnownCPU(record.arch) &&
        (record.arch != "generic" || record.name == "generic"))
      chips.push_back(record.name.str());
  return chips;
}

/// "native" is another CPU on another machine.
std::string CPUBackend::getFingerprint(const CompileOptions &options) const {
  std::string text = "llvm " LLVM_VERSION_STRING " ";
  text += llvm::sys::getProcessTriple();
  if (!options.chip.empty() && options.chip != "native")
    return text;
  text += " " + llvm::sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  return text + " " + llvm::join(features, ",");
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
CPUBackend::createMachine(ModuleOp module, const CompileOptions &options) {
  std::string cpu = options.chip.empty() ? "native" : getLLVMName(options.chip);
  return createTargetMachine(module, {cpu, options.features, options.optLevel});
}

void CPUBackend::buildPipeline(OpPassManager &pm, ModuleOp module,
                               const CompileOptions &options) const {
  TileToCPUPipelineOptions given;
  std::string found;
  if (auto machine = createMachine(module, options); succeeded(machine))
    found = getTargetRecord(**machine).str();
  // What nobody has asked for contradicts nothing.
  if (!options.chip.empty())
    given.chip = found;
  given.threads = options.threads;
  given.checkAssumptions = options.checkAssumptions;
  given.poisonTiles = options.poisonTiles;
  buildTileToLoopsPipeline(pm, given, found);
}

LogicalResult
CPUBackend::compileFunction(ModuleOp module, StringRef name,
                            const CompileOptions &options,
                            std::vector<CompiledKernel> &kernels) const {
  auto machine = createMachine(module, options);
  if (failed(machine))
    return failure();
  auto text = describeHostKernel(module.lookupSymbol<FunctionOpInterface>(name),
                                 "cpu", (*machine)->getTargetCPU());
  if (failed(text) || failed(lower(module, *this, options)))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateToLLVMIR(module, context, **machine);
  if (!llvmModule || failed(addHostEntry(module, *llvmModule, name)) ||
      failed(optimize(module, *llvmModule, **machine, options.optLevel)))
    return failure();
  CompiledKernel kernel{name.str(), std::move(*text), {{"object", ""}}, {}};
  addModuleText(module, options, kernel);
  // Code generation changes the module, so the text comes first.
  if (llvm::is_contained(options.emit, "llvmir")) {
    Artifact artifact{"llvmir", ""};
    llvm::raw_string_ostream(artifact.bytes) << *llvmModule;
    kernel.artifacts.push_back(std::move(artifact));
  }
  auto generate = [&](bool assembly, std::string &bytes) {
    llvm::raw_string_ostream os(bytes);
    auto copy = llvm::CloneModule(*llvmModule);
    return writeMachineCode(module, *copy, **machine, assembly, os);
  };
  if (failed(generate(/*assembly=*/false, kernel.artifacts.front().bytes)))
    return failure();
  if (llvm::is_contained(options.emit, "asm") &&
      failed(
          generate(/*assembly=*/true,
                   kernel.artifacts.emplace_back(Artifact{"asm", ""}).bytes)))
    return failure();
  kernels.push_back(std::move(kernel));
  return success();
}

LogicalResult CPUBackend::compile(ModuleOp module,
                                  const CompileOptions &options,
                                  std::vector<CompiledKernel> &kernels) const {
  return compileFunctions(module, options, [&](ModuleOp copy, StringRef name) {
    return compileFunction(copy, name, options, kernels);
  });
}

std::unique_ptr<LoadedImage> CPUBackend::load(const CompiledKernel &kernel,
                                              std::string &error) const {
  auto metadata = llvm::json::parse(kernel.metadata);
  if (!metadata) {
    error = llvm::toString(metadata.takeError());
    return nullptr;
  }
  const llvm::json::Object *object = metadata->getAsObject();
  StringRef chip =
      object ? object->getString("chip").value_or("") : StringRef();
  std::string missing = findMissingFeature(chip);
  if (!missing.empty()) {
    error = ("expected a CPU that runs code for '" + chip +
             "', got one without '" + missing + "'")
                .str();
    return nullptr;
  }
  return loadHostImage(kernel.artifacts.front().bytes,
                       getHostEntryName(kernel.function), error);
}

void mlir::tile::registerCPUTarget() {
  registerBackend(std::make_unique<CPUBackend>());
}
