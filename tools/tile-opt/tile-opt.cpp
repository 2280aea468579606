//===- tile-opt.cpp - runs passes on .mlir files --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like mlirOptMain, but it fails where a pass has reported an error and gone on.
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/ShortForm.h"
#include "Tile/Driver/OutputFile.h"
#include "Tile/Driver/ParseModule.h"
#include "Tile/Driver/Version.h"
#include "Tile/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

int main(int argc, char **argv) {
  tile::setToolName("tile-opt");
  tile::registerAllPasses();
  tile::registerShortFormCLOptions();
  DialectRegistry registry;
  tile::registerAllDialects(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "tile optimizer driver\n", registry);
  MlirOptMainConfig given = MlirOptMainConfig::createFromCLOptions();
  if (given.shouldShowDialects() || given.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));

  llvm::InitLLVM init(argc, argv);
  bool hasErrors = false;
  MlirOptMainConfig config = given;
  config.setPassPipelineSetupFn([&](PassManager &pm) {
    pm.getContext()->getDiagEngine().registerHandler([&](Diagnostic &diag) {
      hasErrors |= diag.getSeverity() == DiagnosticSeverity::Error;
      return failure();
    });
    return given.setupPassPipeline(pm);
  });
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = tile::openInput(input, &message);
  if (!buffer) {
    llvm::errs() << message << "\n";
    return 1;
  }
  if (tile::nestsTooDeep(*buffer, config.inputSplitMarker())) {
    llvm::errs() << input << ": expected braces to nest at most "
                 << tile::kMostBraces << " deep\n";
    return 1;
  }
  std::string result;
  llvm::raw_string_ostream os(result);
  bool failure = failed(MlirOptMain(os, std::move(buffer), registry, config)) ||
                 (hasErrors && !config.shouldVerifyDiagnostics());
  // What fails leaves an older file as it is; text on the standard output may
  // help to find the reason.
  std::error_code problem = failure && output != "-"
                                ? std::error_code()
                                : tile::writeOutput(output, result);
  if (problem)
    llvm::errs() << output << ": " << problem.message() << "\n";
  return failure || problem;
}
