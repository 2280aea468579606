//===- Compiler.cpp - compilers, targets and options, from C --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerObjects.h"

#include "Tile/Driver/RuntimeSymbols.h"
#include "Tile/InitAll.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::tile;

HandleTable<TileCompiler, CompilerObject> &tile::getCompilers() {
  static HandleTable<TileCompiler, CompilerObject> table("a compiler", 1);
  return table;
}

//===----------------------------------------------------------------------===//
// Versions and targets
//===----------------------------------------------------------------------===//

static_assert(TILE_C_API_VERSION ==
                  (TILE_VERSION_MAJOR << 16 | TILE_VERSION_MINOR),
              "the version of the C API is that of the project");

uint32_t tileCompilerGetApiVersion() { return TILE_C_API_VERSION; }

const char *tileCompilerGetVersion() { return TILE_VERSION; }

size_t tileCompilerGetTargetCount() {
  registerAllTargets();
  return getBackends().size();
}

const char *tileCompilerGetTargetName(size_t index) {
  registerAllTargets();
  std::vector<const Backend *> backends = getBackends();
  return index < backends.size() ? backends[index]->getName().data() : nullptr;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static const TileCompilerOption options[] = {
    {"cache", "", "the folder of compiled code; empty: none"},
    {"cache-limit", "",
     "how many MiB the folder may hold; what was not used for the longest time "
     "goes first. Empty: what TILE_CACHE_LIMIT says, or else 1024"},
    {"check-assumptions", "false", "test what tile.assume states"},
    {"emit", "",
     "kinds of code to make beside the one that is loaded, with commas: asm, "
     "llvmir, ptx ..."},
    {"features", "", "features to add to the chip's or remove: +a,-b"},
    {"functions", "",
     "the functions to compile, with commas; empty: all public ones with "
     "kernels"},
    {"lazy-versions", "false",
     "leave the code of a kernel with versions to the launches that choose "
     "them, if 'emit' asks for nothing"},
    {"opt-level", "3", "LLVM's optimisation level, 0 to 3"},
    {"parameters", "",
     "values of parameters, NAME=VALUE with commas; a parameter has its "
     "default otherwise"},
    {"remarks", "",
     "a regular expression for the passes whose remarks are reported; empty: "
     "none"},
    {"threads", "true", "a CPU spreads the grid over threads"},
};

size_t tileCompilerGetOptionCount() { return std::size(options); }

const TileCompilerOption *tileCompilerGetOptionInfo(size_t index) {
  return index < std::size(options) ? &options[index] : nullptr;
}

std::optional<uint64_t> tile::getCacheLimit(StringRef text) {
  uint64_t mebibytes = 0;
  if (text.getAsInteger(10, mebibytes) || mebibytes > UINT64_MAX >> 20)
    return std::nullopt;
  return mebibytes << 20;
}

/// What values an option may have, or null if `value` is one.
static const char *getExpectation(StringRef name, StringRef value) {
  std::string ignored;
  if (name == "opt-level")
    return value.size() == 1 && value >= "0" && value <= "3" ? nullptr
                                                             : "0 to 3";
  if (name == "cache-limit" && !value.empty())
    return getCacheLimit(value) ? nullptr : "a number of MiB";
  if (name == "threads" || name == "check-assumptions" ||
      name == "lazy-versions")
    return value == "true" || value == "false" ? nullptr : "true or false";
  if (name == "remarks" && !value.empty())
    return llvm::Regex(value).isValid(ignored) ? nullptr
                                               : "a regular expression";
  return nullptr;
}

bool tileCompilerSetOption(TileCompiler *compiler, const char *name,
                           const char *value, TileRtError *error) {
  std::shared_ptr<CompilerObject> object = getCompilers().get(compiler, error);
  if (!object)
    return false;
  if (!name || !value)
    return tile_rt_fail(error, "expected an option's %s, got null",
                        name ? "value" : "name");
  std::string known;
  for (const TileCompilerOption &option : options) {
    known += (known.empty() ? "" : ", ") + std::string(option.name);
    if (StringRef(option.name) != name)
      continue;
    if (const char *expected = getExpectation(name, value))
      return tile_rt_fail(error, "option '%s': expected %s, got '%s'", name,
                          expected, value);
    std::lock_guard<std::mutex> guard(object->mutex);
    object->state.options[name] = value;
    return true;
  }
  return tile_rt_fail(error, "unknown option '%s'; expected one of %s", name,
                      known.c_str());
}

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

TileCompiler *tileCompilerCreate(uint32_t apiVersion, TileRtError *error) {
  const uint32_t own = TILE_C_API_VERSION;
  if (apiVersion >> 16 != own >> 16 || apiVersion > own) {
    tile_rt_fail(error,
                 "expected a client for version %u.0 to %u.%u of the C API, "
                 "got one for %u.%u",
                 own >> 16, own >> 16, own & 0xffff, apiVersion >> 16,
                 apiVersion & 0xffff);
    return nullptr;
  }
  registerAllTargets();
  static const bool once = (addRuntimeSymbols(), true);
  (void)once;
  auto object = std::make_shared<CompilerObject>();
  for (const TileCompilerOption &option : options)
    object->state.options[option.name] = option.value;
  return getCompilers().add(std::move(object));
}

bool tileCompilerDestroy(TileCompiler *compiler, TileRtError *error) {
  return getCompilers().remove(compiler, error);
}

bool tileCompilerSetDiagnosticHandler(TileCompiler *compiler,
                                      TileCompilerDiagnosticHandler handler,
                                      void *data, TileRtError *error) {
  std::shared_ptr<CompilerObject> object = getCompilers().get(compiler, error);
  if (!object)
    return false;
  std::lock_guard<std::mutex> guard(object->mutex);
  object->state.handler = handler;
  object->state.handlerData = data;
  return true;
}

bool tileCompilerCancel(TileCompiler *compiler, TileRtError *error) {
  std::shared_ptr<CompilerObject> object = getCompilers().get(compiler, error);
  if (object)
    ++object->cancellations;
  return object != nullptr;
}
