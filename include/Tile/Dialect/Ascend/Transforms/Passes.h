//===- Passes.h - passes over the ascend dialect ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_TRANSFORMS_PASSES_H
#define TILE_DIALECT_ASCEND_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile::ascend {

#define GEN_PASS_DECL
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"

} // namespace mlir::tile::ascend

#endif // TILE_DIALECT_ASCEND_TRANSFORMS_PASSES_H
