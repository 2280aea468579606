// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Workspace.h"

#include <pthread.h>
#include <stdlib.h>

struct TileRtWorkspace {
  struct TileRtWorkspace *next;
  TileRtStream stream;
  void *memory;
  size_t bytes;
};

typedef struct TileRtWorkspace Workspace;

/// Of the workspaces of all devices.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static Workspace *find(TileRtDevice *device, TileRtStream stream) {
  Workspace *w = device->workspaces;
  while (w && w->stream != stream)
    w = w->next;
  if (w)
    return w;
  w = calloc(1, sizeof(*w));
  if (!w)
    return NULL;
  w->stream = stream;
  w->next = device->workspaces;
  device->workspaces = w;
  return w;
}

static bool enlarge(TileRtDevice *device, Workspace *w, size_t bytes,
                    TileRtError *error) {
  if (w->bytes >= bytes)
    return true;
  // Earlier launches may still use what is freed.
  if (w->memory && (!device->ops->sync(device, w->stream, error) ||
                    !device->ops->free(device, w->memory, error)))
    return false;
  w->memory = NULL;
  w->bytes = 0;
  if (!device->ops->alloc(device, bytes, &w->memory, error))
    return false;
  w->bytes = bytes;
  return true;
}

bool tile_rt_workspace_acquire(TileRtDevice *device, TileRtStream stream,
                               size_t bytes, TileRtWorkspaceUse *use,
                               TileRtError *error) {
  const TileRtDeviceOps *ops = device->ops;
  *use = (TileRtWorkspaceUse){0};
  // Nothing captures the default stream.
  if (bytes && stream && ops->isCaptured &&
      !ops->isCaptured(device, stream, &use->captured, error))
    return false;
  if (use->captured)
    return ops->allocInStream(device, bytes, stream, &use->memory, error);
  pthread_mutex_lock(&lock);
  Workspace *w = find(device, stream);
  bool good = w ? enlarge(device, w, bytes, error)
                : tile_rt_fail(error, "expected memory, got none");
  if (good)
    use->memory = w->memory;
  else
    pthread_mutex_unlock(&lock);
  return good;
}

bool tile_rt_workspace_release(TileRtDevice *device, TileRtStream stream,
                               const TileRtWorkspaceUse *use,
                               TileRtError *error) {
  if (use->captured)
    return device->ops->freeInStream(device, use->memory, stream, error);
  pthread_mutex_unlock(&lock);
  return true;
}

void tile_rt_workspaces_free(TileRtDevice *device) {
  pthread_mutex_lock(&lock);
  while (device->workspaces) {
    Workspace *w = device->workspaces;
    device->workspaces = w->next;
    if (w->memory)
      device->ops->free(device, w->memory, NULL);
    free(w);
  }
  pthread_mutex_unlock(&lock);
}
