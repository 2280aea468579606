//===- Documents.cpp - the texts that an editor has open ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Documents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::tile;
using llvm::StringRef;
namespace json = llvm::json;
namespace lsp = llvm::lsp;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

void Documents::follow(StringRef method, const json::Value &params) {
  std::lock_guard<std::mutex> guard(mutex);
  json::Path::Root root;
  if (method == "textDocument/didOpen") {
    lsp::DidOpenTextDocumentParams open;
    if (fromJSON(params, open, root))
      documents[open.textDocument.uri.uri()] = {open.textDocument.text,
                                                open.textDocument.version};
  } else if (method == "textDocument/didClose") {
    lsp::DidCloseTextDocumentParams close;
    if (fromJSON(params, close, root))
      documents.erase(close.textDocument.uri.uri());
  } else if (method == "textDocument/didChange") {
    lsp::DidChangeTextDocumentParams change;
    if (!fromJSON(params, change, root))
      return;
    auto known = documents.find(change.textDocument.uri.uri());
    if (known == documents.end())
      return;
    known->second.version = change.textDocument.version;
    // Without the text nothing is known of the document.
    if (llvm::failed(lsp::TextDocumentContentChangeEvent::applyTo(
            change.contentChanges, known->second.text)))
      documents.erase(known);
  }
}

std::optional<std::string> Documents::getText(StringRef uri, int64_t version) {
  std::lock_guard<std::mutex> guard(mutex);
  auto known = documents.find(uri);
  if (known == documents.end() || known->second.version != version)
    return std::nullopt;
  return known->second.text;
}

/// The place of a position, whose character is counted in UTF-16, or the end of
/// its line.
static size_t getOffset(StringRef text, lsp::Position position) {
  size_t begin = 0;
  for (int line = 0; line < position.line && begin < text.size(); ++line)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  size_t at = begin;
  for (int units = 0; units < position.character && at < text.size() &&
                      text[at] != '\n';) {
    unsigned char lead = text[at];
    size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    units += bytes == 4 ? 2 : 1;
    at = std::min(at + bytes, text.size());
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isOfName(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

/// The name around a place: "tile.copy", "#tile.fact".
static StringRef findName(StringRef text, size_t at) {
  size_t begin = at, end = at;
  while (begin > 0 && isOfName(text[begin - 1]))
    --begin;
  while (end < text.size() && isOfName(text[end]))
    ++end;
  if (begin > 0 && (text[begin - 1] == '#' || text[begin - 1] == '!'))
    --begin;
  return text.slice(begin, end);
}

const Reference::Entry *Documents::findEntry(StringRef uri,
                                             lsp::Position position) {
  std::lock_guard<std::mutex> guard(mutex);
  auto known = documents.find(uri);
  if (known == documents.end())
    return nullptr;
  StringRef text = known->second.text;
  return Reference::get().find(findName(text, getOffset(text, position)));
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

namespace {
/// Attributes that are no op's: what they are on, and what they say.
struct DialectAttribute {
  const char *name, *type, *text;
};
} // namespace

static constexpr DialectAttribute kDialectAttributes[] = {
    {"tile.align", "integer", "argument: the address is a multiple of it"},
    {"tile.atol", "float", "function: the absolute tolerance"},
    {"tile.cases", "array of strings", "function: the sizes that are run"},
    {"tile.init", "string", "argument: how it is filled"},
    {"tile.reference", "symbol", "function: computes what is expected"},
    {"tile.result", "unit", "argument: compared with the reference"},
    {"tile.rtol", "float", "function: the relative tolerance"},
    {"tile.shape", "string", "argument: the names of its extents"},
};

static lsp::CompletionItem makeItem(StringRef name, StringRef type,
                                    StringRef text) {
  lsp::CompletionItem item(name, lsp::CompletionItemKind::Property,
                           /*sortText=*/"0");
  item.detail = type.str();
  if (!text.empty())
    item.documentation = lsp::MarkupContent{lsp::MarkupKind::Markdown,
                                            text.str()};
  return item;
}

/// The text of a list of attributes up to its end, from behind the brace that
/// is open there; none where there is no such list. Regions begin with a new
/// line.
static std::optional<std::pair<StringRef, StringRef>>
splitAtOpenBrace(StringRef before) {
  StringRef line = before.substr(before.rfind('\n') + 1);
  int depth = 0;
  for (size_t i = line.size(); i-- > 0;) {
    depth += line[i] == '}' ? 1 : line[i] == '{' ? -1 : 0;
    if (depth < 0)
      return std::pair(line.take_front(i), line.drop_front(i + 1));
  }
  return std::nullopt;
}

/// The last op of which the text has the name.
static const Reference::Entry *findOp(StringRef text) {
  for (size_t end = text.size(); end > 0;) {
    size_t begin = end;
    while (begin > 0 && isOfName(text[begin - 1]))
      --begin;
    StringRef name = text.slice(begin, end);
    if (const Reference::Entry *entry = Reference::get().find(name))
      return entry;
    end = begin == end ? end - 1 : begin;
  }
  return nullptr;
}

std::vector<lsp::CompletionItem> Documents::complete(StringRef uri,
                                                     lsp::Position position) {
  std::lock_guard<std::mutex> guard(mutex);
  std::vector<lsp::CompletionItem> items;
  auto known = documents.find(uri);
  if (known == documents.end())
    return items;
  StringRef text = known->second.text;
  size_t at = getOffset(text, position), begin = at;
  while (begin > 0 && isOfName(text[begin - 1]))
    --begin;
  StringRef before = text.take_front(begin), given = text.slice(begin, at);
  // What MLIR knows of an attribute or a type is the name of its dialect.
  if (before.ends_with("#") || before.ends_with("!")) {
    std::string prefix = (before.take_back() + given).str();
    size_t dialect = given.rfind('.');
    if (dialect == StringRef::npos)
      return items;
    for (const Reference::Entry &entry : Reference::get().getEntries())
      if (entry.name.starts_with(prefix))
        items.push_back(makeItem(entry.name.drop_front(dialect + 2),
                                 entry.summary, entry.text));
    return items;
  }
  auto list = splitAtOpenBrace(before);
  // A value of an attribute is none of its names.
  if (!list || before.rtrim().ends_with("="))
    return items;
  if (const Reference::Entry *op = findOp(list->first)) {
    for (const Reference::Attribute &attribute : op->attributes)
      if (attribute.name.starts_with(given))
        items.push_back(
            makeItem(attribute.name, attribute.type, attribute.text));
    return items;
  }
  for (const DialectAttribute &attribute : kDialectAttributes)
    if (StringRef(attribute.name).starts_with(given))
      items.push_back(
          makeItem(attribute.name, attribute.type, attribute.text));
  return items;
}
