//===- Models.h - external models of ops ------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_MODELS_H
#define TILE_LIB_CONVERSION_TILETOSIMT_MODELS_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::simt {

/// `attach<Family>Models` of each file that defines one.
#define TILE_MODELS(family) void attach##family##Models(MLIRContext *);
#include "TileToSIMTModels.inc"

/// The dimensions of the regions of a copy that are known to be in bounds.
struct CopyBounds {
  SmallVector<bool> source, target;
  /// Whether rows of the source may begin before those of its buffer.
  bool mayBeginBefore = false;
};

/// Those of a kernel's copies, proven before its loops and guards are lowered.
struct ProvenBounds {
  DenseMap<Operation *, CopyBounds> copies;
};

/// While the body of a tile.parallel is lowered.
struct ParallelScope {
  /// For one register: the value that a coordinate would have in thread 0.
  DenseMap<Value, int64_t> registerParts;
  /// Outside of a loop, what writes to memory is done once for the block.
  bool isInLoop = false;
  /// The threads of the loop that may write to memory; null: all.
  Value writeGuard;

  /// The value of an expression over coordinates in thread 0.
  std::optional<int64_t> evaluate(Value value) const;
};

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_MODELS_H
