//===- CompilerSession.cpp - one call into MLIR, with diagnostics ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerObjects.h"

#include "Tile/Conversion/LinalgToTile/Passes.h"
#include "Tile/Driver/ParseModule.h"
#include "Tile/InitAll.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <deque>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Diagnostics as structs
//===----------------------------------------------------------------------===//

namespace {
/// A message with the texts that its struct points to.
struct Message {
  TileCompilerDiagnostic fields = {};
  std::string text, file, outcome, remark, category;
  std::deque<Message> notes;
  std::vector<const TileCompilerDiagnostic *> pointers;

  void locate(Location loc) {
    auto place = loc->findInstanceOf<FileLineColLoc>();
    if (!place)
      return;
    file = place.getFilename().getValue().str();
    fields.line = place.getLine();
    fields.column = place.getColumn();
  }

  /// Sets the pointers, when all texts are in place.
  const TileCompilerDiagnostic *finish() {
    for (Message &note : notes)
      pointers.push_back(note.finish());
    fields.message = text.c_str();
    fields.file = file.c_str();
    fields.outcome = outcome.c_str();
    fields.remark = remark.c_str();
    fields.category = category.c_str();
    fields.noteCount = pointers.size();
    fields.notes = pointers.data();
    return &fields;
  }
};

/// Hands the remarks of passes to the handler.
class RemarkListener : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkListener(const CompilerState &state) : state(state) {}

  void streamOptimizationRemark(const remark::detail::Remark &from) override {
    Message message;
    message.fields.severity = TILE_COMPILER_REMARK;
    for (const auto &arg : from.getArgs()) {
      message.text += message.text.empty() ? "" : ", ";
      message.text += arg.key == "Remark" ? arg.val : arg.key + "=" + arg.val;
    }
    message.outcome = from.getRemarkTypeString().lower();
    message.remark = from.getRemarkName().str();
    message.category = from.getCombinedCategoryName().str();
    message.locate(from.getLocation());
    state.handler(message.finish(), state.handlerData);
  }

private:
  CompilerState state;
};
} // namespace

static TileCompilerSeverity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return TILE_COMPILER_ERROR;
  case DiagnosticSeverity::Warning:
    return TILE_COMPILER_WARNING;
  case DiagnosticSeverity::Remark:
    return TILE_COMPILER_REMARK;
  case DiagnosticSeverity::Note:
    return TILE_COMPILER_NOTE;
  }
  return TILE_COMPILER_ERROR;
}

static void fill(Message &message, Diagnostic &diagnostic) {
  message.fields.severity = getSeverity(diagnostic.getSeverity());
  message.text = diagnostic.str();
  message.locate(diagnostic.getLocation());
  for (Diagnostic &note : diagnostic.getNotes())
    fill(message.notes.emplace_back(), note);
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

static const DialectRegistry &getRegistry() {
  static const DialectRegistry *registry = [] {
    // Never destroyed: contexts of other threads may live to the very end.
    auto *all = new DialectRegistry;
    registerAllDialects(*all);
    registerAllToLLVMIRTranslations(*all);
    return all;
  }();
  return *registry;
}

Session::Session(const CompilerState &state, TileRtError *error)
    : state(state), error(error),
      context(getRegistry(), MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
  listen(context);
  std::string remarks = state.get("remarks").str();
  if (remarks.empty() || !state.handler)
    return;
  remark::RemarkCategories categories{remarks, remarks, remarks, remarks,
                                      remarks};
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkListener>(state),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

Session::~Session() = default;

void Session::listen(MLIRContext &other) {
  other.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    report(diagnostic);
    return success();
  });
}

void Session::report(Diagnostic &diagnostic) {
  // What goes wrong after the passes were skipped is no news.
  if (isCancelled())
    return;
  Message message;
  fill(message, diagnostic);
  const TileCompilerDiagnostic *fields = message.finish();
  if (fields->severity == TILE_COMPILER_ERROR && !hasError) {
    hasError = true;
    // Line 0 is the file as a whole.
    if (*fields->file && !fields->line)
      tile_rt_fail(error, "%s: %s", fields->file, fields->message);
    else if (*fields->file)
      tile_rt_fail(error, "%s:%lld:%lld: %s", fields->file,
                   (long long)fields->line, (long long)fields->column,
                   fields->message);
    else
      tile_rt_fail(error, "%s", fields->message);
  }
  if (state.handler)
    state.handler(fields, state.handlerData);
}

void Session::watch(const std::atomic<uint64_t> &counter, uint64_t start) {
  this->counter = &counter;
  this->start = start;
  context.registerActionHandler(
      [this](llvm::function_ref<void()> run, const tracing::Action &action) {
        if (!isa<mlir::PassExecutionAction>(action) || !isCancelled())
          run();
      });
}

bool Session::isCancelled() const { return counter && *counter != start; }

bool Session::fail(const char *otherwise) {
  if (isCancelled())
    return tile_rt_fail(error, "cancelled");
  if (!hasError)
    tile_rt_fail(error, "%s", otherwise);
  return false;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> tile::readModule(Session &session, StringRef bytes,
                                       StringRef name) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(bytes, name),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseModule(sources, &session.getContext());
  if (module && failed(convertTensorFunctions(*module)))
    return {};
  return module;
}
