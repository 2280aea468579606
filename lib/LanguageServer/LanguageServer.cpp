//===- LanguageServer.cpp - the language server for .mlir files -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's server has the standard streams, which are pipes. A thread passes on
// what the editor sends, and notes what it asks; another one adds to the answers.
//
//===----------------------------------------------------------------------===//

#include "Tile/LanguageServer/LanguageServer.h"

#include "Documents.h"
#include "SemanticChecks.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <map>
#include <thread>
#include <unistd.h>

using namespace mlir::tile;
using mlir::DialectRegistry;
namespace json = llvm::json;
namespace lsp = llvm::lsp;

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

namespace {
/// What there is to add to an answer: the text may change before it comes.
struct Question {
  bool isHover = false;
  const Reference::Entry *entry = nullptr;
  std::vector<lsp::CompletionItem> items;
};

/// What the server says, with what it does not know.
class Answers {
public:
  explicit Answers(const DialectRegistry &registry) : registry(registry) {}

  /// Notes a message of the editor.
  void note(const json::Value &message);
  /// Adds to a message of the server.
  void complete(json::Value &message);

private:
  void addDiagnostics(json::Object &params);

  const DialectRegistry &registry;
  Documents documents;
  std::mutex mutex;
  std::map<std::string, Question> questions; ///< by the text of their ids
};
} // namespace

static std::string getKey(const json::Value &id) {
  return llvm::formatv("{0}", id).str();
}

void Answers::note(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  const json::Value *params = object ? object->get("params") : nullptr;
  auto method = object ? object->getString("method") : std::nullopt;
  if (!params || !method)
    return;
  documents.follow(*method, *params);
  const json::Value *id = object->get("id");
  lsp::TextDocumentPositionParams place;
  json::Path::Root root;
  bool isHover = *method == "textDocument/hover";
  if (!id || (!isHover && *method != "textDocument/completion") ||
      !fromJSON(*params, place, root))
    return;
  llvm::StringRef uri = place.textDocument.uri.uri();
  Question question;
  question.isHover = isHover;
  if (isHover)
    question.entry = documents.findEntry(uri, place.position);
  else
    question.items = documents.complete(uri, place.position);
  std::lock_guard<std::mutex> guard(mutex);
  questions[getKey(*id)] = std::move(question);
}

/// Values of the protocol refer to texts of what they were made of.
static json::Value copyTexts(const json::Value &value) {
  return llvm::cantFail(json::parse(llvm::formatv("{0}", value).str()));
}

/// Of a text with errors, the parser has said what is wrong.
void Answers::addDiagnostics(json::Object &params) {
  auto uri = params.getString("uri");
  auto version = params.getInteger("version");
  json::Array *diagnostics = params.getArray("diagnostics");
  if (!uri || !diagnostics || !diagnostics->empty())
    return;
  std::optional<std::string> text =
      documents.getText(*uri, version.value_or(0));
  llvm::Expected<lsp::URIForFile> file = lsp::URIForFile::fromURI(*uri);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  if (text)
    for (const lsp::Diagnostic &found : checkSemantics(*text, *file, registry))
      diagnostics->push_back(copyTexts(toJSON(found)));
}

static void answer(const Question &question, json::Value &result) {
  if (!question.isHover) {
    json::Object *list = result.getAsObject();
    if (json::Array *items = list ? list->getArray("items") : nullptr)
      for (const lsp::CompletionItem &item : question.items)
        items->push_back(copyTexts(toJSON(item)));
    return;
  }
  if (!question.entry)
    return;
  json::Object *hover = result.getAsObject();
  json::Object *contents = hover ? hover->getObject("contents") : nullptr;
  if (!contents) {
    result = json::Object{
        {"contents", json::Object{{"kind", "markdown"}, {"value", ""}}}};
    contents = result.getAsObject()->getObject("contents");
  }
  std::string known = contents->getString("value").value_or("").str();
  (*contents)["value"] =
      known + (known.empty() ? "" : "\n\n***\n\n") + "### " + question.entry->text.str();
}

