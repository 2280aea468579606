//===- CompilerCompile.cpp - compilation and its cache, from C ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerObjects.h"

#include "TileRuntime/Cache.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::tile;

static std::vector<std::string> splitList(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::vector<std::string> result;
  for (StringRef part : parts)
    result.push_back(part.trim().str());
  return result;
}

static CompileOptions getOptions(const CompilerState &state, StringRef chip) {
  CompileOptions options;
  options.chip = chip.str();
  options.features = state.get("features").str();
  options.optLevel = state.get("opt-level")[0] - '0';
  options.threads = state.get("threads") == "true";
  options.checkAssumptions = state.get("check-assumptions") == "true";
  options.lazyVersions = state.get("lazy-versions") == "true";
  options.functions = splitList(state.get("functions"));
  options.emit = splitList(state.get("emit"));
  return options;
}

static bool checkKinds(const Backend &backend, const CompileOptions &options,
                       TileRtError *error) {
  std::vector<std::string> kinds = backend.getKinds();
  for (const std::string &kind : options.emit)
    if (!llvm::is_contained(kinds, kind))
      return tile_rt_fail(
          error, "option 'emit': expected kinds of '%s' (%s), got '%s'",
          backend.getName().data(), llvm::join(kinds, ", ").c_str(),
          kind.c_str());
  return true;
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// A thousand kernels or so.
static constexpr uint64_t kDefaultCacheBytes = uint64_t(1) << 30;

/// All that the code is made from.
static TileRtHash getKey(const ModuleObject &module, const Backend &backend,
                         const CompileOptions &options,
                         const CompilerState &state) {
  TileRtHash hash;
  tile_rt_hash_start(&hash);
  tile_rt_hash_text(&hash, "tile " TILE_VERSION " artefact 2");
  tile_rt_hash_text(&hash, backend.getName().data());
  tile_rt_hash_text(&hash, options.chip.c_str());
  tile_rt_hash_text(&hash, backend.getFingerprint(options).c_str());
  for (const auto &[name, value] : state.options) {
    if (name == "cache" || name == "cache-limit" || name == "remarks")
      continue;
    tile_rt_hash_text(&hash, name.c_str());
    tile_rt_hash_text(&hash, value.c_str());
  }
  tile_rt_hash_text(&hash, module.identity.c_str());
  return hash;
}

/// Says that the cache does not work. The compilation goes on: what it makes is
/// worth more than a copy on disk.
static void warn(const CompilerState &state, const TileRtError &problem) {
  if (!state.handler || !problem.message[0])
    return;
  TileCompilerDiagnostic warning = {};
  warning.severity = TILE_COMPILER_WARNING;
  warning.message = problem.message;
  warning.file = warning.outcome = warning.remark = warning.category = "";
  state.handler(&warning, state.handlerData);
}

/// Fills in the kernels from the cache; `usable` says whether it may be written.
static bool readCache(const CompilerState &state, const std::string &folder,
                      const TileRtHash &key,
                      std::vector<CompiledKernel> &kernels, bool &usable) {
  void *bytes = nullptr;
  size_t size = 0;
  TileRtError problem = {};
  if (!tile_rt_cache_read(folder.c_str(), &key, &bytes, &size, &problem)) {
    usable = !problem.message[0];
    warn(state, problem);
    return false;
  }
  llvm::scope_exit release([&] { std::free(bytes); });
  return deserialize(StringRef(static_cast<const char *>(bytes), size),
                     kernels);
}

/// The bytes that the folder may hold.
static uint64_t getLimit(const CompilerState &state) {
  const char *variable = std::getenv("TILE_CACHE_LIMIT");
  StringRef limit = state.get("cache-limit");
  if (limit.empty() && variable)
    limit = variable;
  if (limit.empty())
    return kDefaultCacheBytes;
  std::optional<uint64_t> most = getCacheLimit(limit);
  if (most)
    return *most;
  TileRtError problem = {};
  tile_rt_fail(&problem,
               "TILE_CACHE_LIMIT: expected a number of MiB, got '%s'; %llu are "
               "taken",
               variable, (unsigned long long)(kDefaultCacheBytes >> 20));
  warn(state, problem);
  return kDefaultCacheBytes;
}

static void writeCache(const CompilerState &state, const std::string &folder,
                       const TileRtHash &key,
                       const std::vector<CompiledKernel> &kernels) {
  std::string bytes = serialize(kernels);
  TileRtError problem = {};
  if (!tile_rt_cache_write(folder.c_str(), &key, bytes.data(), bytes.size(),
                           &problem) ||
      !tile_rt_cache_trim(folder.c_str(), getLimit(state), &problem))
    warn(state, problem);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Fills in the kernels, unless the cache has.
static bool compile(CompilerObject &compiler, const ModuleObject &module,
                    const CompilerState &state, const CompileOptions &options,
                    uint64_t cancellations, ArtifactObject &artifact,
                    TileRtError *error) {
  Session session(state, error);
  session.watch(compiler.cancellations, cancellations);
  OwningOpRef<ModuleOp> copy = readModule(session, module.bytecode, "module");
  if (!copy ||
      failed(addBindings(*copy, splitList(state.get("parameters")))) ||
      failed(artifact.backend->compile(*copy, options, artifact.kernels)) ||
      session.isCancelled())
    return session.fail("the module cannot be compiled");
  return true;
}

/// What launches need to make the code of a form, or to find it in the cache.
struct FormMaker {
  const Backend &backend;
  const CompiledKernel &kernel; ///< lives as long as the maker
  CompileOptions options;
  CompilerState state;
  std::string folder; ///< empty: no cache
  TileRtHash key;     ///< of the artefact

  bool operator()(size_t form, CompiledKernel &made, std::string &error) const {
    TileRtHash own = key;
    tile_rt_hash_text(&own, kernel.forms[form].kernel.c_str());
    bool usable = !folder.empty();
    std::vector<CompiledKernel> kernels;
    if (usable && readCache(state, folder, own, kernels, usable)) {
      made = std::move(kernels.front());
      return true;
    }
    if (!compileForm(backend, kernel, form, options, made, error))
      return false;
    if (usable)
      writeCache(state, folder, own, {made});
    return true;
  }
};

static bool addKernels(const CompilerState &state,
                       const CompileOptions &options,
                       const std::string &folder, const TileRtHash &key,
                       ArtifactObject &artifact, TileRtError *error) {
  CompilerState silent = state;
  // The client may be gone when a launch needs code.
  silent.handler = nullptr;
  for (const CompiledKernel &kernel : artifact.kernels) {
    artifact.metadata.push_back(tile_rt_metadata_parse(
        kernel.metadata.data(), kernel.metadata.size(), error));
    if (!artifact.metadata.back())
      return false;
    auto &forms = artifact.forms.emplace_back();
    if (!kernel.forms.empty())
      forms = std::make_unique<FormImages>(
          *artifact.backend, kernel.forms.size(),
          FormMaker{*artifact.backend, kernel, options, silent, folder, key});
  }
  artifact.images.resize(artifact.kernels.size());
  return true;
}

TileCompilerArtifact *tileCompilerCompile(TileCompiler *compiler,
                                          TileCompilerModule *module,
                                          const char *target,
                                          TileRtError *error) {
  std::shared_ptr<CompilerObject> owner = getCompilers().get(compiler, error);
  std::shared_ptr<ModuleObject> source =
      owner ? getModules().get(module, error) : nullptr;
  if (!source)
    return nullptr;
  uint64_t cancellations = owner->cancellations;
  CompilerState state = owner->getState();
  auto artifact = std::make_shared<ArtifactObject>();
  std::string chip, problem;
  if (!target) {
    tile_rt_fail(error, "expected the name of a target, got null");
    return nullptr;
  }
  artifact->backend = lookupBackend(target, chip, problem);
  if (!artifact->backend) {
    tile_rt_fail(error, "%s", problem.c_str());
    return nullptr;
  }
  CompileOptions options = getOptions(state, chip);
  if (!checkKinds(*artifact->backend, options, error))
    return nullptr;
  std::string folder = state.get("cache").str();
  TileRtHash key = {};
  if (!folder.empty())
    key = getKey(*source, *artifact->backend, options, state);
  bool usable = !folder.empty();
  artifact->cached =
      usable && readCache(state, folder, key, artifact->kernels, usable);
  if (!artifact->cached) {
    if (!compile(*owner, *source, state, options, cancellations, *artifact,
                 error))
      return nullptr;
    if (usable)
      writeCache(state, folder, key, artifact->kernels);
  }
  if (!addKernels(state, options, usable ? folder : "", key, *artifact, error))
    return nullptr;
  return getArtifacts().add(std::move(artifact));
}
