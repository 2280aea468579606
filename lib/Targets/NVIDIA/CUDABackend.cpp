//===- CUDABackend.cpp - kernels for NVIDIA GPUs --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Contract.h"

#include "Tile/Driver/Backend.h"
#include "Tile/Targets/NVIDIA/NVPTX.h"
#include "Tile/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <map>

using namespace mlir;
using mlir::tile::Artifact;
using mlir::tile::Backend;
using mlir::tile::CompiledKernel;
using mlir::tile::CompileOptions;

namespace {
class CUDABackend : public Backend {
public:
  StringRef getName() const override { return "cuda"; }
  std::vector<std::string> getChips() const override;
  bool hasChip(StringRef chip) const override {
    return llvm::is_contained(getChips(), chip);
  }
  std::vector<std::string> getKinds() const override {
    return {"cubin", "ptx"};
  }
  std::string getFingerprint(const CompileOptions &options) const override;
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        std::vector<CompiledKernel> &kernels) const override;
};
} // namespace

std::vector<std::string> CUDABackend::getChips() const {
  std::vector<std::string> chips;
  for (const ::tile::target::Target &record : ::tile::target::targets())
    if (record.vendor == ::tile::target::Vendor::NVIDIA)
      chips.push_back(record.name.str());
  return chips;
}

/// The assembler is known by its place, size and age.
std::string CUDABackend::getFingerprint(const CompileOptions &) const {
  std::string text = "llvm " LLVM_VERSION_STRING;
  const char *given = std::getenv("TILE_PTXAS");
  auto found = llvm::sys::findProgramByName("ptxas");
  if (!found)
    found = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  std::string program = given && *given ? given : found ? *found : "";
  llvm::sys::fs::file_status status;
  if (!program.empty() && !llvm::sys::fs::status(program, status))
    text += llvm::formatv(
        " {0} {1} {2}", program, status.getSize(),
        status.getLastModificationTime().time_since_epoch().count());
  return text;
}

LogicalResult CUDABackend::compile(ModuleOp module,
                                   const CompileOptions &options,
                                   std::vector<CompiledKernel> &kernels) const {
  auto names = mlir::tile::getKernelFunctions(module, options);
  if (failed(names) || failed(mlir::tile::keepFunctions(module, *names)))
    return failure();
  std::map<std::string, mlir::tile::FunctionContract> contracts;
  for (const std::string &name : *names)
    contracts[name] =
        mlir::tile::getContract(module.lookupSymbol<FunctionOpInterface>(name));
  mlir::tile::NVPTXOptions given;
  given.chip = options.chip;
  given.optLevel = options.optLevel;
  auto images = mlir::tile::compileNVPTX(
      module, mlir::tile::NVPTXOutput::CubinIfPossible, given);
  if (failed(images))
    return failure();
  for (const mlir::tile::NVPTXImage &image : *images)
    for (const mlir::tile::NVPTXKernel &kernel : image.kernels) {
      CompiledKernel &one = kernels.emplace_back();
      one.function = image.function;
      one.metadata =
          mlir::tile::addContract(kernel.metadata, contracts[image.function]);
      if (!image.cubin.empty())
        one.artifacts.push_back({"cubin", image.cubin});
      if (image.cubin.empty() || llvm::is_contained(options.emit, "ptx"))
        one.artifacts.push_back({"ptx", image.ptx});
    }
  return success();
}

std::unique_ptr<Backend> mlir::tile::createCUDABackend() {
  return std::make_unique<CUDABackend>();
}
