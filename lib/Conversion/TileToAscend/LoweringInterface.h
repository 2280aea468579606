//===- LoweringInterface.h - what the passes ask of an op -------*- C++ -*-===//
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

/// When an op is lowered: loops after what stands in them, as bounds of regions
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

/// Attaches every model. Each family of ops has its function, in its file.
void attachLoweringModels(MLIRContext *context);
void attachCopyModels(MLIRContext *context);
void attachGemmModels(MLIRContext *context);
void attachHintModels(MLIRContext *context);
void attachIm2ColModels(MLIRContext *context);
void attachLoopModels(MLIRContext *context);
void attachParallelModels(MLIRContext *context);
void attachReduceModels(MLIRContext *context);
void attachScalarAccessModels(MLIRContext *context);
void attachScanModels(MLIRContext *context);
void attachTopKModels(MLIRContext *context);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_LOWERINGINTERFACE_H
