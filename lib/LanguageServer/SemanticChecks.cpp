//===- SemanticChecks.cpp - diagnostics beyond those of verifiers ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SemanticChecks.h"

#include "Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;
namespace lsp = llvm::lsp;

namespace {
/// The diagnostics of one program, which begins at a line of the file.
class Collector {
public:
  Collector(StringRef program, int firstLine, const lsp::URIForFile &uri)
      : firstLine(firstLine), uri(uri) {
    program.split(lines, '\n');
  }

  void add(const Diagnostic &diagnostic,
           std::vector<lsp::Diagnostic> &diagnostics) const;

private:
  /// The word there.
  lsp::Range getRange(Location loc) const;

  int firstLine;
  const lsp::URIForFile &uri;
  SmallVector<StringRef> lines;
};
} // namespace

lsp::Range Collector::getRange(Location loc) const {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  int line = place ? int(place.getLine()) - 1 : 0;
  int column = place ? std::max(int(place.getColumn()) - 1, 0) : 0;
  int end = column;
  if (line >= 0 && line < int(lines.size()))
    for (StringRef text = lines[line];
         end < int(text.size()) &&
         (llvm::isAlnum(text[end]) || StringRef("%@._").contains(text[end]));)
      ++end;
  line += firstLine;
  return {{line, column}, {line, end}};
}

void Collector::add(const Diagnostic &diagnostic,
                    std::vector<lsp::Diagnostic> &diagnostics) const {
  lsp::Diagnostic result;
  result.range = getRange(diagnostic.getLocation());
  result.severity = diagnostic.getSeverity() == DiagnosticSeverity::Error
                        ? lsp::DiagnosticSeverity::Error
                        : lsp::DiagnosticSeverity::Warning;
  result.source = "tile";
  result.message = diagnostic.str();
  std::vector<lsp::DiagnosticRelatedInformation> notes;
  for (const Diagnostic &note : diagnostic.getNotes())
    notes.push_back({lsp::Location(uri, getRange(note.getLocation())),
                     note.str()});
  if (!notes.empty())
    result.relatedInformation = std::move(notes);
  diagnostics.push_back(std::move(result));
}

static void checkProgram(StringRef program, MLIRContext &context,
                         const Collector &collector,
                         std::vector<lsp::Diagnostic> &diagnostics) {
  bool isParsed = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    // The parser's and verifiers' own are known.
    if (isParsed && (diagnostic.getSeverity() == DiagnosticSeverity::Error ||
                     diagnostic.getSeverity() == DiagnosticSeverity::Warning))
      collector.add(diagnostic, diagnostics);
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program, ParserConfig(&context));
  if (!module)
    return;
  isParsed = true;
  PassManager pm(&context);
  pm.addPass(createInlineCallsPass());
  pm.addPass(createBindParametersPass());
  pm.addPass(createVerifySemanticsPass());
  // The diagnostics say why, if it fails.
  (void)pm.run(*module);
}

std::vector<lsp::Diagnostic>
mlir::tile::checkSemantics(StringRef text, const lsp::URIForFile &uri,
                           const DialectRegistry &registry) {
  std::vector<lsp::Diagnostic> diagnostics;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  int firstLine = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && !text.drop_front(end).starts_with(kSeparator))
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    StringRef program = text.slice(begin, end);
    checkProgram(program, context, Collector(program, firstLine, uri),
                 diagnostics);
    // The rest of the separator's line is a comment of the next program.
    firstLine += int(program.count('\n'));
    begin = end + (end < text.size() ? kSeparator.size() : 0);
  }
  return diagnostics;
}
