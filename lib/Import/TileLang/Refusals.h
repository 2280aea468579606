//===- Refusals.h - what TileLang has and we have not -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_REFUSALS_H
#define TILE_LIB_IMPORT_TILELANG_REFUSALS_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::tile::tilelang {

/// What an error calls the intrinsic of this name.
std::string getConstruct(StringRef callee);
/// What to write instead.
StringRef getWayOut(StringRef callee);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_REFUSALS_H
