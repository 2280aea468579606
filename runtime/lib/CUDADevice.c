// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA GPUs: opening, memory, streams and events.

#include "CUDADevice.h"

#include "TileRuntime/CUDA.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

bool tile_rt_cuda_enter(const CudaDevice *device, bool *pushed,
                        TileRtError *error) {
  const CuDriver *driver = device->driver;
  CuContext current = NULL;
  *pushed = false;
  CuResult result = driver->ctxGetCurrent(&current);
  if (result == CU_OK && current == device->context)
    return true;
  // A thread without a context keeps this one, so that it is found next time.
  if (result == CU_OK && current)
    result = driver->ctxPushCurrent(device->context);
  else if (result == CU_OK)
    result = driver->ctxSetCurrent(device->context);
  *pushed = result == CU_OK && current;
  return tile_rt_cuda_check(driver, result, "cuCtxSetCurrent", error);
}

void tile_rt_cuda_leave(const CudaDevice *device, bool pushed) {
  CuContext popped;
  if (pushed)
    device->driver->ctxPopCurrent(&popped);
}

/// Ends a call that was entered.
static bool leaveWith(const CudaDevice *device, bool pushed, CuResult result,
                      const char *what, TileRtError *error) {
  tile_rt_cuda_leave(device, pushed);
  return tile_rt_cuda_check(device->driver, result, what, error);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool allocMemory(TileRtDevice *base, size_t bytes, void **memory,
                        TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  CuPointer pointer = 0;
  TileRtError inner;
  bool pushed;
  *memory = NULL;
  if (!tile_rt_cuda_enter(device, &pushed, error))
    return false;
  // The driver refuses 0 bytes.
  CuResult result = device->driver->memAlloc(&pointer, bytes ? bytes : 1);
  if (!leaveWith(device, pushed, result, "cuMemAlloc", &inner))
    return tile_rt_fail(error, "%s: expected %zu bytes", inner.message, bytes);
  *memory = (void *)(uintptr_t)pointer;
  return true;
}

static bool freeMemory(TileRtDevice *base, void *memory, TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  bool pushed;
  if (!memory)
    return true;
  return tile_rt_cuda_enter(device, &pushed, error) &&
         leaveWith(device, pushed,
                   device->driver->memFree((CuPointer)(uintptr_t)memory),
                   "cuMemFree", error);
}

static bool copyMemory(TileRtDevice *base, void *to, const void *from,
                       size_t bytes, TileRtCopy kind, TileRtStream stream,
                       TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  const CuDriver *driver = device->driver;
  bool pushed;
  if (!bytes)
    return true;
  if (!tile_rt_cuda_enter(device, &pushed, error))
    return false;
  CuPointer target = (CuPointer)(uintptr_t)to;
  CuPointer source = (CuPointer)(uintptr_t)from;
  switch (kind) {
  case TILE_RT_COPY_TO_DEVICE:
    return leaveWith(device, pushed,
                     driver->memcpyToDevice(target, from, bytes, stream),
                     "cuMemcpyHtoDAsync", error);
  case TILE_RT_COPY_FROM_DEVICE:
    return leaveWith(device, pushed,
                     driver->memcpyFromDevice(to, source, bytes, stream),
                     "cuMemcpyDtoHAsync", error);
  default:
    return leaveWith(device, pushed,
                     driver->memcpyOnDevice(target, source, bytes, stream),
                     "cuMemcpyDtoDAsync", error);
  }
}

static bool fillMemory(TileRtDevice *base, void *memory, uint8_t byte,
                       size_t bytes, TileRtStream stream, TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  bool pushed;
  if (!bytes)
    return true;
  return tile_rt_cuda_enter(device, &pushed, error) &&
         leaveWith(device, pushed,
                   device->driver->memset((CuPointer)(uintptr_t)memory, byte,
                                          bytes, stream),
                   "cuMemsetD8Async", error);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static bool syncStream(TileRtDevice *base, TileRtStream stream,
                       TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  bool pushed;
  return tile_rt_cuda_enter(device, &pushed, error) &&
         leaveWith(device, pushed, device->driver->streamSynchronize(stream),
                   "cuStreamSynchronize", error);
}

static bool createStream(TileRtDevice *base, TileRtStream *stream,
                         TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  CuStream created = NULL;
  bool pushed;
  // In order with the default stream, which callers may use for their copies.
  bool good =
      tile_rt_cuda_enter(device, &pushed, error) &&
      leaveWith(device, pushed, device->driver->streamCreate(&created, 0),
                "cuStreamCreate", error);
  *stream = created;
  return good;
}

static bool destroyStream(TileRtDevice *base, TileRtStream stream,
                          TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  bool pushed;
  return tile_rt_cuda_enter(device, &pushed, error) &&
         leaveWith(device, pushed, device->driver->streamDestroy(stream),
                   "cuStreamDestroy", error);
}

static bool createEvent(TileRtDevice *base, TileRtEvent *event,
                        TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  CuEvent created = NULL;
  bool pushed;
  bool good =
      tile_rt_cuda_enter(device, &pushed, error) &&
      leaveWith(device, pushed, device->driver->eventCreate(&created, 0),
                "cuEventCreate", error);
  *event = created;
  return good;
}

static bool destroyEvent(TileRtDevice *base, TileRtEvent event,
                         TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  bool pushed;
  return tile_rt_cuda_enter(device, &pushed, error) &&
         leaveWith(device, pushed, device->driver->eventDestroy(event),
                   "cuEventDestroy", error);
}

static bool recordEvent(TileRtDevice *base, TileRtEvent event,
                        TileRtStream stream, TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  bool pushed;
  return tile_rt_cuda_enter(device, &pushed, error) &&
         leaveWith(device, pushed, device->driver->eventRecord(event, stream),
                   "cuEventRecord", error);
}

static bool elapsed(TileRtDevice *base, TileRtEvent from, TileRtEvent to,
                    double *seconds, TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  float milliseconds = 0;
  bool pushed;
  if (!tile_rt_cuda_enter(device, &pushed, error) ||
      !leaveWith(device, pushed,
                 device->driver->eventElapsed(&milliseconds, from, to),
                 "cuEventElapsedTime", error))
    return false;
  *seconds = (double)milliseconds * 1e-3;
  return true;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void closeDevice(TileRtDevice *base) {
  CudaDevice *device = (CudaDevice *)base;
  if (device->context)
    device->driver->primaryCtxRelease(device->device);
  pthread_mutex_destroy(&device->maps.lock);
  free(device);
}

static const TileRtDeviceOps ops = {
    .target = "cuda",
    .close = closeDevice,
    .load = tile_rt_cuda_load,
    .unload = tile_rt_cuda_unload,
    .prepare = tile_rt_cuda_prepare,
    .launch = tile_rt_cuda_launch,
    .encode = tile_rt_cuda_encode,
    .alloc = allocMemory,
    .free = freeMemory,
    .copy = copyMemory,
    .fill = fillMemory,
    .sync = syncStream,
    .streamCreate = createStream,
    .streamDestroy = destroyStream,
    .eventCreate = createEvent,
    .eventDestroy = destroyEvent,
    .eventRecord = recordEvent,
    .eventElapsed = elapsed,
};

static bool readAttributes(CudaDevice *device, TileRtError *error) {
  const CuDriver *driver = device->driver;
  int multiprocessors = 0, l2 = 0;
  const struct {
    int attribute;
    int *value;
  } attributes[] = {
      {CU_DEVICE_MULTIPROCESSORS, &multiprocessors},
      {CU_DEVICE_L2_BYTES, &l2},
      {CU_DEVICE_MAJOR, &device->major},
      {CU_DEVICE_MINOR, &device->minor},
      {CU_DEVICE_MAX_THREADS_PER_BLOCK, &device->maxThreads},
      {CU_DEVICE_MAX_SHARED_OPTIN, &device->maxShared},
      {CU_DEVICE_MAX_GRID_X, &device->maxGrid[0]},
      {CU_DEVICE_MAX_GRID_X + 1, &device->maxGrid[1]},
      {CU_DEVICE_MAX_GRID_X + 2, &device->maxGrid[2]},
      {CU_DEVICE_COOPERATIVE, &device->cooperative},
      {CU_DEVICE_CLUSTERS, &device->clusters},
  };
  for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); ++i)
    if (!tile_rt_cuda_check(driver,
                            driver->deviceGetAttribute(attributes[i].value,
                                                       attributes[i].attribute,
                                                       device->device),
                            "cuDeviceGetAttribute", error))
      return false;
  device->base.multiprocessors = multiprocessors;
  device->base.l2Bytes = l2;
  snprintf(device->base.chip, sizeof(device->base.chip), "sm_%d%d",
           device->major, device->minor);
  return true;
}

static bool describe(CudaDevice *device, int32_t ordinal, TileRtError *error) {
  const CuDriver *driver = device->driver;
  device->base.id = (TileRtDLDevice){TILE_RT_DL_CUDA, ordinal};
  return tile_rt_cuda_check(driver, driver->deviceGet(&device->device, ordinal),
                            "cuDeviceGet", error) &&
         tile_rt_cuda_check(driver,
                            driver->deviceGetName(
                                device->base.name,
                                (int)sizeof(device->base.name), device->device),
                            "cuDeviceGetName", error) &&
         readAttributes(device, error) &&
         tile_rt_cuda_check(
             driver, driver->primaryCtxRetain(&device->context, device->device),
             "cuDevicePrimaryCtxRetain", error);
}

static bool countDevices(const CuDriver *driver, int32_t *count,
                         TileRtError *error) {
  int number = 0;
  bool good = tile_rt_cuda_check(driver, driver->deviceGetCount(&number),
                                 "cuDeviceGetCount", error);
  *count = number;
  return good && (number > 0 ||
                  tile_rt_fail(error, "no CUDA device: the driver finds none"));
}

bool tile_rt_cuda_open_with(const CuDriver *driver, int32_t ordinal,
                            TileRtDevice **out, TileRtError *error) {
  int32_t count;
  *out = NULL;
  if (!countDevices(driver, &count, error))
    return false;
  if (ordinal < 0 || ordinal >= count)
    return tile_rt_fail(error, "expected a CUDA device of 0 to %d, got %d",
                        count - 1, ordinal);
  // Its tensor maps need the alignment.
  size_t unit = _Alignof(CudaDevice);
  size_t bytes = (sizeof(CudaDevice) + unit - 1) / unit * unit;
  CudaDevice *device = aligned_alloc(unit, bytes);
  if (!device)
    return tile_rt_fail(error, "expected memory for a device, got none");
  memset(device, 0, bytes);
  device->base.ops = &ops;
  device->driver = driver;
  pthread_mutex_init(&device->maps.lock, NULL);
  if (!describe(device, ordinal, error)) {
    device->context = NULL;
    closeDevice(&device->base);
    return false;
  }
  *out = &device->base;
  return true;
}

bool tile_rt_cuda_open(int32_t ordinal, TileRtDevice **device,
                       TileRtError *error) {
  *device = NULL;
  const CuDriver *driver = tile_rt_cuda_driver(error);
  return driver && tile_rt_cuda_open_with(driver, ordinal, device, error);
}

bool tile_rt_cuda_count(int32_t *count, TileRtError *error) {
  *count = 0;
  const CuDriver *driver = tile_rt_cuda_driver(error);
  return driver && countDevices(driver, count, error);
}
