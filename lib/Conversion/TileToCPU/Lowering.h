//===- Lowering.h - patterns of the CPU lowering ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOCPU_LOWERING_H
#define TILE_LIB_CONVERSION_TILETOCPU_LOWERING_H

#include "CPUTargetInfo.h"
#include "Tile/Conversion/Cast.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tile::cpu {

struct LoweringOptions {
  CPUTargetInfo cpuInfo;
  bool checkAssumptions;
  bool poisonTiles;
};

/// `populate<Family>Patterns` of each file that defines one.
#define TILE_MODELS(family)                                                    \
  void populate##family##Patterns(RewritePatternSet &, const LoweringOptions &);
#include "TileToCPUModels.inc"

/// Products, and the copies into tiles that they need not have as tiles: before all other ops, while these can be seen.
void lowerGemms(Operation *root, const CPUTargetInfo &cpuInfo);

/// Kernels, loops and buffers: applied when all other ops are lowered.
void populateControl(RewritePatternSet &patterns,
                     const LoweringOptions &options);

/// A buffer for the duration of the enclosing kernel (or function).
Value createScratch(OpBuilder &b, Operation *op, ArrayRef<int64_t> shape,
                    Type element);

/// Whether a type is a buffer of elements of 4 bits.
bool isHalfByte(Type type);

/// The same buffer in bytes, as tile-pack-subbyte makes it: the last extent counts pairs.
MemRefType getPackedType(MemRefType type);

/// Calls a function of the C runtime, declaring it first if need be.
void callRuntime(OpBuilder &b, Operation *op, StringRef name, ValueRange args);

/// A pointer to a zero-terminated string.
Value createString(OpBuilder &b, Operation *op, StringRef text);

/// A nest of loops from 0 to constant extents.
void buildLoops(OpBuilder &b, Location loc, ArrayRef<int64_t> extents,
                function_ref<void(OpBuilder &, Location, ValueRange)> body);

/// A nest of loops between run-time bounds.
void buildLoops(OpBuilder &b, Location loc, ValueRange lower, ValueRange upper,
                function_ref<void(OpBuilder &, Location, ValueRange)> body);

/// Runs `body` with `b` at the insertion point of `inner`, the builder that a loop hands to its body: what emits into `b`
/// then needs not know whether the two are one.
void continueAt(OpBuilder &b, OpBuilder &inner, function_ref<void()> body);

} // namespace mlir::tile::cpu

#endif // TILE_LIB_CONVERSION_TILETOCPU_LOWERING_H
