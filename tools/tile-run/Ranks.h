// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that several ranks run together, as threads of this process or as
// processes. Their tensors have the dimensions of the world in front: one slice for each rank.

#ifndef TILE_RUN_RANKS_H
#define TILE_RUN_RANKS_H

#include "Call.h"
#include "Run.h"

/// The argument that is the world, or -1 if the function runs alone.
int32_t tile_run_find_world(const TileRunFunction *function);

/// Runs the function of a case on all ranks; with a communicator, on the one that
/// this process is. Buffers in symmetric memory are copied to the heaps of the
/// ranks before and back to the tensors after, which is no part of the time.
bool tile_run_on_ranks(const TileRunCase *c, const TileRunImage *image,
                       TileRtTensor *tensors, TileRtComm *comm,
                       double *seconds, TileRtError *error);

/// Runs the code of a case for a device on as many devices as it has ranks.
bool tile_run_on_devices(const TileRunCase *c, const TileRunOptions *options,
                         TileRtTensor *tensors, TileRunOutcome *outcome);

#endif // TILE_RUN_RANKS_H
