//===- LoweringInterface.h - the interface of lowered ops -------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_LOWERINGINTERFACE_H
#define TILE_LIB_CONVERSION_TILETOASCEND_LOWERINGINTERFACE_H

#include "SubBlockTiling.h"

namespace mlir::tile::ascend {

class KernelLowering;

/// When an op is lowered: loops after their nested ops, as bounds of regions
/// are proven from them; buffers when nothing uses them any more, views first.
enum class LoweringPhase { Instructions, Control, Buffers };

/// What an op of the cube does to the old content of its accumulator.
enum class AccumulatorUse { Overwrite, Add, Conditional };

} // namespace mlir::tile::ascend

#include "Tile/Conversion/TileToAscend/AscendLoweringInterface.h.inc"

namespace mlir::tile::ascend {

/// A model of `OpTy`: `Model` has what differs from the defaults.
template <typename Model, typename OpTy>
using LoweringModel = AscendLoweringOpInterface::ExternalModel<Model, OpTy>;

/// The operand that the op updates as an accumulator in L0C; null if it has
/// none.
OpOperand *getAccumulator(Operation *op);

/// `attach<Family>Models` of each file that defines one.
#define TILE_MODELS(family) void attach##family##Models(MLIRContext *);
#include "TileToAscendModels.inc"

/// Attaches every model.
void attachModels(MLIRContext *context);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_LOWERINGINTERFACE_H
