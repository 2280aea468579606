//===- KernelForms.cpp - code of versions, when it is needed --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/KernelForms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::tile;

static const DialectRegistry &getRegistry() {
  static const DialectRegistry *registry = [] {
    // Never destroyed: other threads may compile to the very end.
    auto *all = new DialectRegistry;
    registerDialects(*all);
    return all;
  }();
  return *registry;
}

bool tile::compileForm(const Backend &backend, const CompiledKernel &kernel,
                       size_t form, const CompileOptions &options,
                       CompiledKernel &made, std::string &error) {
  MLIRContext context(getRegistry(), MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      error = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kernel.forms[form].module, &context);
  made.function = kernel.function;
  made.metadata = kernel.metadata;
  if (module &&
      succeeded(backend.compileForm(*module, options, made.artifacts)))
    return true;
  if (error.empty())
    error = "the code cannot be made";
  return false;
}

const LoadedImage *FormImages::get(size_t form, std::string &error) {
  std::lock_guard<std::mutex> guard(mutex);
  std::unique_ptr<LoadedImage> &image = images[form];
  CompiledKernel made;
  if (!image && make(form, made, error))
    image = backend.load(made, error);
  return image.get();
}
