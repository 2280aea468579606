// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the devices behind a vendor's driver share: memory, streams, events, and
// the limits of launches.

#ifndef TILERUNTIME_LIB_DRIVERDEVICE_H
#define TILERUNTIME_LIB_DRIVERDEVICE_H

#include "TileRuntime/Device.h"

/// A function of the driver as the devices below call it. Results are the
/// driver's numbers, 0 for success; the name is for errors.
#define TILE_RT_CALL(field, ...)                                               \
  struct {                                                                     \
    const char *name;                                                          \
    int32_t (*call)(const TileRtDevice *device, __VA_ARGS__);                  \
  } field

/// A driver's table. It begins with the functions of the device, so that a
/// device's `ops` leads to it.
typedef struct TileRtDriverOps {
  TileRtDeviceOps base;
  /// Makes the device current for the thread; `before` is what was.
  bool (*enter)(const TileRtDevice *device, void **before, TileRtError *error);
  void (*leave)(const TileRtDevice *device, void *before);
  /// Fails with "what: ..." unless the result is success.
  bool (*check)(const TileRtDevice *device, int32_t result, const char *what,
                TileRtError *error);
  TILE_RT_CALL(alloc, void **memory, size_t bytes);
  TILE_RT_CALL(free, void *memory);
  TILE_RT_CALL(toDevice, void *to, const void *from, size_t bytes,
               TileRtStream stream);
  TILE_RT_CALL(fromDevice, void *to, const void *from, size_t bytes,
               TileRtStream stream);
  TILE_RT_CALL(onDevice, void *to, const void *from, size_t bytes,
               TileRtStream stream);
  TILE_RT_CALL(fill, void *memory, uint8_t byte, size_t bytes,
               TileRtStream stream);
  TILE_RT_CALL(sync, TileRtStream stream);
  // Only of drivers with graphs; `captured` is their status, 0 for none.
  TILE_RT_CALL(isCaptured, TileRtStream stream, int32_t *captured);
  TILE_RT_CALL(allocInStream, void **memory, size_t bytes, TileRtStream stream);
  TILE_RT_CALL(freeInStream, void *memory, TileRtStream stream);
  TILE_RT_CALL(streamCreate, TileRtStream *stream);
  TILE_RT_CALL(streamDestroy, TileRtStream stream);
  TILE_RT_CALL(eventCreate, TileRtEvent *event);
  TILE_RT_CALL(eventDestroy, TileRtEvent event);
  TILE_RT_CALL(eventRecord, TileRtEvent event, TileRtStream stream);
  TILE_RT_CALL(eventElapsed, float *milliseconds, TileRtEvent from,
               TileRtEvent to);
  /// Null where the driver is not asked for it.
  TILE_RT_CALL(eventWait, TileRtEvent event, TileRtStream stream);
  const char *kind;        ///< in messages: "HIP device"
  size_t bytes, alignment; ///< of a device
  /// The driver of the process, which the first call loads.
  const void *(*find)(TileRtError *error);
  /// Fails where there are none.
  bool (*count)(const void *driver, int32_t *count, TileRtError *error);
  /// Fills in a device of zeros. Where it fails, `close` is called.
  bool (*describe)(TileRtDevice *device, const void *driver, int32_t ordinal,
                   TileRtError *error);
} TileRtDriverOps;

#undef TILE_RT_CALL

/// The members of TileRtDeviceOps that need no more than that.
#define TILE_RT_DRIVER_DEVICE_OPS                                              \
  .alloc = tile_rt_driver_alloc, .free = tile_rt_driver_free,                  \
  .copy = tile_rt_driver_copy, .fill = tile_rt_driver_fill,                    \
  .sync = tile_rt_driver_sync, .streamCreate = tile_rt_driver_stream_create,   \
  .streamDestroy = tile_rt_driver_stream_destroy,                              \
  .eventCreate = tile_rt_driver_event_create,                                  \
  .eventDestroy = tile_rt_driver_event_destroy,                                \
  .eventRecord = tile_rt_driver_event_record,                                  \
  .eventElapsed = tile_rt_driver_event_elapsed

/// And of drivers with graphs.
#define TILE_RT_DRIVER_GRAPH_OPS                                               \
  .isCaptured = tile_rt_driver_is_captured,                                    \
  .allocInStream = tile_rt_driver_alloc_in_stream,                             \
  .freeInStream = tile_rt_driver_free_in_stream

bool tile_rt_driver_alloc(TileRtDevice *device, size_t bytes, void **memory,
                          TileRtError *error);
bool tile_rt_driver_free(TileRtDevice *device, void *memory,
                         TileRtError *error);
bool tile_rt_driver_copy(TileRtDevice *device, void *to, const void *from,
                         size_t bytes, TileRtCopy kind, TileRtStream stream,
                         TileRtError *error);
bool tile_rt_driver_fill(TileRtDevice *device, void *memory, uint8_t byte,
                         size_t bytes, TileRtStream stream, TileRtError *error);
bool tile_rt_driver_sync(TileRtDevice *device, TileRtStream stream,
                         TileRtError *error);
bool tile_rt_driver_is_captured(TileRtDevice *device, TileRtStream stream,
                                bool *captured, TileRtError *error);
bool tile_rt_driver_alloc_in_stream(TileRtDevice *device, size_t bytes,
                                    TileRtStream stream, void **memory,
                                    TileRtError *error);
bool tile_rt_driver_free_in_stream(TileRtDevice *device, void *memory,
                                   TileRtStream stream, TileRtError *error);
bool tile_rt_driver_stream_create(TileRtDevice *device, TileRtStream *stream,
                                  TileRtError *error);
bool tile_rt_driver_stream_destroy(TileRtDevice *device, TileRtStream stream,
                                   TileRtError *error);
bool tile_rt_driver_event_create(TileRtDevice *device, TileRtEvent *event,
                                 TileRtError *error);
bool tile_rt_driver_event_destroy(TileRtDevice *device, TileRtEvent event,
                                  TileRtError *error);
bool tile_rt_driver_event_record(TileRtDevice *device, TileRtEvent event,
                                 TileRtStream stream, TileRtError *error);
bool tile_rt_driver_event_wait(TileRtDevice *device, TileRtEvent event,
                               TileRtStream stream, TileRtError *error);
bool tile_rt_driver_event_elapsed(TileRtDevice *device, TileRtEvent from,
                                  TileRtEvent to, double *seconds,
                                  TileRtError *error);

/// What a GPU allows a launch.
typedef struct TileRtLimits {
  int maxThreads, maxShared; ///< of a block
  int maxGrid[3];
  int clusters, cooperative; ///< whether it has them
} TileRtLimits;

/// What the code of a kernel needs by itself.
typedef struct TileRtNeeds {
  int staticShared, maxThreads, registers;
} TileRtNeeds;

/// Checks the numbers of a launch on a GPU.
bool tile_rt_check_limits(const TileRtDevice *device,
                          const TileRtLimits *limits, const TileRtNeeds *needs,
                          const TileRtLaunch *launch, TileRtError *error);

/// Opens a device of a driver, or of that of the process.
bool tile_rt_driver_open_with(const TileRtDriverOps *ops, const void *driver,
                              int32_t ordinal, TileRtDevice **device,
                              TileRtError *error);
bool tile_rt_driver_open(const TileRtDriverOps *ops, int32_t ordinal,
                         TileRtDevice **device, TileRtError *error);
/// Counts the devices of the driver of the process.
bool tile_rt_driver_count(const TileRtDriverOps *ops, int32_t *count,
                          TileRtError *error);

#endif // TILERUNTIME_LIB_DRIVERDEVICE_H
