//===- AscendTarget.cpp - kernels for Ascend NPUs -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendBackend.h"

#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Driver/HostKernel.h"
#include "Tile/Target/Target.h"
#include "Tile/Targets/Ascend/Ascend.h"
#include "Tile/Targets/Ascend/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tile;

namespace mlir::tile {
void registerAscendTarget();
} // namespace mlir::tile

namespace {
/// An NPU. The image is Ascend C; the vendor's compiler makes of it, by the
/// script "build", what the file "host" launches.
class AscendNPUBackend : public AscendBackend {
public:
  StringRef getName() const override { return "ascend"; }
  std::vector<std::string> getKinds() const override {
    return {"ascendc", "host", "build", "mlir"};
  }
  std::string getFingerprint(const CompileOptions &) const override {
    return "llvm " LLVM_VERSION_STRING;
  }
  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<ascend::AscendDialect>();
  }
  void registerPasses() const override { registerAscendPasses(); }
  void registerTranslations() const override { registerAscendTranslations(); }
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        std::vector<CompiledKernel> &kernels) const override {
    return compileFunctions(module, options, [&](ModuleOp copy, StringRef name) {
      return compileFunction(copy, name, options, kernels);
    });
  }

private:
  LogicalResult compileFunction(ModuleOp module, StringRef name,
                                const CompileOptions &options,
                                std::vector<CompiledKernel> &kernels) const;
};
} // namespace

LogicalResult AscendNPUBackend::compileFunction(
    ModuleOp module, StringRef name, const CompileOptions &options,
    std::vector<CompiledKernel> &kernels) const {
  auto text = describeHostKernel(module.lookupSymbol<FunctionOpInterface>(name),
                                 "ascend", options.chip);
  if (failed(text) || failed(lower(module, *this, options)))
    return failure();
  CompiledKernel kernel{name.str(), std::move(*text), {}, {}};
  for (auto [kind, emit] : {std::pair("ascendc", &emitAscendC),
                            std::pair("host", &emitAscendDeviceHost),
                            std::pair("build", &emitAscendBuild)}) {
    if (!kernel.artifacts.empty() && !llvm::is_contained(options.emit, kind))
      continue;
    Artifact &artifact = kernel.artifacts.emplace_back(Artifact{kind, ""});
    llvm::raw_string_ostream os(artifact.bytes);
    if (failed(emit(module, os)))
      return failure();
  }
  addModuleText(module, options, kernel);
  kernels.push_back(std::move(kernel));
  return success();
}

//===----------------------------------------------------------------------===//
// Shared with the simulator
//===----------------------------------------------------------------------===//

std::vector<std::string> AscendBackend::getChips() const {
  std::vector<std::string> chips;
  for (const ::tile::target::Target &record : ::tile::target::targets())
    if (record.getAscend())
      chips.push_back(record.name.str());
  return chips;
}

bool AscendBackend::hasChip(StringRef chip) const {
  const ::tile::target::Target *record = ::tile::target::lookupTarget(chip);
  return record && record->getAscend();
}

void AscendBackend::buildPipeline(OpPassManager &pm, ModuleOp,
                                  const CompileOptions &options) const {
  buildTileToAscendPipeline(pm, options.chip);
}

void mlir::tile::registerAscendTarget() {
  registerBackend(std::make_unique<AscendNPUBackend>());
  registerBackend(createAscendModelBackend());
}
