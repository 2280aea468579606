//===- GPUTranslations.cpp - the GPUs' part of tile-translate -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Targets/AMD/AMDGPU.h"
#include "Tile/Targets/NVIDIA/NVPTX.h"
#include "Tile/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
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
      "chip",
      llvm::cl::desc("GPU to make code for, such as sm_90a or gfx942"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> ptxas{
      "ptxas",
      llvm::cl::desc("NVIDIA's assembler; by default TILE_PTXAS, or the one on "
                     "the PATH or in /usr/local/cuda/bin"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> strict{
      "ptxas-strict",
      llvm::cl::desc("spilled registers and warnings about speed are errors"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> lld{
      "lld",
      llvm::cl::desc("LLVM's linker for AMD GPUs; by default TILE_LLD, or that "
                     "of this version of LLVM, or the one on the PATH"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> amdgpuStrict{
      "amdgpu-strict",
      llvm::cl::desc(
          "spilled vector registers and scratch memory are errors"),
      llvm::cl::cat(category)};
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
} // namespace

static llvm::ManagedStatic<Options> options;

/// The image of the function that is asked for, or the only one.
template <typename Image>
static FailureOr<const Image *> choose(ModuleOp module,
                                       const std::vector<Image> &images) {
  std::string names;
  for (const Image &image : images) {
    if (image.function == options->function)
      return &image;
    names += (names.empty() ? "@" : ", @") + image.function;
  }
  if (!options->function.empty())
    return module.emitError() << "there is no device code of @"
                              << options->function << "; there is that of "
                              << names;
  if (images.size() == 1)
    return &images.front();
  return module.emitError() << "expected the kernels of one function, got "
                            << "those of " << images.size() << " (" << names
                            << "); choose one with --gpu-function";
}

template <typename Image>
static LogicalResult writeMetadata(ModuleOp module, const Image &image,
                                   raw_ostream &os) {
  for (const auto &kernel : image.kernels) {
    if (kernel.metadata.empty())
      return module.emitError() << "kernel @" << kernel.name
                                << " has no attribute 'tile.launch'";
    os << kernel.metadata;
  }
  return success();
}

static LogicalResult verifyOptions(ModuleOp module) {
  if (options->optLevel <= 3)
    return success();
  return module.emitError() << "expected --gpu-opt-level to be 0 to 3, got "
                            << options->optLevel.getValue();
}

static FailureOr<std::vector<NVPTXImage>> compile(ModuleOp module,
                                                  NVPTXOutput output) {
  return compileNVPTX(module, output,
                      {options->chip, options->ptxas, options->strict,
                       options->optLevel});
}

static FailureOr<std::vector<AMDGPUImage>> compile(ModuleOp module,
                                                   AMDGPUOutput output) {
  return compileAMDGPU(module, output,
                       {options->chip, options->lld, options->amdgpuStrict,
                        options->optLevel});
}

/// Hands the image that is asked for to `write`.
template <typename Output, typename Write>
static LogicalResult translate(ModuleOp module, Output output, Write write) {
  if (failed(verifyOptions(module)))
    return failure();
  auto images = compile(module, output);
  if (failed(images))
    return failure();
  auto image = choose(module, *images);
  return failed(image) ? failure() : LogicalResult(write(**image));
}

/// Whether the code is for a GPU of AMD.
static bool isForAMD(ModuleOp module) {
  StringRef name = options->chip;
  for (auto device : module.getOps<gpu::GPUModuleOp>())
    if (auto target = device->getAttrOfType<TargetAttr>("tile.target"))
      name = target.getChip();
  const ::tile::target::Target *chip = ::tile::target::lookupTarget(name);
  return chip && chip->vendor == ::tile::target::Vendor::AMD;
}

static void addTranslation(
    StringRef name, StringRef description,
    std::function<LogicalResult(ModuleOp, raw_ostream &)> function) {
  TranslateFromMLIRRegistration registration(
      name, description, function, [](DialectRegistry &registry) {
        registerAllDialects(registry);
        registerAllToLLVMIRTranslations(registry);
      });
}

namespace mlir::tile {
void registerGPUTranslations();
} // namespace mlir::tile

void mlir::tile::registerGPUTranslations() {
  *options;
  addTranslation("tile-to-ptx", "compile to PTX for an NVIDIA GPU",
                 [](ModuleOp module, raw_ostream &os) {
                   return translate(module, NVPTXOutput::PTX,
                                    [&](const NVPTXImage &image) {
                                      os << image.ptx;
                                      return success();
                                    });
                 });
  addTranslation("tile-to-cubin", "compile to a cubin for an NVIDIA GPU",
                 [](ModuleOp module, raw_ostream &os) {
                   return translate(module, NVPTXOutput::Cubin,
                                    [&](const NVPTXImage &image) {
                                      os << image.cubin;
                                      return success();
                                    });
                 });
  addTranslation("tile-to-amdgcn", "compile to assembly for an AMD GPU",
                 [](ModuleOp module, raw_ostream &os) {
                   return translate(module, AMDGPUOutput::Assembly,
                                    [&](const AMDGPUImage &image) {
                                      os << image.assembly;
                                      return success();
                                    });
                 });
  addTranslation("tile-to-hsaco", "compile to a code object for an AMD GPU",
                 [](ModuleOp module, raw_ostream &os) {
                   return translate(module, AMDGPUOutput::HSACO,
                                    [&](const AMDGPUImage &image) {
                                      os << image.hsaco;
                                      return success();
                                    });
                 });
  addTranslation("tile-to-gpu-metadata",
                 "write what the runtime must know of the kernels",
                 [](ModuleOp module, raw_ostream &os) {
                   auto write = [&](const auto &image) {
                     return writeMetadata(module, image, os);
                   };
                   return isForAMD(module)
                              ? translate(module, AMDGPUOutput::Assembly, write)
                              : translate(module, NVPTXOutput::PTX, write);
                 });
}
