//===- LoopAttrs.h - choices for a pipelined loop ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_LOOPATTRS_H
#define TILE_DIALECT_TILE_IR_LOOPATTRS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tile {

/// Of a tile.pipelined: so many of its iterations become one where threads add
/// up the sums of its gemms; 1 if each stays as it is.
constexpr llvm::StringLiteral kUnrollAttrName = "tile.unroll";

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_LOOPATTRS_H
