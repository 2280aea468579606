//===- CompilerObjects.h - objects behind handles ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CAPI_COMPILEROBJECTS_H
#define TILE_LIB_CAPI_COMPILEROBJECTS_H

#include "Handles.h"

#include "Tile-c/Compiler.h"

#include "Tile/Driver/Backend.h"
#include "Tile/Driver/KernelForms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <atomic>
#include <map>
#include <optional>

namespace mlir::tile {

/// What a call takes from its compiler when it begins.
struct CompilerState {
  std::map<std::string, std::string> options;
  TileCompilerDiagnosticHandler handler = nullptr;
  void *handlerData = nullptr;

  StringRef get(StringRef name) const {
    return options.find(name.str())->second;
  }
};

struct CompilerObject {
  std::mutex mutex;
  CompilerState state;
  std::atomic<uint64_t> cancellations{0};

  CompilerState getState() {
    std::lock_guard<std::mutex> guard(mutex);
    return state;
  }
};

struct ModuleObject {
  std::string bytecode;
  /// The text without places, and the names of arguments: what code depends
  /// on.
  std::string identity;
  /// Of each function, whether it may write to its arguments.
  std::map<std::string, std::vector<bool>> written;
  std::mutex mutex;
  std::string text; ///< printed when it is asked for
};

struct ArtifactObject {
  ~ArtifactObject();

  const Backend *backend = nullptr;
  bool cached = false;
  std::vector<CompiledKernel> kernels;
  std::vector<TileRtMetadata *> metadata; ///< of each kernel
  std::mutex mutex;
  std::vector<std::unique_ptr<LoadedImage>> images; ///< made when asked for
  /// Of each kernel; null where it has artefacts.
  std::vector<std::unique_ptr<FormImages>> forms;
};

HandleTable<TileCompiler, CompilerObject> &getCompilers();
HandleTable<TileCompilerModule, ModuleObject> &getModules();
HandleTable<TileCompilerArtifact, ArtifactObject> &getArtifacts();

/// Whether a caller gave a place for a size.
inline bool expectSize(const size_t *size, TileRtError *error) {
  return size || tile_rt_fail(error, "expected a place for the size, got null");
}

/// A context of its own for one call, on one thread, whose diagnostics and
/// remarks go to the compiler's handler.
class Session {
public:
  Session(const CompilerState &state, TileRtError *error);
  ~Session();

  MLIRContext &getContext() { return context; }
  /// Lets the diagnostics of a context of others through.
  void listen(MLIRContext &other);
  /// Has pass managers stop when `counter` is no longer `start`.
  void watch(const std::atomic<uint64_t> &counter, uint64_t start);
  bool isCancelled() const;
  /// Fills the caller's error: with the first error that was reported, or else
  /// with `otherwise`. Returns false.
  bool fail(const char *otherwise);
  void report(Diagnostic &diagnostic);

private:
  CompilerState state;
  TileRtError *error;
  bool hasError = false;
  const std::atomic<uint64_t> *counter = nullptr;
  uint64_t start = 0;
  MLIRContext context;
};

/// Reads a module into the session's context. Null if that fails.
OwningOpRef<ModuleOp> readModule(Session &session, StringRef bytes,
                                 StringRef name);

/// Whether code may write to a buffer of a module, through views and calls too.
bool isWritten(Value buffer);

/// A handle for the module that `read` makes of the bytes of a `what`, in the
/// context of the session; null with an error.
TileCompilerModule *
makeModule(TileCompiler *compiler, const void *bytes, const char *what,
           TileRtError *error,
           llvm::function_ref<OwningOpRef<ModuleOp>(Session &session)> read);

/// The bytes that a number of MiB stands for.
std::optional<uint64_t> getCacheLimit(StringRef text);

/// Artefacts as bytes, for the cache.
std::string serialize(const std::vector<CompiledKernel> &kernels);
bool deserialize(StringRef bytes, std::vector<CompiledKernel> &kernels);

} // namespace mlir::tile

#endif // TILE_LIB_CAPI_COMPILEROBJECTS_H
