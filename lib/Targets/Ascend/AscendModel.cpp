//===- AscendModel.cpp - kernels on the Ascend model ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/Ascend/AscendModel.h"

#include "AscendWriter.h"

#include "Tile/Driver/OutputFile.h"
#include "Tile/Driver/TemporaryFolder.h"
#include "Tile/Driver/Tool.h"
#include "Tile/Targets/Ascend/Ascend.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
/// The compiler and the model that it compiles against.
struct Toolchain {
  std::string compiler, include, library;
};
} // namespace

static StringRef getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string joinPath(StringRef folder, const Twine &rest) {
  SmallString<128> result(folder);
  path::append(result, rest);
  return std::string(result);
}

static bool setModel(Toolchain &tools, std::string include,
                     std::string library) {
  if (!fs::exists(joinPath(include, "kernel_operator.h")) ||
      !fs::exists(library))
    return false;
  tools.include = std::move(include);
  tools.library = std::move(library);
  return true;
}

/// Beside this program or library, where it is installed; or in its build.
static bool findModel(Toolchain &tools) {
  StringRef chosen = getVariable("TILE_ASCEND_MODEL");
  Dl_info self;
  std::string folder = chosen.str();
  if (chosen.empty() &&
      dladdr(reinterpret_cast<void *>(&mlir::tile::buildAscendModel), &self))
    folder =
        joinPath(path::parent_path(self.dli_fname), "../lib/tile/ascend");
  if (setModel(tools, joinPath(folder, "include"),
               joinPath(folder, "lib/libTileAscendModel.a")))
    return true;
  return chosen.empty() &&
         setModel(tools, TILE_ASCEND_INCLUDE, TILE_ASCEND_LIBRARY);
}

static std::string getCompilerName() {
  StringRef chosen = getVariable("TILE_ASCEND_CXX");
  return chosen.empty() ? "g++" : chosen.str();
}

static FailureOr<Toolchain> findTools(ModuleOp module) {
  Toolchain tools;
  std::string name = getCompilerName();
  auto compiler = llvm::sys::findProgramByName(name);
  if (!compiler)
    return module.emitError()
           << "the Ascend model needs a C++ compiler, expected '" << name
           << "' to be one; TILE_ASCEND_CXX names another";
  tools.compiler = *compiler;
  if (!findModel(tools))
    return module.emitError("expected the headers and the library of the "
                            "Ascend model to be installed; TILE_ASCEND_MODEL "
                            "names their folder");
  return tools;
}

std::string mlir::tile::getAscendModelFingerprint() {
  Toolchain tools;
  std::string text = getCompilerName();
  if (!findModel(tools))
    return text;
  auto compiler = llvm::sys::findProgramByName(text);
  for (const std::string &file : {compiler ? *compiler : "", tools.library}) {
    fs::file_status status;
    if (!fs::status(file, status))
      text += llvm::formatv(
          " {0} {1} {2}", file, status.getSize(),
          status.getLastModificationTime().time_since_epoch().count());
  }
  return text;
}

static LogicalResult
writeFile(ModuleOp module, StringRef path,
          function_ref<LogicalResult(raw_ostream &)> write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(write(os)))
    return failure();
  if (std::error_code error = mlir::tile::writeOutput(path, text))
    return module.emitError() << "'" << path << "': " << error.message();
  return success();
}

/// The lines of a file, or none.
static std::string readText(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

static LogicalResult compile(ModuleOp module, const Toolchain &tools,
                             StringRef folder, ArrayRef<StringRef> arguments) {
  std::string log = joinPath(folder, "log");
  SmallVector<StringRef> all{tools.compiler};
  llvm::append_range(all, arguments);
  std::string problem = mlir::tile::tool::execute(all, log);
  if (problem.empty())
    return success();
  std::string said = mlir::tile::tool::quote(readText(log));
  if (said.empty())
    said =
        ("it says nothing; is the disk of '" + folder + "' full?").str();
  return module.emitError("the emitted Ascend C does not compile: ")
         << tools.compiler << " " << problem << ": " << said;
}

FailureOr<std::string> mlir::tile::buildAscendModel(ModuleOp module, StringRef more) {
  FailureOr<Toolchain> tools = findTools(module);
  auto chip = mlir::tile::ascend::getChipOfKernels(module);
  if (failed(tools) || failed(chip))
    return failure();
  std::string arch =
      llvm::formatv("-D__NPU_ARCH__={0}", (*chip)->getAscend()->npuArch);
  mlir::tile::TemporaryFolder folder;
  if (std::string problem = folder.create(); !problem.empty())
    return module.emitError("cannot make a folder: ") << problem;
  std::string kernels = folder.join("kernels.cpp");
  std::string host = folder.join("host.c"), object = folder.join("host.o");
  std::string library = folder.join("kernels.so");
  std::string include = "-I" + tools->include;
  auto writeHost = [&](raw_ostream &os) {
    if (failed(emitAscendHost(module, os)))
      return failure();
    os << more;
    return success();
  };
  if (failed(writeFile(
          module, kernels,
          [&](raw_ostream &os) { return emitAscendC(module, os); })) ||
      failed(writeFile(module, host, writeHost)) ||
      failed(compile(module, *tools, folder.getPath(),
                     {"-x", "c", "-std=gnu11", "-O1", "-fPIC", include, "-c",
                      host, "-o", object})) ||
      failed(compile(module, *tools, folder.getPath(),
                     {"-std=c++17", "-O1", "-fPIC", "-shared", arch, include, kernels,
                      object, "-Wl,--whole-archive", tools->library,
                      "-Wl,--no-whole-archive", "-pthread", "-o", library})))
    return failure();
  auto bytes = llvm::MemoryBuffer::getFile(library);
  if (!bytes)
    return module.emitError()
           << "'" << library << "': " << bytes.getError().message();
  return (*bytes)->getBuffer().str();
}

void *mlir::tile::loadAscendModel(StringRef bytes, std::string &error) {
  mlir::tile::TemporaryFolder folder;
  error = folder.create();
  if (!error.empty())
    return nullptr;
  std::string file = folder.join("kernels.so");
  if (std::error_code problem = mlir::tile::writeOutput(file, bytes)) {
    error = file + ": " + problem.message();
    return nullptr;
  }
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    error = dlerror();
  return handle;
}
