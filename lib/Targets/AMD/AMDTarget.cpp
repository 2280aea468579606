//===- AMDTarget.cpp - kernels for AMD GPUs -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/AMD/AMDGPU.h"

#include "CodeObject.h"
#include "Tile/Conversion/TileToAMD/TileToAMD.h"
#include "Tile/Targets/AMD/Pipeline.h"
#include "Tile/Targets/GPU/Pipeline.h"
#include "Tile/Targets/GPU/SIMTModel.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::tile;

namespace mlir::tile {
void registerAMDTarget();
} // namespace mlir::tile

namespace {
class HIPBackend : public GPUBackend {
public:
  HIPBackend() : GPUBackend(::tile::target::Vendor::AMD, "gfx942") {}

  StringRef getName() const override { return "hip"; }
  std::vector<std::string> getKinds() const override {
    return {"hsaco", "amdgcn", "mlir"};
  }
  std::string getFingerprint(const CompileOptions &) const override {
    return "llvm " LLVM_VERSION_STRING +
           describeFile(codeobject::findInstalledLinker());
  }
  void registerDialects(DialectRegistry &registry) const override {
    registerTileToAMD(registry);
  }
  void registerPasses() const override { registerAMDPasses(); }
  void registerTranslations() const override { registerAMDTranslations(*this); }
  void buildCodePipeline(OpPassManager &pm,
                         const CompileOptions &) const override {
    addThreadCleanup(pm);
    buildGPUToROCDLPipeline(pm, GPUToROCDLPipelineOptions());
  }
  std::unique_ptr<llvm::Module>
  makeModule(gpu::GPUModuleOp module, unsigned optLevel,
             llvm::LLVMContext &context) const override {
    return makeAMDGPUModule(module, optLevel, context);
  }

protected:
  FailureOr<GPUImage> emit(gpu::GPUModuleOp module,
                           const GPUCodeOptions &options) const override {
    return emitAMDGPU(module, options);
  }
};
} // namespace

void mlir::tile::registerAMDTarget() {
  auto backend = std::make_unique<HIPBackend>();
  auto model = createSIMTModelBackend(*backend);
  registerBackend(std::move(backend));
  registerBackend(std::move(model));
}
