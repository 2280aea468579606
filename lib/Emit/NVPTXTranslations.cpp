//===- NVPTXTranslations.cpp - NVIDIA's part of tile-translate ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Emit/NVPTX.h"
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
  llvm::cl::OptionCategory category{"NVIDIA code"};
  llvm::cl::opt<std::string> chip{
      "chip", llvm::cl::desc("GPU to make code for, such as sm_90a"),
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
static FailureOr<const NVPTXImage *>
choose(ModuleOp module, const std::vector<NVPTXImage> &images) {
  std::string names;
  for (const NVPTXImage &image : images) {
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

static LogicalResult writeMetadata(ModuleOp module, const NVPTXImage &image,
                                   raw_ostream &os) {
  for (const NVPTXKernel &kernel : image.kernels) {
    if (kernel.metadata.empty())
      return module.emitError() << "kernel @" << kernel.name
                                << " has no attribute 'tile.launch'";
    os << kernel.metadata;
  }
  return success();
}

static LogicalResult translate(ModuleOp module, NVPTXOutput output,
                               bool metadata, raw_ostream &os) {
  if (options->optLevel > 3)
    return module.emitError() << "expected --gpu-opt-level to be 0 to 3, got "
                              << options->optLevel.getValue();
  auto images =
      compileNVPTX(module, output,
                   {options->chip, options->ptxas, options->strict,
                    options->optLevel});
  if (failed(images))
    return failure();
  auto image = choose(module, *images);
  if (failed(image))
    return failure();
  if (metadata)
    return writeMetadata(module, **image, os);
  os << (output == NVPTXOutput::PTX ? (*image)->ptx : (*image)->cubin);
  return success();
}

static void addTranslation(StringRef name, StringRef description,
                           NVPTXOutput output, bool metadata) {
  TranslateFromMLIRRegistration registration(
      name, description,
      [=](ModuleOp module, raw_ostream &os) {
        return translate(module, output, metadata, os);
      },
      [](DialectRegistry &registry) {
        registerAllDialects(registry);
        registerAllToLLVMIRTranslations(registry);
      });
}

void tile::registerNVPTXTranslations() {
  *options;
  addTranslation("tile-to-ptx", "compile to PTX for an NVIDIA GPU",
                 NVPTXOutput::PTX, /*metadata=*/false);
  addTranslation("tile-to-cubin", "compile to a cubin for an NVIDIA GPU",
                 NVPTXOutput::Cubin, /*metadata=*/false);
  addTranslation("tile-to-gpu-metadata",
                 "write what the runtime must know of the kernels",
                 NVPTXOutput::PTX, /*metadata=*/true);
}
