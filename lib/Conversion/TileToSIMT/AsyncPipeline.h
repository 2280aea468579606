//===- AsyncPipeline.h - stages of a producer and consumers -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_ASYNCPIPELINE_H
#define TILE_LIB_CONVERSION_TILETOSIMT_ASYNCPIPELINE_H

#include "Models.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::tile::simt {

/// A pipeline's barriers, and the state of the partition that is lowered.
struct PipelineState {
  Value full, empty; // !llvm.ptr<3> of `stages` barriers each
  int64_t stages = 1;
  Value index, phase;           // allocas of i32
  bool readByThreads = false;   // not by asynchronous instructions alone
  int64_t blocks = 1;           // that fill and release stages together
  bool filledByThreads = false; // of the producer, by gathers
  bool filledByTeam = false;    // of a consumer, by copies out of fragments
  bool hasData = false;         // and is more than an order between teams
  bool isPending = false;       // acquired, and not waited for yet
  int64_t bytes = 0; // of tensor copies that fill the stage acquired last
  Value ofPoint; // i32: stages of a point, where teams run the consumer
};

/// Those of a kernel, by their `tile.create_pipeline`.
struct Pipelines {
  llvm::MapVector<Value, PipelineState> states;
};

/// The barrier that counts what comes into the current stage.
Value getFullBarrier(KernelLowering &l, Location loc, Value pipeline);

/// Waits for the stage that the producer acquired, if it did not yet.
void waitForFreeStage(KernelLowering &l, Location loc, Value pipeline);

/// Spins until the value that `isDone` makes, an i1, is true.
void spinUntil(KernelLowering &l, Location loc, function_ref<Value()> isDone);

/// At the end of a kernel: other blocks of the cluster may still copy to shared
/// memory of this one, or arrive at its barriers.
void leaveCluster(KernelLowering &l, Location loc);

/// Whether the threads of a producer gather rows, and not one thread starts all
/// copies.
bool isFilledByThreads(Region &producer);

/// Computes how many stages of each pipeline every point takes, so that teams can
/// pass over those of others.
LogicalResult countStagesOfPoints(WarpSpecializeOp partitions,
                                  KernelLowering &l);

/// Passes over the stages of so many points, an i32.
void passOverPoints(KernelLowering &l, Location loc, Value points);

/// A partition begins with the first stage of each pipeline, a team with that of
/// its first point.
void resetPipelines(KernelLowering &l, Location loc);

/// Says that each iteration of a partition's loop begins with the first stage of
/// the pipelines that an iteration goes around once or several times: where its
/// stages are is constant then.
void beginWithFirstStage(KernelLowering &l, PipelinedOp loop);

/// A barrier of the warps of each warpgroup.
void meetInGroup(KernelLowering &l, Location loc);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_ASYNCPIPELINE_H
