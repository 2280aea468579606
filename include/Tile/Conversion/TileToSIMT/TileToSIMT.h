//===- TileToSIMT.h - from tiles to threads ---------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_TILETOSIMT_H
#define TILE_CONVERSION_TILETOSIMT_TILETOSIMT_H

namespace mlir {
class MLIRContext;

namespace tile {

/// Teaches the ops of a kernel how they become code of a thread.
void attachSIMTLoweringModels(MLIRContext *context);

} // namespace tile
} // namespace mlir

#endif // TILE_CONVERSION_TILETOSIMT_TILETOSIMT_H
