//===- CTranslations.cpp - the C files' part of tile-translate ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/ParseModule.h"
#include "Tile/AOT/EmitC.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Constructed on registration, so that other tools do not show the options.
struct Options {
  llvm::cl::OptionCategory category{"C files of kernels"};
  llvm::cl::list<std::string> targets{
      "c-targets",
      llvm::cl::desc("what the file holds code for: targets and chips, those "
                     "of a kind in order of preference; by default "
                     "cpu:x86-64-v3"),
      llvm::cl::value_desc("target,..."), llvm::cl::CommaSeparated,
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> kernel{
      "c-kernel", llvm::cl::desc("the function, where the module has several"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> prefix{
      "c-prefix", llvm::cl::desc("what stands before its name in C"),
      llvm::cl::value_desc("text"), llvm::cl::init("tile_"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> tvmFFI{
      "c-tvm-ffi",
      llvm::cl::desc("export the kernel as a function of TVM-FFI too"),
      llvm::cl::cat(category)};
};
} // namespace

static llvm::ManagedStatic<Options> options;

/// Leaves one function public, so that it alone is compiled.
static LogicalResult choose(ModuleOp module, StringRef name) {
  auto chosen = module.lookupSymbol<FunctionOpInterface>(name);
  if (!chosen)
    return module.emitError()
           << "expected a function '@" << name << "', got none";
  for (auto function : module.getOps<FunctionOpInterface>())
    function.setVisibility(function == chosen
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  return success();
}

static LogicalResult translate(ModuleOp module, bool header, raw_ostream &os) {
  EmitCOptions given;
  if (!options->targets.empty())
    given.targets = options->targets;
  given.prefix = options->prefix;
  given.tvmFFI = options->tvmFFI;
  if (!options->kernel.empty() && failed(choose(module, options->kernel)))
    return failure();
  auto files = emitC(module, given);
  if (failed(files))
    return failure();
  if (files->size() != 1) {
    InFlightDiagnostic diag =
        module.emitError("expected one kernel; choose with --c-kernel: ");
    llvm::interleaveComma(*files, diag,
                          [&](const CFile &file) { diag << file.name; });
    return diag;
  }
  os << (header ? files->front().header : files->front().source);
  return success();
}

/// Reads the module itself, to see the names of arguments.
static void addTranslation(StringRef name, StringRef description, bool header) {
  TranslateRegistration registration(
      name, description,
      [header](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
               MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerDialects(registry);
        context->appendDialectRegistry(registry);
        OwningOpRef<ModuleOp> module = parseModule(*sources, context);
        if (!module)
          return failure();
        return translate(*module, header, os);
      });
}

void tile::registerCTranslations() {
  *options;
  addTranslation("mlir-to-c",
                 "compile a kernel to a C file with its code and launcher",
                 /*header=*/false);
  addTranslation("mlir-to-c-header", "the header of that file",
                 /*header=*/true);
}
