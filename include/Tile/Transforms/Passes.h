//===- Passes.h - passes over the tile dialect ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_PASSES_H
#define TILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#include "Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Transforms/Passes.h.inc"

/// Attaches TileLayoutOpInterface (LayoutState.h) to the ops of the dialect.
void registerLayoutModels(DialectRegistry &registry);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_PASSES_H
