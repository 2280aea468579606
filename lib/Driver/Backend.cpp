//===- Backend.cpp - the back ends by name --------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Backend.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

#include <mutex>

using namespace mlir;
using namespace mlir::tile;

LoadedImage::~LoadedImage() = default;
Backend::~Backend() = default;

namespace {
class PlainImage : public LoadedImage {
public:
  explicit PlainImage(std::string bytes) : bytes(std::move(bytes)) {}
  StringRef getBytes() const override { return bytes; }

private:
  std::string bytes;
};

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Backend>> backends;
};
} // namespace

static Registry &getRegistry() {
  static Registry registry;
  return registry;
}

std::unique_ptr<LoadedImage> Backend::load(const CompiledKernel &kernel,
                                           std::string &) const {
  return std::make_unique<PlainImage>(kernel.artifacts.front().bytes);
}

void tile::registerBackend(std::unique_ptr<Backend> backend) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> guard(registry.mutex);
  registry.backends.push_back(std::move(backend));
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

/// Whether the function is host code of a kernel, and not the reference that
/// another one is compared with.
static bool hasKernel(FunctionOpInterface function) {
  WalkResult found =
      function->walk([](KernelOp) { return WalkResult::interrupt(); });
  return found.wasInterrupted();
}

FailureOr<std::vector<std::string>>
tile::getKernelFunctions(ModuleOp module, const CompileOptions &options) {
  std::vector<std::string> names;
  for (const std::string &name : options.functions) {
    auto function = module.lookupSymbol<FunctionOpInterface>(name);
    if (!function || function.isExternal())
      return module.emitError()
             << "expected a function '@" << name << "' with a body, got none";
    names.push_back(name);
  }
  if (!names.empty())
    return names;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.isPublic() && hasKernel(function))
      names.push_back(function.getName().str());
  if (names.empty())
    return module.emitError("expected a public function with a 'tile.kernel', "
                            "got none");
  return names;
}

LogicalResult tile::keepFunctions(ModuleOp module,
                                  ArrayRef<std::string> names) {
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool kept = llvm::is_contained(names, function.getName());
    function.setVisibility(kept ? SymbolTable::Visibility::Public
                                : SymbolTable::Visibility::Private);
    // A mention in this attribute is not a need.
    function->removeAttr("tile.reference");
  }
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}
