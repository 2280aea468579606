// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverDevice.h"

#include "Devices.h"

static const TileRtDriverOps *driverOf(const TileRtDevice *device) {
  return (const TileRtDriverOps *)device->ops;
}

/// Calls a function of the driver with the device current.
#define CALL(device, error, field, ...)                                        \
  do {                                                                         \
    const TileRtDriverOps *driver = driverOf(device);                          \
    void *before;                                                              \
    if (!driver->enter(device, &before, error))                                \
      return false;                                                            \
    int32_t result = driver->field.call(device, __VA_ARGS__);                  \
    driver->leave(device, before);                                             \
    return driver->check(device, result, driver->field.name, error);           \
  } while (0)

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool allocSome(TileRtDevice *device, size_t bytes, void **memory,
                      TileRtError *error) {
  CALL(device, error, alloc, memory, bytes);
}

bool tile_rt_driver_alloc(TileRtDevice *device, size_t bytes, void **memory,
                          TileRtError *error) {
  TileRtError inner;
  *memory = NULL;
  // Drivers refuse 0 bytes, or give null for them.
  if (allocSome(device, bytes ? bytes : 1, memory, &inner))
    return true;
  *memory = NULL;
  return tile_rt_fail(error, "%s: expected %zu bytes", inner.message, bytes);
}

bool tile_rt_driver_free(TileRtDevice *device, void *memory,
                         TileRtError *error) {
  if (!memory)
    return true;
  CALL(device, error, free, memory);
}

bool tile_rt_driver_copy(TileRtDevice *device, void *to, const void *from,
                         size_t bytes, TileRtCopy kind, TileRtStream stream,
                         TileRtError *error) {
  if (!bytes)
    return true;
  if (kind == TILE_RT_COPY_TO_DEVICE)
    CALL(device, error, toDevice, to, from, bytes, stream);
  if (kind == TILE_RT_COPY_FROM_DEVICE)
    CALL(device, error, fromDevice, to, from, bytes, stream);
  CALL(device, error, onDevice, to, from, bytes, stream);
}

