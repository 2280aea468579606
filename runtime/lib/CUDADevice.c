// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA GPUs: opening, memory, streams and events.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CUDADevice.h"

#include "TileRuntime/CUDA.h"
#include "TileRuntime/Clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static const CuDriver *driverOf(const TileRtDevice *device) {
  return ((const CudaDevice *)device)->driver;
}

bool tile_rt_cuda_enter(const TileRtDevice *base, void **before,
                        TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  const CuDriver *driver = device->driver;
  CuContext current = NULL;
  *before = NULL;
  CuResult result = driver->ctxGetCurrent(&current);
  if (result == CU_OK && current == device->context)
    return true;
  // A thread without a context keeps this one, so that it is found next time.
  if (result == CU_OK && current)
    result = driver->ctxPushCurrent(device->context);
  else if (result == CU_OK)
    result = driver->ctxSetCurrent(device->context);
  if (result == CU_OK)
    *before = current;
  return tile_rt_cuda_check(driver, result, "cuCtxSetCurrent", error);
}

void tile_rt_cuda_leave(const TileRtDevice *base, void *before) {
  CuContext popped;
  if (before)
    driverOf(base)->ctxPopCurrent(&popped);
}

static bool check(const TileRtDevice *device, int32_t result, const char *what,
                  TileRtError *error) {
  return tile_rt_cuda_check(driverOf(device), result, what, error);
}

//===----------------------------------------------------------------------===//
// The driver's functions
//===----------------------------------------------------------------------===//

#include "DriverCalls.inc"

static CuPointer toPointer(const void *memory) {
  return (CuPointer)(uintptr_t)memory;
}

static int32_t allocMemory(const TileRtDevice *device, void **memory,
                           size_t bytes) {
  CuPointer pointer = 0;
  CuResult result = driverOf(device)->memAlloc(&pointer, bytes);
  *memory = (void *)(uintptr_t)pointer;
  return result;
}

static int32_t freeMemory(const TileRtDevice *device, void *memory) {
  return driverOf(device)->memFree(toPointer(memory));
}

static int32_t copyToDevice(const TileRtDevice *device, void *to,
                            const void *from, size_t bytes,
                            TileRtStream stream) {
  return driverOf(device)->memcpyToDevice(toPointer(to), from, bytes, stream);
}

static int32_t copyFromDevice(const TileRtDevice *device, void *to,
                              const void *from, size_t bytes,
                              TileRtStream stream) {
  return driverOf(device)->memcpyFromDevice(to, toPointer(from), bytes, stream);
}

static int32_t copyOnDevice(const TileRtDevice *device, void *to,
                            const void *from, size_t bytes,
                            TileRtStream stream) {
  return driverOf(device)->memcpyOnDevice(toPointer(to), toPointer(from), bytes,
                                          stream);
}

static int32_t fillMemory(const TileRtDevice *device, void *memory,
                          uint8_t byte, size_t bytes, TileRtStream stream) {
  return driverOf(device)->memset(toPointer(memory), byte, bytes, stream);
}

static int32_t isCaptured(const TileRtDevice *device, TileRtStream stream,
                          int32_t *status) {
  return driverOf(device)->streamIsCapturing(stream, status);
}

static int32_t allocInStream(const TileRtDevice *device, void **memory,
                             size_t bytes, TileRtStream stream) {
  CuPointer pointer = 0;
  CuResult result = driverOf(device)->memAllocAsync(&pointer, bytes, stream);
  *memory = (void *)(uintptr_t)pointer;
  return result;
}

static int32_t freeInStream(const TileRtDevice *device, void *memory,
                            TileRtStream stream) {
  return driverOf(device)->memFreeAsync(toPointer(memory), stream);
}

static int32_t createStream(const TileRtDevice *device, TileRtStream *stream) {
  // In order with the default stream, which callers may use for their copies.
  return driverOf(device)->streamCreate((CuStream *)stream, 0);
}

static int32_t createEvent(const TileRtDevice *device, TileRtEvent *event) {
  return driverOf(device)->eventCreate((CuEvent *)event, 0);
}