void Answers::complete(json::Value &message) {
  json::Object *object = message.getAsObject();
  if (!object)
    return;
  if (object->getString("method") ==
      llvm::StringRef("textDocument/publishDiagnostics")) {
    if (json::Object *params = object->getObject("params"))
      addDiagnostics(*params);
    return;
  }
  const json::Value *id = object->get("id");
  json::Value *result = object->get("result");
  if (!id || !result)
    return;
  std::unique_lock<std::mutex> lock(mutex);
  auto known = questions.find(getKey(*id));
  if (known == questions.end())
    return;
  Question question = std::move(known->second);
  questions.erase(known);
  lock.unlock();
  answer(question, *result);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

namespace {
/// The streams of the editor, and pipes in their place.
struct Streams {
  FILE *fromEditor = nullptr, *fromServer = nullptr;
  int toEditor = -1, toServer = -1;

  bool open();
};
} // namespace

bool Streams::open() {
  int in[2], out[2], editor = dup(STDIN_FILENO);
  toEditor = dup(STDOUT_FILENO);
  if (editor < 0 || toEditor < 0 || pipe(in) != 0 || pipe(out) != 0 ||
      dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0)
    return false;
  close(in[0]);
  close(out[1]);
  toServer = in[1];
  fromEditor = fdopen(editor, "r");
  fromServer = fdopen(out[0], "r");
  return fromEditor && fromServer;
}

/// Calls `handle` for each message until the stream ends.
static void forEachMessage(FILE *from, lsp::JSONStreamStyle style,
                           llvm::function_ref<void(llvm::StringRef)> handle) {
  lsp::JSONTransportInputOverFile input(from, style);
  std::string text;
  while (!input.isEndOfInput() && !input.hasError())
    if (llvm::succeeded(input.readMessage(text)))
      handle(text);
}

static void send(llvm::raw_fd_ostream &os, llvm::StringRef text) {
  os << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  os.flush();
}

/// Passes on what the editor sends, in the form in which it came.
static void listen(const Streams &streams, lsp::JSONStreamStyle style,
                   Answers &answers) {
  llvm::raw_fd_ostream os(streams.toServer, /*shouldClose=*/true);
  forEachMessage(streams.fromEditor, style, [&](llvm::StringRef text) {
    if (llvm::Expected<json::Value> message = json::parse(text))
      answers.note(*message);
    else
      llvm::consumeError(message.takeError());
    if (style == lsp::JSONStreamStyle::Standard)
      return send(os, text);
    os << text << "\n" << kSeparator << "\n";
    os.flush();
  });
}

static void speak(const Streams &streams, bool isPretty, Answers &answers) {
  llvm::raw_fd_ostream os(streams.toEditor, /*shouldClose=*/false);
  forEachMessage(streams.fromServer, lsp::JSONStreamStyle::Standard,
                 [&](llvm::StringRef text) {
                   llvm::Expected<json::Value> message = json::parse(text);
                   if (!message) {
                     llvm::consumeError(message.takeError());
                     return send(os, text);
                   }
                   answers.complete(*message);
                   send(os, isPretty
                                ? llvm::formatv("{0:2}\n", *message).str()
                                : llvm::formatv("{0}", *message).str());
                 });
}

int mlir::tile::runLanguageServer(int argc, char **argv,
                                  DialectRegistry &registry) {
  // For tests, MLIR's server reads messages between lines, and prints them in
  // several; who asks for help or the version wants no server.
  bool isTest = false, isDelimited = false, isPretty = false;
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc).drop_front()) {
    argument = argument.ltrim('-');
    if (argument.starts_with("help") || argument == "version")
      return failed(mlir::MlirLspServerMain(argc, argv, registry));
    isTest |= argument == "lit-test";
    isDelimited |= argument == "input-style=delimited";
    isPretty |= argument == "pretty";
  }
  Streams streams;
  if (!streams.open()) {
    // untested: no test takes the process all its file descriptors.
    llvm::errs() << "expected two pipes, got none\n";
    return 1;
  }
  Answers answers(registry);
  // MLIR has a namespace of that name, too.
  auto style = isTest || isDelimited ? llvm::lsp::JSONStreamStyle::Delimited
                                     : llvm::lsp::JSONStreamStyle::Standard;
  std::thread(listen, std::cref(streams), style, std::ref(answers)).detach();
  std::thread speaker(speak, std::cref(streams), isTest || isPretty,
                      std::ref(answers));
  int code = failed(mlir::MlirLspServerMain(argc, argv, registry));
  // The pipe ends, and with it what is left to be said.
  llvm::outs().flush();
  dup2(streams.toEditor, STDOUT_FILENO);
  speaker.join();
  // The editor's stream may stay open for ever: nobody waits for its reader.
  llvm::errs().flush();
  _exit(code);
}
