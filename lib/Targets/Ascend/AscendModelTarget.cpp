//===- AscendModelTarget.cpp - kernels for the Ascend model ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image is a shared library, made by the host's C++ compiler of the emitted
// Ascend C and the model. As on the CPU, a whole function is one launch.
//
//===----------------------------------------------------------------------===//

#include "AscendBackend.h"

#include "Tile/Driver/HostKernel.h"
#include "Tile/Targets/Ascend/Ascend.h"
#include "Tile/Targets/Ascend/AscendModel.h"
#include "TileRuntime/Model.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::tile;
using llvm::formatv;

namespace {
class AscendModelBackend : public AscendBackend {
public:
  StringRef getName() const override { return "ascend-model"; }
  std::vector<std::string> getKinds() const override {
    return {"library", "ascendc", "host", "mlir"};
  }
  std::string getFingerprint(const CompileOptions &) const override {
    return "llvm " LLVM_VERSION_STRING " " + getAscendModelFingerprint();
  }
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        std::vector<CompiledKernel> &kernels) const override;
  std::unique_ptr<LoadedImage> load(const CompiledKernel &kernel,
                                    std::string &error) const override;

private:
  LogicalResult compileFunction(ModuleOp module, StringRef name,
                                const CompileOptions &options,
                                std::vector<CompiledKernel> &kernels) const;
};

/// Holds the library of an image.
class ModelImage : public LoadedImage {
public:
  ModelImage(void *library, TileRtModelRun run)
      : library(library), image{run} {}
  ~ModelImage() override { dlclose(library); }

  StringRef getBytes() const override {
    return {reinterpret_cast<const char *>(&image), sizeof(image)};
  }

private:
  void *library;
  TileRtModelImage image;
};
} // namespace

static constexpr const char *kEntry = "tile_model_run";

/// C that calls the host's side of a function: makes memrefs of its parameters,
/// which are those of describeHostKernel, and keeps the first report.
static std::string getEntry(FunctionOpInterface function) {
  std::string text = R"(
#include <stdio.h>

static _Thread_local char *reportText;
static _Thread_local size_t reportSize;

static int keepReport(const char *text) {
  if (!*reportText)
    snprintf(reportText, reportSize, "%s", text);
  return 0;
}

__attribute__((constructor)) static void listen(void) {
  tileAscendHostOnReport = keepReport;
}
)";
  text += formatv("\nvoid {0}(void *const *p, char *report, size_t size) {{\n"
                  "  reportText = report;\n  reportSize = size;\n",
                  kEntry);
  std::string arguments;
  int64_t next = 0;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      arguments += formatv("p[{0}], ", next++).str();
      continue;
    }
    int64_t count = 2 * memref.getRank();
    text += formatv("  struct {{ void *data[2]; int64_t numbers[{0}]; } m{1} = "
                    "{{{{*(void **)p[{2}], *(void **)p[{3}]}, {{",
                    count + 1, i, next, next + 1);
    for (int64_t n = 0; n < count + 1; ++n)
      text += formatv("*(int64_t *)p[{0}], ", next + 2 + n).str();
    text += formatv("}};\n  void *a{0} = &m{0};\n", i);
    arguments += formatv("&a{0}, ", i).str();
    next += 3 + count;
  }
  return text + formatv("  void *arguments[] = {{{0}NULL};\n  *report = 0;\n"
                        "  tile_host_{1}(arguments);\n}\n",
                        arguments, function.getName())
                    .str();
}

LogicalResult AscendModelBackend::compileFunction(
    ModuleOp module, StringRef name, const CompileOptions &options,
    std::vector<CompiledKernel> &kernels) const {
  auto function = module.lookupSymbol<FunctionOpInterface>(name);
  auto text = describeHostKernel(function, "ascend-model", "");
  if (failed(text))
    return failure();
  std::string entry = getEntry(function);
  if (failed(lower(module, *this, options)))
    return failure();
  auto library = buildAscendModel(module, entry);
  if (failed(library))
    return failure();
  CompiledKernel kernel{
      name.str(), std::move(*text), {{"library", *library}}, {}};
  addModuleText(module, options, kernel);
  for (auto [kind, emit] : {std::pair("ascendc", &emitAscendC),
                            std::pair("host", &emitAscendHost)}) {
    if (!llvm::is_contained(options.emit, kind))
      continue;
    Artifact &artifact = kernel.artifacts.emplace_back(Artifact{kind, ""});
    llvm::raw_string_ostream os(artifact.bytes);
    if (failed(emit(module, os)))
      return failure();
  }
  kernels.push_back(std::move(kernel));
  return success();
}

LogicalResult
AscendModelBackend::compile(ModuleOp module, const CompileOptions &options,
                            std::vector<CompiledKernel> &kernels) const {
  return compileFunctions(module, options, [&](ModuleOp copy, StringRef name) {
    return compileFunction(copy, name, options, kernels);
  });
}

std::unique_ptr<LoadedImage>
AscendModelBackend::load(const CompiledKernel &kernel,
                         std::string &error) const {
  void *library = loadAscendModel(kernel.artifacts.front().bytes, error);
  if (!library)
    return nullptr;
  auto run = reinterpret_cast<TileRtModelRun>(dlsym(library, kEntry));
  if (run)
    return std::make_unique<ModelImage>(library, run);
  error = dlerror();
  dlclose(library);
  return nullptr;
}

std::unique_ptr<Backend> mlir::tile::createAscendModelBackend() {
  return std::make_unique<AscendModelBackend>();
}
