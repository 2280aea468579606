//===- Passes.h - passes over the world dialect -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_TRANSFORMS_PASSES_H
#define TILE_DIALECT_WORLD_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile::world {

#define GEN_PASS_DECL
#include "Tile/Dialect/World/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Dialect/World/Transforms/Passes.h.inc"

} // namespace mlir::tile::world

#endif // TILE_DIALECT_WORLD_TRANSFORMS_PASSES_H
