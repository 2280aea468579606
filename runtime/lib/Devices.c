// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices.h"

#include "LaunchCheck.h"
#include "TileRuntime/Model.h"
#include "Workspace.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/// It stands behind the device, in the same piece of memory.
typedef struct Record {
  struct Record *next;
  TileRtDevice *device;
  int64_t users;
  bool closed; ///< or being closed
} Record;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of all records
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;   // one has no user
static Record *records;

static size_t roundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The lock is held.
static Record *find(const TileRtDevice *device) {
  Record *record = records;
  while (record && record->device != device)
    record = record->next;
  return record;
}

/// The devices that the process has from the start, and until its end.
static bool isShared(const TileRtDevice *device) {
  return device == tile_rt_cpu_device() || device == tile_rt_model_device();
}

TileRtDevice *tile_rt_device_create(const TileRtDeviceOps *ops, size_t bytes,
                                    size_t alignment, TileRtError *error) {
  if (alignment < alignof(Record))
    alignment = alignof(Record);
  size_t at = roundUp(bytes, alignof(Record));
  size_t all = roundUp(at + sizeof(Record), alignment);
  char *memory = aligned_alloc(alignment, all);
  if (!memory) {
    tile_rt_fail(error, "expected memory for a device, got none");
    return NULL;
  }
  memset(memory, 0, all);
  TileRtDevice *device = (TileRtDevice *)(void *)memory;
  Record *record = (Record *)(void *)(memory + at);
  device->ops = ops;
  record->device = device;
  pthread_mutex_lock(&lock);
  record->next = records;
  records = record;
  pthread_mutex_unlock(&lock);
  return device;
}

void tile_rt_device_discard(TileRtDevice *device) {
  pthread_mutex_lock(&lock);
  Record **link = &records;
  while (*link && (*link)->device != device)
    link = &(*link)->next;
  if (*link)
    *link = (*link)->next;
  pthread_mutex_unlock(&lock);
  free(device);
}

bool tile_rt_device_acquire(const TileRtDevice *device, TileRtError *error) {
  if (!device)
    return tile_rt_fail(error, "expected a device, got null");
  if (isShared(device))
    return true;
  pthread_mutex_lock(&lock);
  Record *record = find(device);
  bool good = record && !record->closed;
  if (good)
    ++record->users;
  pthread_mutex_unlock(&lock);
  return good ||
         tile_rt_fail(error, "expected a device, got %s",
                      record ? "one that was closed" : "something else");
}

void tile_rt_device_release(const TileRtDevice *device) {
  if (isShared(device))
    return;
  pthread_mutex_lock(&lock);
  if (--find(device)->users == 0)
    pthread_cond_broadcast(&idle);
  pthread_mutex_unlock(&lock);
}

/// Lets nobody acquire the device any more, and waits for those who have.
static bool startClosing(TileRtDevice *device) {
  pthread_mutex_lock(&lock);
  Record *record = find(device);
  bool good = record && !record->closed;
  if (good) {
    record->closed = true;
    while (record->users)
      pthread_cond_wait(&idle, &lock);
  }
  pthread_mutex_unlock(&lock);
  return good;
}

void tile_rt_device_close(TileRtDevice *device) {
  if (!startClosing(device))
    return;
  tile_rt_kernels_unload(device);
  tile_rt_workspaces_free(device);
  if (device->flush)
    device->ops->free(device, device->flush, NULL);
  device->flush = NULL;
  device->flushBytes = 0;
  device->ops->close(device);
  device->ops = &tile_rt_closed_ops;
}
