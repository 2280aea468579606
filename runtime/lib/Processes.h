// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes of one host with a GPU each, as a launcher such as torchrun has
// started them: what the environment says of them, and calls that all make
// together.

#ifndef TILERUNTIME_LIB_PROCESSES_H
#define TILERUNTIME_LIB_PROCESSES_H

#include "Library.h"

#include "TileRuntime/Error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct TileRtProcesses {
  int32_t rank, size;
  int32_t ordinal;      ///< of the GPU of this process
  const char *variable; ///< that tells the library where they meet, or null
  bool namesPlace;      ///< the variable is ours
  bool isStuck;         ///< a call still waits for the others
} TileRtProcesses;

/// Fills the table of a provider's library once. The error says what there is
/// without the provider.
__attribute__((visibility("hidden"))) bool
tile_rt_processes_load(const TileRtLibrary *library, TileRtLibraryOnce *once,
                       void *table, const char *provider, TileRtError *error);

/// Reads RANK, WORLD_SIZE and LOCAL_RANK. Where `variable` is not in the
/// environment, it is set to MASTER_ADDR and the port behind MASTER_PORT, until
/// tile_rt_processes_forget_place.
__attribute__((visibility("hidden"))) bool
tile_rt_processes_find(TileRtProcesses *processes, const char *variable,
                       TileRtError *error);

/// Other users of the library in this process meet elsewhere.
__attribute__((visibility("hidden"))) void
tile_rt_processes_forget_place(TileRtProcesses *processes);

/// What all processes call together, and none returns from before all have
/// called it.
typedef bool (*TileRtTogether)(void *context, TileRtError *error);

/// Calls it on a thread of its own. Where it does not return in the seconds of
/// tile_rt_wait_patience, the processes are stuck: the thread goes on waiting,
/// and has `context` for ever.
__attribute__((visibility("hidden"))) bool
tile_rt_processes_call(TileRtProcesses *processes, TileRtTogether call,
                       void *context, TileRtError *error);

#endif // TILERUNTIME_LIB_PROCESSES_H
