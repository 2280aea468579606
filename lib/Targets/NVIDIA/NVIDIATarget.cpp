//===- NVIDIATarget.cpp - kernels for NVIDIA GPUs -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/NVIDIA/NVPTX.h"

#include "Ptxas.h"
#include "Tile/Conversion/TileToNVIDIA/TileToNVIDIA.h"
#include "Tile/Targets/GPU/SIMTModel.h"
#include "Tile/Targets/GPU/Pipeline.h"
#include "Tile/Targets/NVIDIA/Pipeline.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::tile;

namespace mlir::tile {
void registerNVIDIATarget();
} // namespace mlir::tile

namespace {
class CUDABackend : public GPUBackend {
public:
  CUDABackend() : GPUBackend(::tile::target::Vendor::NVIDIA, "sm_90a") {}

  StringRef getName() const override { return "cuda"; }
  std::vector<std::string> getKinds() const override {
    return {"cubin", "ptx", "mlir"};
  }
  std::string findChip(StringRef device) const override {
    return findNVPTXChip(device).str();
  }
  std::string getFingerprint(const CompileOptions &) const override {
    return "llvm " LLVM_VERSION_STRING + describeFile(ptxas::findInstalled());
  }
  void registerDialects(DialectRegistry &registry) const override {
    registerTileToNVIDIA(registry);
  }
  void registerPasses() const override { registerNVIDIAPasses(); }
  void registerTranslations() const override {
    registerNVIDIATranslations(*this);
  }
  void buildCodePipeline(OpPassManager &pm,
                         const CompileOptions &) const override {
    addThreadCleanup(pm);
    buildGPUToNVVMPipeline(pm, GPUToNVVMPipelineOptions());
  }
  std::unique_ptr<llvm::Module>
  makeModule(gpu::GPUModuleOp module, unsigned optLevel,
             llvm::LLVMContext &context) const override {
    return makeNVPTXModule(module, optLevel, context);
  }

protected:
  FailureOr<GPUImage> emit(gpu::GPUModuleOp module,
                           const GPUCodeOptions &options) const override {
    return emitNVPTX(module, options);
  }
};
} // namespace

void mlir::tile::registerNVIDIATarget() {
  auto backend = std::make_unique<CUDABackend>();
  auto model = createSIMTModelBackend(*backend);
  registerBackend(std::move(backend));
  registerBackend(std::move(model));
}
