//===- Backend.cpp - the back ends by name --------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Backend.h"

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"

#include <mutex>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

namespace {
class PlainImage : public LoadedImage {
public:
  explicit PlainImage(std::string bytes) : bytes(std::move(bytes)) {}
  StringRef getBytes() const override { return bytes; }

private:
  std::string bytes;
};
} // namespace

const Artifact *CompiledKernel::find(StringRef kind) const {
  auto found = llvm::find_if(
      artifacts, [&](const Artifact &one) { return one.kind == kind; });
  return found == artifacts.end() ? nullptr : &*found;
}

LoadedImage::~LoadedImage() = default;
Backend::~Backend() = default;

bool Backend::hasChip(StringRef chip) const {
  return llvm::is_contained(getChips(), chip);
}

std::string Backend::findChip(StringRef device) const {
  return hasChip(device) ? device.str() : std::string();
}

void Backend::buildCodePipeline(OpPassManager &, const CompileOptions &) const {
}
void Backend::registerDialects(DialectRegistry &) const {}
void Backend::registerPasses() const {}
void Backend::registerTranslations() const {}

LogicalResult Backend::compileForm(ModuleOp module, const CompileOptions &,
                                   std::vector<Artifact> &) const {
  // untested: no such back end leaves a form without code
  return module.emitError() << getName() << " makes no code of a form";
}

std::unique_ptr<LoadedImage> Backend::load(const CompiledKernel &kernel,
                                           std::string &) const {
  return std::make_unique<PlainImage>(kernel.artifacts.front().bytes);
}

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

namespace {
struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Backend>> backends;
};
} // namespace

static Registry &getRegistry() {
  static Registry registry;
  return registry;
}

void tile::registerBackend(std::unique_ptr<Backend> backend) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> guard(registry.mutex);
  registry.backends.push_back(std::move(backend));
}

bool tile::loadTarget(StringRef path, std::string &error) {
  std::string name = path.str();
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(name.c_str(), &error);
  if (!library.isValid())
    return false;
  void *function = library.getAddressOfSymbol("tileRegisterTarget");
  if (!function) {
    error = "'" + name + "' has no function 'tileRegisterTarget'";
    return false;
  }
  reinterpret_cast<void (*)()>(function)();
  return true;
}

std::vector<const Backend *> tile::getBackends() {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> guard(registry.mutex);
  std::vector<const Backend *> backends;
  for (const std::unique_ptr<Backend> &backend : registry.backends)
    backends.push_back(backend.get());
  return backends;
}

const Backend *tile::lookupBackend(StringRef target, std::string &chip,
                                   std::string &error) {
  auto [name, rest] = target.split(':');
  chip = rest.str();
  std::string known;
  for (const Backend *backend : getBackends()) {
    bool named = backend->getName() == name;
    if (named && (rest.empty() || backend->hasChip(rest)))
      return backend;
    if (!named && rest.empty() && backend->hasChip(target)) {
      chip = target.str();
      return backend;
    }
    known += (known.empty() ? "'" : ", '") + backend->getName().str() + "'";
    if (std::vector<std::string> chips = backend->getChips(); !chips.empty())
      known += " (" + llvm::join(chips, ", ") + ")";
  }
  error = "unknown target '" + target.str() + "'; expected one of " + known +
          ", or one of their chips";
  return nullptr;
}

void tile::registerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<TileDialect, world::WorldDialect>();
  registerLayoutModels(registry);
  for (const Backend *backend : getBackends())
    backend->registerDialects(registry);
}