bool tile_rt_driver_fill(TileRtDevice *device, void *memory, uint8_t byte,
                         size_t bytes, TileRtStream stream,
                         TileRtError *error) {
  if (!bytes)
    return true;
  CALL(device, error, fill, memory, byte, bytes, stream);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static bool readStatus(TileRtDevice *device, TileRtStream stream,
                       int32_t *status, TileRtError *error) {
  CALL(device, error, isCaptured, stream, status);
}

bool tile_rt_driver_is_captured(TileRtDevice *device, TileRtStream stream,
                                bool *captured, TileRtError *error) {
  int32_t status = 0;
  *captured = false;
  if (!readStatus(device, stream, &status, error))
    return false;
  *captured = status != 0;
  return true;
}

static bool allocSomeInStream(TileRtDevice *device, size_t bytes,
                              TileRtStream stream, void **memory,
                              TileRtError *error) {
  CALL(device, error, allocInStream, memory, bytes, stream);
}

bool tile_rt_driver_alloc_in_stream(TileRtDevice *device, size_t bytes,
                                    TileRtStream stream, void **memory,
                                    TileRtError *error) {
  TileRtError inner;
  *memory = NULL;
  if (allocSomeInStream(device, bytes, stream, memory, &inner))
    return true;
  *memory = NULL;
  return tile_rt_fail(error, "%s: expected %zu bytes in the graph",
                      inner.message, bytes);
}

bool tile_rt_driver_free_in_stream(TileRtDevice *device, void *memory,
                                   TileRtStream stream, TileRtError *error) {
  CALL(device, error, freeInStream, memory, stream);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

bool tile_rt_driver_sync(TileRtDevice *device, TileRtStream stream,
                         TileRtError *error) {
  CALL(device, error, sync, stream);
}

bool tile_rt_driver_stream_create(TileRtDevice *device, TileRtStream *stream,
                                  TileRtError *error) {
  *stream = NULL;
  CALL(device, error, streamCreate, stream);
}

bool tile_rt_driver_stream_destroy(TileRtDevice *device, TileRtStream stream,
                                   TileRtError *error) {
  CALL(device, error, streamDestroy, stream);
}

bool tile_rt_driver_event_create(TileRtDevice *device, TileRtEvent *event,
                                 TileRtError *error) {
  *event = NULL;
  CALL(device, error, eventCreate, event);
}

bool tile_rt_driver_event_destroy(TileRtDevice *device, TileRtEvent event,
                                  TileRtError *error) {
  CALL(device, error, eventDestroy, event);
}

bool tile_rt_driver_event_record(TileRtDevice *device, TileRtEvent event,
                                 TileRtStream stream, TileRtError *error) {
  CALL(device, error, eventRecord, event, stream);
}

bool tile_rt_driver_event_wait(TileRtDevice *device, TileRtEvent event,
                               TileRtStream stream, TileRtError *error) {
  CALL(device, error, eventWait, event, stream);
}

static bool readElapsed(TileRtDevice *device, TileRtEvent from, TileRtEvent to,
                        float *milliseconds, TileRtError *error) {
  CALL(device, error, eventElapsed, milliseconds, from, to);
}

bool tile_rt_driver_event_elapsed(TileRtDevice *device, TileRtEvent from,
                                  TileRtEvent to, double *seconds,
                                  TileRtError *error) {
  float milliseconds = 0;
  if (!readElapsed(device, from, to, &milliseconds, error))
    return false;
  *seconds = (double)milliseconds * 1e-3;
  return true;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static bool checkGrid(const TileRtDevice *device, const TileRtLimits *limits,
                      const TileRtLaunch *launch, TileRtError *error) {
  static const char axes[] = "xyz";
  for (int i = 0; i < 3; ++i) {
    if (launch->cluster[i] > 1 && !limits->clusters)
      return tile_rt_fail(
          error, "cluster: expected a device with clusters, got %s (%s)",
          device->chip, device->name);
    if (launch->grid[i] > (uint32_t)limits->maxGrid[i])
      return tile_rt_fail(
          error,
          "grid.%c: expected at most %d blocks, got %u; %slet each block of a "
          "smaller grid do several, with tile.persistent",
          axes[i], limits->maxGrid[i], launch->grid[i],
          i ? "let the largest extent of the grid be the first, or " : "");
    if (launch->grid[i] % launch->cluster[i])
      return tile_rt_fail(error,
                          "grid.%c: expected a multiple of the cluster's %u "
                          "blocks, got %u",
                          axes[i], launch->cluster[i], launch->grid[i]);
  }
  return true;
}

bool tile_rt_check_limits(const TileRtDevice *device,
                          const TileRtLimits *limits, const TileRtNeeds *needs,
                          const TileRtLaunch *launch, TileRtError *error) {
  uint64_t threads =
      (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
  int allowed = needs->maxThreads < limits->maxThreads ? needs->maxThreads
                                                       : limits->maxThreads;
  if (threads > (uint64_t)allowed)
    return tile_rt_fail(error,
                        "block: expected at most %d threads of %d registers, "
                        "got %llu",
                        allowed, needs->registers, (unsigned long long)threads);
  if (!checkGrid(device, limits, launch, error))
    return false;
  if (launch->cooperative && !limits->cooperative)
    return tile_rt_fail(
        error, "expected a device with cooperative launches, got %s (%s)",
        device->chip, device->name);
  if ((uint64_t)launch->sharedBytes + (uint64_t)needs->staticShared >
      (uint64_t)limits->maxShared)
    return tile_rt_fail(error,
                        "shared: expected at most %d bytes, got %u and %d "
                        "static ones",
                        limits->maxShared, launch->sharedBytes,
                        needs->staticShared);
  return true;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

bool tile_rt_driver_open_with(const TileRtDriverOps *ops, const void *driver,
                              int32_t ordinal, TileRtDevice **out,
                              TileRtError *error) {
  int32_t count;
  *out = NULL;
  if (!ops->count(driver, &count, error))
    return false;
  if (ordinal < 0 || ordinal >= count)
    return tile_rt_fail(error, "expected a %s of 0 to %d, got %d", ops->kind,
                        count - 1, ordinal);
  TileRtDevice *device =
      tile_rt_device_create(&ops->base, ops->bytes, ops->alignment, error);
  if (!device)
    return false;
  if (!ops->describe(device, driver, ordinal, error)) {
    ops->base.close(device);
    tile_rt_device_discard(device);
    return false;
  }
  *out = device;
  return true;
}

bool tile_rt_driver_open(const TileRtDriverOps *ops, int32_t ordinal,
                         TileRtDevice **device, TileRtError *error) {
  *device = NULL;
  const void *driver = ops->find(error);
  return driver &&
         tile_rt_driver_open_with(ops, driver, ordinal, device, error);
}

bool tile_rt_driver_count(const TileRtDriverOps *ops, int32_t *count,
                          TileRtError *error) {
  *count = 0;
  const void *driver = ops->find(error);
  return driver && ops->count(driver, count, error);
}
