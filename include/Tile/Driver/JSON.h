//===- JSON.h - JSON that others wrote --------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_JSON_H
#define TILE_DRIVER_JSON_H

#include "llvm/Support/JSON.h"

namespace mlir::tile {

/// Whether brackets nest deeper than in any file that is read. The parser of
/// LLVM goes down with them, on the stack.
inline bool nestsTooDeep(llvm::StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      i += c == '\\';
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > 64)
        return true;
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return false;
}

inline llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text) {
  if (nestsTooDeep(text))
    return llvm::createStringError("expected brackets to nest at most 64 deep");
  return llvm::json::parse(text);
}

} // namespace mlir::tile

#endif // TILE_DRIVER_JSON_H
