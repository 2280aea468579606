// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scratch memory of launches. All launches in a stream share one allocation,
// which grows: they run one after the other. Launches that a graph captures
// have memory of the graph: it may run later, in any stream, beside others.

#ifndef TILERUNTIME_LIB_WORKSPACE_H
#define TILERUNTIME_LIB_WORKSPACE_H

#include "TileRuntime/Device.h"

typedef struct TileRtWorkspaceUse {
  void *memory; ///< null for 0 bytes
  bool captured; ///< it is of a graph
} TileRtWorkspaceUse;

/// The memory of the stream, of at least `bytes` bytes. It stays where it is
/// until the release, which follows once the launch is queued. Nothing is
/// acquired on failure.
bool tile_rt_workspace_acquire(TileRtDevice *device, TileRtStream stream,
                               size_t bytes, TileRtWorkspaceUse *use,
                               TileRtError *error);
bool tile_rt_workspace_release(TileRtDevice *device, TileRtStream stream,
                               const TileRtWorkspaceUse *use,
                               TileRtError *error);

/// Frees the memory of all streams, in which nothing runs any more.
void tile_rt_workspaces_free(TileRtDevice *device);

#endif // TILERUNTIME_LIB_WORKSPACE_H
