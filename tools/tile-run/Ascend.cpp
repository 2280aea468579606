//===- Ascend.cpp - kernels on the Ascend model ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ascend.h"

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Emit/Ascend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

using namespace mlir;

AscendProgram::~AscendProgram() {
  if (handle)
    dlclose(handle);
}

static bool hasKernels(Operation *function) {
  return function
      ->walk([](tile::KernelOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Writes text to a new file; its path, or nothing after an error on stderr.
static std::optional<std::string>
writeFile(StringRef folder, StringRef name,
          function_ref<LogicalResult(raw_ostream &)> write) {
  std::string path = (folder + "/" + name).str();
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error) {
    llvm::errs() << "tile-run: " << path << ": " << error.message() << "\n";
    return std::nullopt;
  }
  if (failed(write(os)))
    return std::nullopt;
  return path;
}

/// Runs the host's compiler; its messages go to stderr.
static bool compile(ArrayRef<StringRef> arguments) {
  auto program = llvm::sys::findProgramByName(arguments[0]);
  if (!program) {
    llvm::errs() << "tile-run: --target=ascend needs the compiler '"
                 << arguments[0] << "'; set TILE_ASCEND_CXX to another one\n";
    return false;
  }
  std::string message;
  int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, {},
                                         0, 0, &message);
  if (status == 0)
    return true;
  llvm::errs() << "tile-run: the emitted Ascend C does not compile"
               << (message.empty() ? "" : ": ") << message << "\n";
  return false;
}

bool AscendProgram::create(ModuleOp module, ArrayRef<StringRef> names,
                           int (*onReport)(const char *), bool dump) {
  OwningOpRef<ModuleOp> copy(module.clone());
  for (auto function :
       llvm::make_early_inc_range(copy->getOps<FunctionOpInterface>())) {
    function->removeAttr("tile.reference");
    if (!llvm::is_contained(names, function.getName()) ||
        !hasKernels(function))
      function.erase();
  }
  if (copy->getOps<FunctionOpInterface>().empty())
    return true;
  if (failed(tile::lowerToAscend(*copy)))
    return false;
  if (dump)
    llvm::outs() << *copy << "\n";
  SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tile-ascend", folder)) {
    llvm::errs() << "tile-run: " << error.message() << "\n";
    return false;
  }
  auto kernels = writeFile(folder, "kernels.cpp", [&](raw_ostream &os) {
    return tile::emitAscendC(*copy, os);
  });
  auto host = writeFile(folder, "host.c", [&](raw_ostream &os) {
    return tile::emitAscendHost(*copy, os);
  });
  std::string library = (folder + "/kernels.so").str();
  const char *chosen = getenv("TILE_ASCEND_CXX");
  std::string object = (folder + "/host.o").str();
  StringRef cxx = chosen && *chosen ? chosen : "g++";
  std::string include = std::string("-I") + TILE_ASCEND_INCLUDE;
  bool done =
      kernels && host &&
      compile({cxx, "-x", "c", "-std=c11", "-O1", "-fPIC", include, "-c",
               *host, "-o", object}) &&
      compile({cxx, "-std=c++17", "-O1", "-fPIC", "-shared", include,
               *kernels, object, "-Wl,--whole-archive", TILE_ASCEND_LIBRARY,
               "-Wl,--no-whole-archive", "-o", library});
  if (done)
    handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (done && !handle)
    llvm::errs() << "tile-run: " << dlerror() << "\n";
  if (handle)
    if (void *hook = dlsym(handle, "tileAscendHostOnReport"))
      *static_cast<int (**)(const char *)>(hook) = onReport;
  llvm::sys::fs::remove_directories(folder);
  return handle != nullptr;
}

TileRunCode AscendProgram::lookup(StringRef name) const {
  if (!handle)
    return nullptr;
  return reinterpret_cast<TileRunCode>(
      dlsym(handle, ("tile_host_" + name).str().c_str()));
}
