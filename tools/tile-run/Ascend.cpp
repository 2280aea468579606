//===- Ascend.cpp - kernels on the Ascend model ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ascend.h"

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Targets/Ascend/Ascend.h"
#include "Tile/Targets/Ascend/AscendModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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

bool AscendProgram::create(ModuleOp module, ArrayRef<StringRef> names,
                           StringRef chip, int (*onReport)(const char *), bool dump) {
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
  if (!chip.empty() && failed(tile::setAscendChip(*copy, chip)))
    return false;
  if (failed(tile::lowerToAscend(*copy)))
    return false;
  if (dump)
    llvm::outs() << *copy << "\n";
  auto library = tile::buildAscendModel(*copy);
  if (failed(library))
    return false;
  std::string error;
  handle = tile::loadAscendModel(*library, error);
  if (!handle) {
    copy->emitError("the Ascend model cannot be loaded: ") << error;
    return false;
  }
  if (void *hook = dlsym(handle, "tileAscendHostOnReport"))
    *static_cast<int (**)(const char *)>(hook) = onReport;
  return true;
}

TileRunCode AscendProgram::lookup(StringRef name) const {
  if (!handle)
    return nullptr;
  return reinterpret_cast<TileRunCode>(
      dlsym(handle, ("tile_host_" + name).str().c_str()));
}
