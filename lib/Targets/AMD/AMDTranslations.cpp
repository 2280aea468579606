//===- AMDTranslations.cpp - AMD's part of tile-translate -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/AMD/AMDGPU.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"

using namespace mlir;
using mlir::tile::GPUCodeOptions;

namespace {
/// Constructed on registration, so that other tools do not show the options.
struct Options {
  llvm::cl::OptionCategory category{"Code for AMD GPUs"};
  llvm::cl::opt<std::string> lld{
      "lld",
      llvm::cl::desc("LLVM's linker for AMD GPUs; by default TILE_LLD, or that "
                     "of this version of LLVM, or the one on the PATH"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> strict{
      "amdgpu-strict",
      llvm::cl::desc("spilled vector registers and scratch memory are errors"),
      llvm::cl::cat(category)};
};
} // namespace

static llvm::ManagedStatic<Options> options;

void mlir::tile::registerAMDTranslations(const GPUBackend &backend) {
  *options;
  auto setOptions = [](GPUCodeOptions &given) {
    given.tool = options->lld;
    given.strict = options->strict;
  };
  registerGPUTranslation("tile-to-amdgcn", "compile to assembly for an AMD GPU",
                         backend, "amdgcn", setOptions);
  registerGPUTranslation("tile-to-hsaco",
                         "compile to a code object for an AMD GPU", backend,
                         "hsaco", setOptions);
  registerGPUMetadataTranslation(backend, "amdgcn");
}
