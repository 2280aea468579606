// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that are threads of this process or processes of a host, and the memory
// that they share: of the host, or of a device for each rank.
//
// A world has a heap for each rank. Memory of one allocation lies at the same
// offset of each heap, so that compiled code finds a buffer of another rank at
// the distance of the heaps. What compiled code is given is the table of its
// rank, an i64 array for its argument of type !world.ranks:
//
//   0            the rank
//   1            the number of ranks, n
//   2 ... n + 1  the address of the table of each rank
//   n + 2 ...    counters of world.barrier, two for each block
//   the last 8   of a device: what a wait in vain reports (TileRtReportWord)
//
// The table lies in the heap, too.

#ifndef TILERUNTIME_WORLD_H
#define TILERUNTIME_WORLD_H

#include "TileRuntime/Comm.h"
#include "TileRuntime/Device.h"
#include "TileRuntime/Signal.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TILE_RT_MAX_RANKS = 1024,
  TILE_RT_BARRIER_BLOCKS = 4096, ///< that meet in world.barrier of one kernel
  TILE_RT_WAIT_SECONDS = 10      ///< after which a wait on a device is in vain
};

/// The last words of a table.
typedef enum TileRtReportWord {
  TILE_RT_REPORT_TIMEOUT, ///< in nanoseconds
  TILE_RT_REPORT_CLAIMED, ///< 1 if a wait was in vain: the first one of the rank
  TILE_RT_REPORT_LINE,
  TILE_RT_REPORT_COLUMN,
  TILE_RT_REPORT_WANTED,
  TILE_RT_REPORT_GOT,
  TILE_RT_REPORT_CONDITION, ///< 0: at least what it wanted, 1: equal to it
  TILE_RT_REPORT_ONE, ///< the number 1, which devices copy to flags
  TILE_RT_REPORT_WORDS = 8
} TileRtReportWord;

/// Created and freed by one thread; the functions that only ask may be called
/// from any.
typedef struct TileRtWorld TileRtWorld;

/// `ranks` ranks with `bytes` bytes each for tile_rt_world_alloc, all zero.
bool tile_rt_world_create(int32_t ranks, size_t bytes, TileRtWorld **world,
                          TileRtError *error);
/// The same in memory of devices: rank `i` is on `devices[i]`, which outlives
/// the world. They reach each other's memory (tile_rt_cuda_connect), and may be
/// one device. Addresses are the devices' then.
bool tile_rt_world_create_on(TileRtDevice *const *devices, int32_t ranks,
                             size_t bytes, TileRtWorld **world,
                             TileRtError *error);
/// The same with one rank for each process of a communicator, which outlives the
/// world. All of them call this together, and so they do tile_rt_world_run, which
/// runs this process's rank, and tile_rt_world_free. Memory of all ranks has
/// addresses in each process; tables have those of their rank's process. It is
/// the memory of the communicator's device, or of the host.
bool tile_rt_world_create_over(TileRtComm *comm, size_t bytes,
                               TileRtWorld **world, TileRtError *error);
/// Sets after how many nanoseconds a wait on a device is in vain. No rank may
/// run.
bool tile_rt_world_set_timeout(TileRtWorld *world, int64_t nanoseconds,
                               TileRtError *error);
/// No rank may run. Null is nothing.
void tile_rt_world_free(TileRtWorld *world);

int32_t tile_rt_world_size(const TileRtWorld *world);

/// `bytes` bytes on each rank, at the same offset, a multiple of 256. They live
/// as long as the world.
bool tile_rt_world_alloc(TileRtWorld *world, size_t bytes, size_t *offset,
                         TileRtError *error);
void *tile_rt_world_address(const TileRtWorld *world, int32_t rank,
                            size_t offset);

/// The table of a rank and how many words it has.
int64_t *tile_rt_world_table(const TileRtWorld *world, int32_t rank,
                             int64_t *words);

/// Copies `bytes` bytes from `source` to the same place of each other rank, the
/// one before `rank` first, and behind each copy sets the flag there to 1.
/// `target` and `flag`, of 4 or 8 bytes, are addresses in this rank's heap. Ranks
/// on devices copy in the order of the stream, by the device and without a
/// kernel; the flag of a rank says that what was copied is there.
bool tile_rt_world_put(const TileRtWorld *world, int32_t rank,
                       const void *source, size_t bytes, void *target,
                       void *flag, size_t flagBytes, TileRtStream stream,
                       TileRtError *error);

/// What a rank runs.
typedef void (*TileRtRankBody)(void *context, int32_t rank);

/// Runs `body` for each rank, each on a thread of its own, on which parallel
/// loops run alone, and returns when all have ended. Fails if a wait can never
/// end, since all other ranks wait or have ended: the error names those that
/// wait. They go on without what they waited for, so their results are
/// meaningless. A rank on a device waits for the end of what it launches.
/// Of ranks that are processes, a wait of more than 60 seconds, or as many as the
/// environment variable TILE_WAIT_SECONDS says, is one that can never end; ranks
/// also wait for the others before they begin and at the end.
bool tile_rt_world_run(TileRtWorld *world, TileRtRankBody body, void *context,
                       TileRtError *error);

/// Whether the waits of this process's ranks on devices have ended, as
/// tile_rt_world_run asks behind what it runs: the error names those that were in
/// vain. Nothing may run there; later waits may report again.
bool tile_rt_world_check(TileRtWorld *world, TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_WORLD_H
