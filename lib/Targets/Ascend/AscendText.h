//===- AscendText.h - shorter forms of the same statements ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDTEXT_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::tile::ascend {

/// The spaces before a line.
size_t getIndent(llvm::StringRef line);

/// The word that a text begins with.
llvm::StringRef takeName(llvm::StringRef text);

/// Variables of a type that a line declares: tensors, numbers, and that of a
/// loop.
struct Declaration {
  std::string type;
  llvm::SmallVector<llvm::StringRef> names;
  bool isConstant = false, isLoop = false;

  bool isTensor() const { return llvm::StringRef(type).contains("Tensor"); }
};
std::optional<Declaration> readDeclaration(llvm::StringRef line);
/// The types and names of "TYPE NAME, TYPE &NAME".
llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>>
readParameters(llvm::StringRef list);

/// Calls in a row that differ in the numbers of elements or flags become a
/// loop; flags between which nothing lies are in the order of their numbers.
std::string rollCalls(llvm::StringRef kernel);

/// Branches whose second side is the beginning of the first one come behind it.
std::string shareBranches(llvm::StringRef text);

/// The text without braces around one line.
std::string dropBraces(llvm::StringRef text);

/// The text in which functions are those of a structure with the variables of
/// the kernel that they use.
std::string shareVariables(llvm::StringRef text, llvm::StringRef name);

/// The text without lines of more columns than a reader's screen.
std::string wrapLines(llvm::StringRef text);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDTEXT_H
