// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of a function that several ranks run together, each on a device.

#ifndef TILE_REPLAY_RANKS_H
#define TILE_REPLAY_RANKS_H

#include "Program.h"

#include "TileRuntime/Comm.h"

/// An argument of all ranks: tensors have the extents of the world in front,
/// one slice for each rank, and the world is a tensor of these extents.
typedef struct TileReplayRankArgument {
  TileRtTensor *tensor;
  bool scalar, world, symmetric;
} TileReplayRankArgument;

typedef struct TileReplayRankOptions {
  int32_t samples;  ///< of timed runs; 0 for none
  int32_t launches; ///< of each sample, one after the other; at least 1
  int64_t jitter;   ///< microseconds by which ranks begin late at most
  int64_t timeout;  ///< nanoseconds of a wait; 0: the runtime's
  uint64_t seed;    ///< of the jitter
  /// Each kernel of a launch has a stream of its own: signals alone order them.
  bool overlap;
  /// Empty the caches before each launch, while the host launches.
  bool flushL2;
  TileRtComm *comm; ///< each process has one rank; null: one has all
} TileReplayRankOptions;

/// Opens a device for each rank, the numbers of `ordinals` in turn (null: 0, 1
/// ...), and connects them. What was opened is in `devices` on failure, too.
bool tile_replay_open_ranks(TileRtDevice **devices, int32_t ranks,
                            const int32_t *ordinals, int32_t ordinalCount,
                            TileRtError *error);
void tile_replay_close_ranks(TileRtDevice **devices, int32_t ranks);
/// The device of this process's rank, which stays the communicator's; the others
/// are null.
bool tile_replay_use_comm(const TileRtComm *comm, TileRtDevice **devices,
                          int32_t ranks, TileRtError *error);

/// The ranks that the argument of the world asks for; 0, with an error, if there
/// is none, or if the tensors are not whole slices.
int32_t tile_replay_count_ranks(const TileReplayRankArgument *arguments,
                                int32_t count, TileRtError *error);

/// Copies each rank its slices, launches the kernels of `programs`, one for each
/// rank (those of other processes are empty), at the same time, and copies
/// everything back. `first` are the seconds
/// of the slowest rank of this process. Samples are run again from the same symmetric buffers;
/// `timed` are seconds a launch of the slowest rank. Fails where a wait has no
/// end.
bool tile_replay_run_ranks(const TileReplayProgram *programs, int32_t ranks,
                           const TileReplayRankArgument *arguments,
                           int32_t count, const TileReplayRankOptions *options,
                           double *first, TileRtTiming *timed,
                           TileRtError *error);

#endif // TILE_REPLAY_RANKS_H
