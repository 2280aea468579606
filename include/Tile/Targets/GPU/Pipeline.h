//===- Pipeline.h - the way to the threads of a GPU -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_GPU_PIPELINE_H
#define TILE_TARGETS_GPU_PIPELINE_H

namespace mlir {
class OpPassManager;

namespace tile {
struct SetTargetPassOptions;

/// From tile ops to the code of threads: gpu.modules with the attributes
/// `tile.target`, whose kernels have `tile.launch`. Affine ops are left.
void buildTileToSIMTPipeline(OpPassManager &pm,
                             const SetTargetPassOptions &target);

/// Leaves no affine ops, and each value once. With the pipeline above:
/// `tile-to-gpu-pipeline`.
void addThreadCleanup(OpPassManager &pm);

/// Passes and the pipeline; safe to call again, since the GPUs of several
/// vendors do.
void registerGPUPasses();

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_GPU_PIPELINE_H
