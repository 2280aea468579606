//===- NVIDIATranslations.cpp - NVIDIA's part of tile-translate -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/NVIDIA/NVPTX.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"

using namespace mlir;
using mlir::tile::GPUCodeOptions;

namespace {
/// Constructed on registration, so that other tools do not show the options.
struct Options {
  llvm::cl::OptionCategory category{"Code for NVIDIA GPUs"};
  llvm::cl::opt<std::string> ptxas{
      "ptxas",
      llvm::cl::desc("NVIDIA's assembler; by default TILE_PTXAS, or the one on "
                     "the PATH or in /usr/local/cuda/bin"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> strict{
      "ptxas-strict",
      llvm::cl::desc("spilled registers and warnings about speed are errors"),
      llvm::cl::cat(category)};
};
} // namespace

static llvm::ManagedStatic<Options> options;

void mlir::tile::registerNVIDIATranslations(const GPUBackend &backend) {
  *options;
  auto setOptions = [](GPUCodeOptions &given) {
    given.tool = options->ptxas;
    given.strict = options->strict;
  };
  registerGPUTranslation("tile-to-ptx", "compile to PTX for an NVIDIA GPU",
                         backend, "ptx", setOptions);
  registerGPUTranslation("tile-to-cubin",
                         "compile to a cubin for an NVIDIA GPU", backend,
                         "cubin", setOptions);
  registerGPUMetadataTranslation(backend, "ptx");
}