static int32_t waitForEvent(const TileRtDevice *device, TileRtEvent event,
                            TileRtStream stream) {
  return driverOf(device)->streamWaitEvent(stream, event, 0);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void closeDevice(TileRtDevice *base) {
  CudaDevice *device = (CudaDevice *)base;
  if (device->context)
    device->driver->primaryCtxRelease(device->device);
  if (device->maps)
    pthread_mutex_destroy(&device->maps->lock);
  free(device->maps);
  device->maps = NULL;
}

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
      {CU_DEVICE_MAX_THREADS_PER_BLOCK, &device->limits.maxThreads},
      {CU_DEVICE_MAX_SHARED_OPTIN, &device->limits.maxShared},
      {CU_DEVICE_MAX_GRID_X, &device->limits.maxGrid[0]},
      {CU_DEVICE_MAX_GRID_X + 1, &device->limits.maxGrid[1]},
      {CU_DEVICE_MAX_GRID_X + 2, &device->limits.maxGrid[2]},
      {CU_DEVICE_COOPERATIVE, &device->limits.cooperative},
      {CU_DEVICE_CLUSTERS, &device->limits.clusters},
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

static bool describe(TileRtDevice *base, const void *opaque, int32_t ordinal,
                     TileRtError *error) {
  CudaDevice *device = (CudaDevice *)base;
  const CuDriver *driver = device->driver = opaque;
  CuContext context;
  device->maps = aligned_alloc(_Alignof(MapCache), sizeof(MapCache));
  if (!device->maps)
    return tile_rt_fail(error, "expected memory for a device, got none");
  memset(device->maps, 0, sizeof(MapCache));
  pthread_mutex_init(&device->maps->lock, NULL);
  device->base.id = (TileRtDLDevice){TILE_RT_DL_CUDA, ordinal};
  if (!tile_rt_cuda_check(driver, driver->deviceGet(&device->device, ordinal),
                          "cuDeviceGet", error) ||
      !tile_rt_cuda_check(driver,
                          driver->deviceGetName(device->base.name,
                                                (int)sizeof(device->base.name),
                                                device->device),
                          "cuDeviceGetName", error) ||
      !readAttributes(device, error) ||
      !tile_rt_cuda_check(driver,
                          driver->primaryCtxRetain(&context, device->device),
                          "cuDevicePrimaryCtxRetain", error))
    return false;
  device->context = context; // which is released on closing
  return true;
}

static bool countDevices(const void *opaque, int32_t *count,
                         TileRtError *error) {
  const CuDriver *driver = opaque;
  int number = 0;
  bool good = tile_rt_cuda_check(driver, driver->deviceGetCount(&number),
                                 "cuDeviceGetCount", error);
  *count = number;
  return good && (number > 0 ||
                  tile_rt_fail(error, "no CUDA device: the driver finds none"));
}

static const void *findDriver(TileRtError *error) {
  return tile_rt_cuda_driver(error);
}

static const TileRtDriverOps ops = {
    .base = {.target = "cuda",
             .close = closeDevice,
             .load = tile_rt_cuda_load,
             .unload = tile_rt_cuda_unload,
             .prepare = tile_rt_cuda_prepare,
             .launch = tile_rt_cuda_launch,
             .encode = tile_rt_cuda_encode,
             TILE_RT_DRIVER_DEVICE_OPS,
             TILE_RT_DRIVER_GRAPH_OPS,
             .eventWait = tile_rt_driver_event_wait},
    .enter = tile_rt_cuda_enter,
    .leave = tile_rt_cuda_leave,
    .check = check,
    .alloc = {"cuMemAlloc", allocMemory},
    .free = {"cuMemFree", freeMemory},
    .toDevice = {"cuMemcpyHtoDAsync", copyToDevice},
    .fromDevice = {"cuMemcpyDtoHAsync", copyFromDevice},
    .onDevice = {"cuMemcpyDtoDAsync", copyOnDevice},
    .fill = {"cuMemsetD8Async", fillMemory},
    .sync = {"cuStreamSynchronize", syncStream},
    .isCaptured = {"cuStreamIsCapturing", isCaptured},
    .allocInStream = {"cuMemAllocAsync", allocInStream},
    .freeInStream = {"cuMemFreeAsync", freeInStream},
    .streamCreate = {"cuStreamCreate", createStream},
    .streamDestroy = {"cuStreamDestroy", destroyStream},
    .eventCreate = {"cuEventCreate", createEvent},
    .eventDestroy = {"cuEventDestroy", destroyEvent},
    .eventRecord = {"cuEventRecord", recordEvent},
    .eventElapsed = {"cuEventElapsedTime", elapsed},
    .eventWait = {"cuStreamWaitEvent", waitForEvent},
    .kind = "CUDA device",
    .bytes = sizeof(CudaDevice),
    .alignment = _Alignof(CudaDevice),
    .find = findDriver,
    .count = countDevices,
    .describe = describe,
};

bool tile_rt_cuda_open_with(const CuDriver *driver, int32_t ordinal,
                            TileRtDevice **device, TileRtError *error) {
  return tile_rt_driver_open_with(&ops, driver, ordinal, device, error);
}

bool tile_rt_cuda_open(int32_t ordinal, TileRtDevice **device,
                       TileRtError *error) {
  return tile_rt_driver_open(&ops, ordinal, device, error);
}

bool tile_rt_cuda_count(int32_t *count, TileRtError *error) {
  return tile_rt_driver_count(&ops, count, error);
}

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

static bool connect(const CudaDevice *device, const CudaDevice *peer,
                    TileRtError *error) {
  const CuDriver *driver = device->driver;
  int can = 0;
  void *before;
  if (!driver->deviceCanAccessPeer || !driver->ctxEnablePeerAccess)
    return tile_rt_fail(error, "expected a CUDA driver with peer access");
  if (!tile_rt_cuda_check(driver,
                          driver->deviceCanAccessPeer(&can, device->device,
                                                      peer->device),
                          "cuDeviceCanAccessPeer", error))
    return false;
  if (!can)
    return tile_rt_fail(error,
                        "cuda:%d and cuda:%d cannot access each other's "
                        "memory; ranks run on GPUs with peer access, and on "
                        "the CPU",
                        (int)device->base.id.device_id,
                        (int)peer->base.id.device_id);
  if (!tile_rt_cuda_enter(&device->base, &before, error))
    return false;
  CuResult result = driver->ctxEnablePeerAccess(peer->context, 0);
  tile_rt_cuda_leave(&device->base, before);
  return result == CU_PEER_ACCESS_ALREADY_ENABLED ||
         tile_rt_cuda_check(driver, result, "cuCtxEnablePeerAccess", error);
}

bool tile_rt_cuda_connect(TileRtDevice *const *devices, int32_t count,
                          TileRtError *error) {
  for (int32_t i = 0; i < count; ++i)
    for (int32_t k = 0; k < count; ++k) {
      const CudaDevice *from = (const CudaDevice *)devices[i];
      const CudaDevice *to = (const CudaDevice *)devices[k];
      if (from->device != to->device && !connect(from, to, error))
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Memory of other processes
//===----------------------------------------------------------------------===//

_Static_assert(sizeof(CuIpcHandle) == TILE_RT_CUDA_HANDLE_BYTES, "of the ABI");

static bool hasHandles(const CuDriver *driver, TileRtError *error) {
  return (driver->ipcGetMemHandle && driver->ipcOpenMemHandle &&
          driver->ipcCloseMemHandle) ||
         tile_rt_fail(error, "expected a CUDA driver that shares memory with "
                             "other processes");
}

bool tile_rt_cuda_export(TileRtDevice *device, void *memory,
                         unsigned char handle[TILE_RT_CUDA_HANDLE_BYTES],
                         TileRtError *error) {
  const CuDriver *driver = driverOf(device);
  CuIpcHandle made;
  void *before;
  if (!hasHandles(driver, error) ||
      !tile_rt_cuda_enter(device, &before, error))
    return false;
  CuResult result = driver->ipcGetMemHandle(&made, toPointer(memory));
  tile_rt_cuda_leave(device, before);
  memcpy(handle, made.bytes, sizeof(made.bytes));
  return check(device, result, "cuIpcGetMemHandle", error);
}

bool tile_rt_cuda_import(TileRtDevice *device,
                         const unsigned char handle[TILE_RT_CUDA_HANDLE_BYTES],
                         void **memory, TileRtError *error) {
  enum { kEnablePeerAccess = 1 }; // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
  const CuDriver *driver = driverOf(device);
  CuIpcHandle given;
  CuPointer pointer = 0;
  void *before;
  *memory = NULL;
  if (!hasHandles(driver, error) ||
      !tile_rt_cuda_enter(device, &before, error))
    return false;
  memcpy(given.bytes, handle, sizeof(given.bytes));
  CuResult result =
      driver->ipcOpenMemHandle(&pointer, given, kEnablePeerAccess);
  tile_rt_cuda_leave(device, before);
  *memory = (void *)(uintptr_t)pointer;
  return check(device, result, "cuIpcOpenMemHandle", error);
}

bool tile_rt_cuda_release(TileRtDevice *device, void *memory,
                          TileRtError *error) {
  const CuDriver *driver = driverOf(device);
  void *before;
  if (!hasHandles(driver, error) ||
      !tile_rt_cuda_enter(device, &before, error))
    return false;
  CuResult result = driver->ipcCloseMemHandle(toPointer(memory));
  tile_rt_cuda_leave(device, before);
  return check(device, result, "cuIpcCloseMemHandle", error);
}

bool tile_rt_cuda_sync_within(TileRtDevice *device, TileRtStream stream,
                              int64_t seconds, bool *done, TileRtError *error) {
  enum { kMicroseconds = 50 };
  const CuDriver *driver = driverOf(device);
  int64_t end = tile_rt_now_ns() + seconds * INT64_C(1000000000);
  CuResult result = CU_NOT_READY;
  void *before;
  *done = false;
  if (!driver->streamQuery)
    return tile_rt_fail(error, "expected a CUDA driver with cuStreamQuery");
  if (!tile_rt_cuda_enter(device, &before, error))
    return false;
  while ((result = driver->streamQuery(stream)) == CU_NOT_READY &&
         tile_rt_now_ns() < end)
    usleep(kMicroseconds);
  tile_rt_cuda_leave(device, before);
  *done = result == CU_OK;
  return result == CU_NOT_READY ||
         check(device, result, "cuStreamQuery", error);
}
