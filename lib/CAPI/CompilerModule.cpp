//===- CompilerModule.cpp - modules of the compiler, from C ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerObjects.h"

#include "Tile-c/CompilerIR.h"
#include "Tile-c/Tuning.h"

#include "Tile/CostModel/Describe.h"
#include "Tile/CostModel/Tuning.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

HandleTable<TileCompilerModule, ModuleObject> &mlir::tile::getModules() {
  static HandleTable<TileCompilerModule, ModuleObject> table("a module", 2);
  return table;
}

static std::string writeBytecode(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  return succeeded(writeBytecodeToFile(module, os)) ? bytes : std::string();
}

/// What the code of a module depends on: not its places in a file.
static std::string identify(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, OpPrintingFlags().printGenericOpForm());
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    os << "\n@" << function.getName();
    for (BlockArgument argument : function.getArguments())
      if (auto name = argument.getLoc()->findInstanceOf<NameLoc>())
        os << " " << argument.getArgNumber() << "=" << name.getName().strref();
  }
  return text;
}

static TileCompilerModule *addModule(ModuleOp module, Session &session) {
  auto object = std::make_shared<ModuleObject>();
  object->bytecode = writeBytecode(module);
  object->identity = identify(module);
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      for (BlockArgument argument : function.getArguments())
        object->written[function.getName().str()].push_back(
            isWritten(argument));
  if (!object->bytecode.empty())
    return getModules().add(std::move(object));
  session.fail("the module cannot be written as bytecode");
  return nullptr;
}

TileCompilerModule *
mlir::tile::makeModule(TileCompiler *compiler, const void *bytes, const char *what,
                 TileRtError *error,
                 function_ref<OwningOpRef<ModuleOp>(Session &session)> read) {
  std::shared_ptr<CompilerObject> object = getCompilers().get(compiler, error);
  if (!object)
    return nullptr;
  if (!bytes) {
    tile_rt_fail(error, "expected the bytes of a %s, got null", what);
    return nullptr;
  }
  Session session(object->getState(), error);
  if (OwningOpRef<ModuleOp> module = read(session))
    return addModule(*module, session);
  session.fail((Twine("the ") + what + " cannot be read").str().c_str());
  return nullptr;
}

TileCompilerModule *tileCompilerModuleParse(TileCompiler *compiler,
                                            const void *bytes, size_t size,
                                            const char *name,
                                            TileRtError *error) {
  return makeModule(compiler, bytes, "module", error, [&](Session &session) {
    return readModule(session,
                      StringRef(static_cast<const char *>(bytes), size),
                      name ? name : "module");
  });
}

TileCompilerModule *tileCompilerModuleFromIR(TileCompiler *compiler,
                                             MlirModule module,
                                             TileRtError *error) {
  std::shared_ptr<CompilerObject> object = getCompilers().get(compiler, error);
  if (!object)
    return nullptr;
  if (!module.ptr) {
    tile_rt_fail(error, "expected a module, got null");
    return nullptr;
  }
  // As bytecode it comes into a context that knows our dialects, and is
  // verified there.
  Session session(object->getState(), error);
  std::string bytes = writeBytecode(unwrap(module));
  OwningOpRef<ModuleOp> copy;
  if (!bytes.empty())
    copy = readModule(session, bytes, "module");
  if (copy)
    return addModule(*copy, session);
  session.fail("the module cannot be copied");
  return nullptr;
}

bool tileCompilerModuleDestroy(TileCompilerModule *module, TileRtError *error) {
  return getModules().remove(module, error);
}

const void *tileCompilerModuleGetBytecode(TileCompilerModule *module,
                                          size_t *size, TileRtError *error) {
  std::shared_ptr<ModuleObject> object = getModules().get(module, error);
  if (!object || !expectSize(size, error))
    return nullptr;
  *size = object->bytecode.size();
  return object->bytecode.data();
}

//===----------------------------------------------------------------------===//
// Estimates and tuned parameters
//===----------------------------------------------------------------------===//

bool tileCompilerModuleEstimate(TileCompiler *compiler,
                                TileCompilerModule *module, const char *chip,
                                const char *sizes, double *seconds, char **json,
                                TileRtError *error) {
  std::shared_ptr<CompilerObject> object = getCompilers().get(compiler, error);
  std::shared_ptr<ModuleObject> source =
      object ? getModules().get(module, error) : nullptr;
  if (!source)
    return false;
  Session session(object->getState(), error);
  OwningOpRef<ModuleOp> copy = readModule(session, source->bytecode, "module");
  if (!copy)
    return session.fail("the module cannot be read");
  EstimateOptions options{chip ? chip : "", sizes ? sizes : "", {}};
  auto result = estimate(*copy, options);
  auto rated = findChipRates(*copy, options.chip);
  if (failed(result) || failed(rated))
    return session.fail("the module cannot be estimated");
  if (seconds)
    *seconds = result->seconds;
  if (!json)
    return true;
  *json = strdup(::tile::cost::formatJSON(*result, *rated->target).c_str());
  return *json || session.fail("out of memory");
}

TileCompilerModule *tileCompilerModuleTune(TileCompiler *compiler,
                                           TileCompilerModule *module,
                                           const char *record, const char *chip,
                                           const char *function,
                                           const char *sizes,
                                           TileRtError *error) {
  std::shared_ptr<CompilerObject> object = getCompilers().get(compiler, error);
  std::shared_ptr<ModuleObject> source =
      object ? getModules().get(module, error) : nullptr;
  if (!source)
    return nullptr;
  if (!record || !function) {
    tile_rt_fail(error, "expected a record and a function, got null");
    return nullptr;
  }
  Session session(object->getState(), error);
  OwningOpRef<ModuleOp> copy = readModule(session, source->bytecode, "module");
  if (copy && !copy->lookupSymbol(function))
    copy->emitError("there is no function '@") << function << "'";
  else if (copy && succeeded(applyTuning(*copy, record, chip ? chip : "",
                                         function, sizes ? sizes : "")))
    return addModule(*copy, session);
  session.fail("the record cannot be applied");
  return nullptr;
}
