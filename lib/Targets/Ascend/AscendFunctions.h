//===- AscendFunctions.h - repeated blocks become functions -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDFUNCTIONS_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::tile::ascend {

/// The text of a kernel in which statements in a row that differ only in
/// variables and numbers are calls of functions, which stand before it.
std::string outlineRepeatedBlocks(llvm::StringRef kernel,
                                  llvm::StringRef name);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDFUNCTIONS_H
