//===- GPUBackend.cpp - back ends for the GPUs of a vendor ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/GPUBackend.h"

#include "Tile/Targets/GPU/DeviceCode.h"
#include "Tile/Targets/GPU/Pipeline.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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

static SetTargetPassOptions getTarget(const CompileOptions &options,
                                      StringRef defaultChip,
                                      ::tile::target::Vendor vendor) {
  return {options.chip, defaultChip.str(),
          ::tile::target::stringify(vendor).str()};
}

void GPUBackend::buildTilePipeline(OpPassManager &pm,
                                   const CompileOptions &options) const {
  buildTileToSIMTPipeline(pm, getTarget(options, defaultChip, vendor));
}

void GPUBackend::buildPipeline(OpPassManager &pm, ModuleOp module,
                               const CompileOptions &options) const {
  if (module.getOps<gpu::GPUModuleOp>().empty()) {
    buildTilePipeline(pm, options);
  } else {
    // Code of threads was made for one chip already.
    pm.addPass(
        createSetTargetPass(getTarget(options, /*defaultChip=*/"", vendor)));
    pm.addPass(createVerifySemanticsPass());
  }
}

/// Lowers a module to the code of threads, and takes the gpu.modules out of it
/// whose kernels have versions.
LogicalResult
GPUBackend::takeForms(ModuleOp module, const CompileOptions &options,
                      std::vector<CompiledKernel> &kernels) const {
  if (failed(runPipeline(module, [&](OpPassManager &pm) {
        buildTilePipeline(pm, options);
      })))
    return failure();
  for (auto device :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    if (devicecode::hasVersions(device)) {
      devicecode::addForms(device, kernels);
      device.erase();
    }
  return success();
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

LogicalResult
GPUBackend::compileKernels(ModuleOp module, const CompileOptions &options,
                           std::vector<CompiledKernel> &kernels,
                           function_ref<LogicalResult()> compileRest) const {
  auto names = getKernelFunctions(module, options);
  if (failed(names) || failed(keepFunctions(module, *names)))
    return failure();
  llvm::StringMap<unsigned> order;
  for (auto function : module.getOps<FunctionOpInterface>())
    order.try_emplace(function.getName(), order.size());
  if (options.lazyVersions && options.emit.empty() &&
      failed(takeForms(module, options, kernels)))
    return failure();
  if ((kernels.empty() || !module.getOps<gpu::GPUModuleOp>().empty()) &&
      failed(compileRest()))
    return failure();
  llvm::stable_sort(kernels, [&](const auto &left, const auto &right) {
    return order.lookup(left.function) < order.lookup(right.function);
  });
  return success();
}

LogicalResult GPUBackend::compile(ModuleOp module,
                                  const CompileOptions &options,
                                  std::vector<CompiledKernel> &kernels) const {
  GPUCodeOptions given;
  given.chip = options.chip;
  given.optLevel = options.optLevel;
  given.assembly = !options.emit.empty();
  return compileKernels(module, options, kernels, [&]() -> LogicalResult {
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
  });
}

LogicalResult
GPUBackend::compileForm(ModuleOp module, const CompileOptions &options,
                        std::vector<Artifact> &artifacts) const {
  GPUCodeOptions given;
  given.chip = options.chip;
  given.optLevel = options.optLevel;
  auto images = compileModule(module, given);
  if (failed(images))
    return failure();
  artifacts.push_back(std::move(images->front().artifacts.front()));
  return success();
}
