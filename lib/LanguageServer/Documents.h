//===- Documents.h - the texts that an editor has open ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_LANGUAGESERVER_DOCUMENTS_H
#define TILE_LIB_LANGUAGESERVER_DOCUMENTS_H

#include "Reference.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <mutex>
#include <optional>

namespace mlir::tile {

/// Two threads use it: one follows the editor, one asks.
class Documents {
public:
  /// Follows a notification of the editor.
  void follow(llvm::StringRef method, const llvm::json::Value &params);

  /// The text, if the version is the last one.
  std::optional<std::string> getText(llvm::StringRef uri, int64_t version);

  /// What the reference says about the name there.
  const Reference::Entry *findEntry(llvm::StringRef uri,
                                    llvm::lsp::Position position);
  /// What may stand there, beside what the parser expects.
  std::vector<llvm::lsp::CompletionItem>
  complete(llvm::StringRef uri, llvm::lsp::Position position);

private:
  struct Document {
    std::string text;
    int64_t version = 0;
  };

  std::mutex mutex;
  llvm::StringMap<Document> documents;
};

} // namespace mlir::tile

#endif // TILE_LIB_LANGUAGESERVER_DOCUMENTS_H
