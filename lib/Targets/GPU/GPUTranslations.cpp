//===- GPUTranslations.cpp - the GPUs' part of tile-translate -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Targets/GPU/GPUBackend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Constructed on registration, so that other tools do not show the options.
struct Options {
  llvm::cl::OptionCategory category{"GPU code"};
  llvm::cl::opt<std::string> chip{
      "chip", llvm::cl::desc("GPU to make code for, such as sm_90a or gfx942"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> optLevel{
      "gpu-opt-level",
      llvm::cl::desc("optimisation level of LLVM and the assembler, 0 to 3"),
      llvm::cl::init(3), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> function{
      "gpu-function",
      llvm::cl::desc("the function whose kernels are translated, where there "
                     "are several"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
};

/// A back end, and the assembly that metadata are read with.
struct MetadataSource {
  const GPUBackend *backend;
  std::string kind;
};
} // namespace

static llvm::ManagedStatic<Options> options;
static llvm::ManagedStatic<std::vector<MetadataSource>> sources;

/// The image of the function that is asked for, or the only one.
static FailureOr<const GPUImage *> choose(ModuleOp module,
                                          ArrayRef<GPUImage> images) {
  std::string names;
  for (const GPUImage &image : images) {
    if (image.function == options->function)
      return &image;
    names += (names.empty() ? "@" : ", @") + image.function;
  }
  if (!options->function.empty())
    return module.emitError()
           << "there is no device code of @" << options->function
           << "; there is that of " << names;
  if (images.size() == 1)
    return &images.front();
  return module.emitError() << "expected the kernels of one function, got "
                            << "those of " << images.size() << " (" << names
                            << "); choose one with --gpu-function";
}

/// Hands the image that is asked for to `write`.
static LogicalResult
translate(ModuleOp module, const GPUBackend &backend, StringRef kind,
          function_ref<void(GPUCodeOptions &)> setOptions,
          function_ref<LogicalResult(const GPUImage &)> write) {
  if (options->optLevel > 3)
    return module.emitError() << "expected --gpu-opt-level to be 0 to 3, got "
                              << options->optLevel.getValue();
  GPUCodeOptions given;
  given.chip = options->chip;
  given.image = kind.str();
  given.optLevel = options->optLevel;
  setOptions(given);
  auto images = backend.compileModule(module, given);
  if (failed(images))
    return failure();
  auto image = choose(module, *images);
  return failed(image) ? failure() : write(**image);
}

static LogicalResult writeMetadata(ModuleOp module, const GPUImage &image,
                                   raw_ostream &os) {
  for (const GPUKernel &kernel : image.kernels) {
    if (kernel.metadata.empty())
      return module.emitError()
             << "kernel @" << kernel.name << " has no attribute 'tile.launch'";
    os << kernel.metadata;
  }
  return success();
}

/// The source that knows the chip, by default the first.
static const MetadataSource &findSource(ModuleOp module) {
  StringRef name = options->chip;
  module.walk([&](Operation *op) {
    if (auto target = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      name = target.getChip();
  });
  for (const MetadataSource &source : *sources)
    if (source.backend->hasChip(name))
      return source;
  return sources->front();
}

void mlir::tile::registerGPUTranslation(
    StringRef name, StringRef description, const GPUBackend &backend,
    StringRef kind, std::function<void(GPUCodeOptions &)> setOptions) {
  *options;
  TranslateFromMLIRRegistration registration(
      name, description,
      [&backend, kind = kind.str(),
       setOptions](ModuleOp module, raw_ostream &os) -> LogicalResult {
        return translate(module, backend, kind, setOptions,
                         [&](const GPUImage &image) {
                           os << image.artifacts.front().bytes;
                           return success();
                         });
      },
      registerDialects);
}

void mlir::tile::registerGPUMetadataTranslation(const GPUBackend &backend,
                                                StringRef kind) {
  sources->push_back({&backend, kind.str()});
  if (sources->size() > 1)
    return;
  TranslateFromMLIRRegistration registration(
      "tile-to-gpu-metadata",
      "write the launch metadata of kernels for the runtime",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        const MetadataSource &source = findSource(module);
        return translate(
            module, *source.backend, source.kind, [](GPUCodeOptions &) {},
            [&](const GPUImage &image) {
              return writeMetadata(module, image, os);
            });
      },
      registerDialects);
}
