//===- CompilerImport.cpp - other languages, and text ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerObjects.h"

#include "Tile-c/Import.h"

#include "Tile/Import/TileLang.h"

using namespace mlir;
using namespace mlir::tile;

TileCompilerModule *tileCompilerModuleImportTileLang(TileCompiler *compiler,
                                                     const void *bytes,
                                                     size_t size,
                                                     const char *name,
                                                     TileRtError *error) {
  return makeModule(compiler, bytes, "program", error, [&](Session &session) {
    session.getContext().loadAllAvailableDialects();
    return importTileLang(StringRef(static_cast<const char *>(bytes), size),
                          name ? name : "program", &session.getContext());
  });
}

const char *tileCompilerModuleGetText(TileCompiler *compiler,
                                      TileCompilerModule *module, size_t *size,
                                      TileRtError *error) {
  std::shared_ptr<CompilerObject> owner = getCompilers().get(compiler, error);
  std::shared_ptr<ModuleObject> object =
      owner ? getModules().get(module, error) : nullptr;
  if (!object || !expectSize(size, error))
    return nullptr;
  std::lock_guard<std::mutex> guard(object->mutex);
  if (object->text.empty()) {
    Session session(owner->getState(), error);
    OwningOpRef<ModuleOp> copy =
        readModule(session, object->bytecode, "module");
    if (!copy) {
      session.fail("the module cannot be printed");
      return nullptr;
    }
    llvm::raw_string_ostream os(object->text);
    copy->print(os, OpPrintingFlags().printNameLocAsPrefix());
  }
  *size = object->text.size();
  return object->text.c_str();
}
