//===- AscendText.h - shorter forms of the same statements ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDTEXT_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDTEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::tile::ascend {

/// The spaces before a line.
size_t getIndent(llvm::StringRef line);

/// Calls in a row that differ in the numbers of elements or flags become a
/// loop; flags between which nothing lies are in the order of their numbers.
std::string rollCalls(llvm::StringRef kernel);

/// The text without braces around one line.
std::string dropBraces(llvm::StringRef text);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDTEXT_H
