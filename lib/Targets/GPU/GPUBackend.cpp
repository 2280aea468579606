//===- GPUBackend.cpp - back ends for the GPUs of a vendor ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/GPUBackend.h"

#include "Tile/Targets/GPU/Pipeline.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tile;

std::vector<std::string> GPUBackend::getChips() const {
  std::vector<std::string> chips;
  for (const ::tile::target::Target &record : ::tile::target::targets())
    if (record.vendor == vendor)
      chips.push_back(record.name.str());
  return chips;
}

void GPUBackend::buildPipeline(OpPassManager &pm, ModuleOp module,
                               const CompileOptions &options) const {
  SetTargetPassOptions target{options.chip, defaultChip.str(),
                              ::tile::target::stringify(vendor).str()};
  if (module.getOps<gpu::GPUModuleOp>().empty()) {
    buildTileToGPUPipeline(pm, target);
  } else {
    // Code of threads was made for one chip already.
    target.defaultChip.clear();
    pm.addPass(createSetTargetPass(target));
    pm.addPass(createVerifySemanticsPass());
  }
  buildThreadPipeline(pm);
}

FailureOr<std::vector<GPUImage>>
GPUBackend::compileModule(ModuleOp module,
                          const GPUCodeOptions &options) const {
  CompileOptions given;
  given.chip = options.chip;
  if (failed(lower(module, *this, given)))
    return failure();
  std::vector<GPUImage> images;
  for (auto device : module.getOps<gpu::GPUModuleOp>()) {
    FailureOr<GPUImage> image = emit(device, options);
    if (failed(image))
      return failure();
    images.push_back(std::move(*image));
  }
  if (images.empty())
    return module.emitError("holds no gpu.module to make code from");
  return images;
}

LogicalResult GPUBackend::compile(ModuleOp module,
                                  const CompileOptions &options,
                                  std::vector<CompiledKernel> &kernels) const {
  auto names = getKernelFunctions(module, options);
  if (failed(names) || failed(keepFunctions(module, *names)))
    return failure();
  GPUCodeOptions given;
  given.chip = options.chip;
  given.optLevel = options.optLevel;
  given.assembly = !options.emit.empty();
  auto images = compileModule(module, given);
  if (failed(images))
    return failure();
  for (const GPUImage &image : *images)
    for (const GPUKernel &kernel : image.kernels) {
      if (kernel.metadata.empty())
        return module.emitError() << "kernel @" << kernel.name
                                  << " has no attribute 'tile.launch'";
      CompiledKernel &one = kernels.emplace_back();
      one.function = image.function;
      one.metadata = kernel.metadata;
      for (const Artifact &artifact : image.artifacts)
        if (one.artifacts.empty() ||
            llvm::is_contained(options.emit, artifact.kind))
          one.artifacts.push_back(artifact);
      addModuleText(module, options, one);
    }
  return success();
}
