//===- tile-translate.cpp - from and to other formats than MLIR -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like mlirTranslateMain, but the output file appears, or replaces an older
// one, when the translation has succeeded.
//
//===----------------------------------------------------------------------===//

#include "Tile/AOT/EmitC.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Driver/Notes.h"
#include "Tile/Driver/OutputFile.h"
#include "Tile/Driver/ParseModule.h"
#include "Tile/Driver/Version.h"
#include "Tile/Import/TileLang.h"
#include "Tile/InitAll.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace cl = llvm::cl;

static LogicalResult translate(const Translation &translation,
                               std::unique_ptr<llvm::MemoryBuffer> buffer,
                               raw_ostream &os, bool verifyDiagnostics,
                               const std::string &remarks, bool notes) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  MLIRContext context;
  // An error about the whole module would print the whole module.
  context.printOpOnDiagnostic(false);
  if (!remarks.empty())
    (void)remark::enableOptimizationRemarks(
        context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
        {remarks, remarks, remarks, remarks, remarks}, /*printAsEmitRemarks=*/true);
  else if (notes && !verifyDiagnostics)
    tile::enableNotes(context);
  if (!verifyDiagnostics) {
    SourceMgrDiagnosticHandler handler(*sources, &context);
    return translation(sources, os, &context);
  }
  SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
  (void)translation(sources, os, &context);
  return handler.verify();
}

int main(int argc, char **argv) {
  tile::setToolName("tile-translate");
  llvm::InitLLVM init(argc, argv);
  registerAllTranslations();
  tile::registerAllTranslations();
  tile::registerCTranslations();
  tile::registerTileLangTranslations();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  tile::registerParameterCLOptions();

  cl::opt<const Translation *, false, TranslationParser> translation(
      "", cl::desc("Translations"), cl::Required);
  cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                             cl::init("-"));
  cl::opt<std::string> output("o", cl::desc("Output file"),
                              cl::value_desc("file"), cl::init("-"));
  cl::opt<bool> split("split-input-file",
                      cl::desc("Translate the parts between '// -----' lines "
                               "one by one"));
  cl::opt<bool> verifyDiagnostics(
      "verify-diagnostics",
      cl::desc("Check diagnostics against expected-* lines"));
  cl::opt<std::string> remarks("remarks-filter",
                               cl::desc("Show remarks of such categories"),
                               cl::value_desc("regex"));
  cl::opt<bool> notes("notes", cl::init(true),
                      cl::desc("Say what a kernel asks for and does not get: "
                               "pipelines, asynchronous copies, matrix "
                               "instructions"));
  cl::ParseCommandLineOptions(argc, argv, "tile translation driver\n");

  auto fail = [&](const Twine &message) {
    llvm::errs() << "tile-translate: " << message << "\n";
    return 1;
  };
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = tile::openInput(input, &error);
  if (!buffer)
    return fail(error);
  // JSON, which no module looks like, has a limit of its own.
  StringRef begin = buffer->getBuffer().ltrim();
  bool isJSON = begin.starts_with("[") ||
                (begin.starts_with("{") && !begin.starts_with("{-#"));
  StringRef marker = split ? StringRef(kDefaultSplitMarker) : "";
  if (!isJSON && tile::nestsTooDeep(*buffer, marker))
    return fail(input + ": expected braces to nest at most " +
                Twine(tile::kMostBraces) + " deep");
  std::string result;
  llvm::raw_string_ostream os(result);
  auto process = [&](std::unique_ptr<llvm::MemoryBuffer> chunk,
                     raw_ostream &stream) {
    return translate(**&translation, std::move(chunk), stream,
                     verifyDiagnostics, remarks, notes);
  };
  if (failed(splitAndProcessBuffer(std::move(buffer), process, os, marker)))
    return 1;
  if (std::error_code problem = tile::writeOutput(output, result))
    return fail(output + ": " + problem.message());
  return 0;
}
