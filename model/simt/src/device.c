// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile_simt_device.h"

#include "TileRuntime/Clock.h"
#include "tensor_map.h"
#include "tile_simt_model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kReportBytes = 960 }; // with what stands before it, an error's

typedef struct SimtDevice {
  TileRtDevice base;
  TileRtDeviceOps ops;
  char target[16];
} SimtDevice;

// The model runs one thing at a time.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool allocMemory(TileRtDevice *device, size_t bytes, void **memory,
                        TileRtError *error) {
  (void)device;
  pthread_mutex_lock(&lock);
  *memory = tileSimtAlloc(bytes);
  pthread_mutex_unlock(&lock);
  return *memory || tile_rt_fail(error, "expected %zu bytes", bytes);
}

static bool freeMemory(TileRtDevice *device, void *memory, TileRtError *error) {
  (void)device;
  pthread_mutex_lock(&lock);
  bool known = tileSimtFree(memory);
  pthread_mutex_unlock(&lock);
  return known || tile_rt_fail(error, "expected memory of the SIMT model");
}

static bool copyMemory(TileRtDevice *device, void *to, const void *from,
                       size_t bytes, TileRtCopy kind, TileRtStream stream,
                       TileRtError *error) {
  (void)device, (void)stream, (void)error;
  memmove(to, from, bytes);
  pthread_mutex_lock(&lock);
  if (kind != TILE_RT_COPY_FROM_DEVICE)
    tileSimtWritten(to, bytes);
  pthread_mutex_unlock(&lock);
  return true;
}

static bool fillMemory(TileRtDevice *device, void *memory, uint8_t byte,
                       size_t bytes, TileRtStream stream, TileRtError *error) {
  (void)device, (void)stream, (void)error;
  memset(memory, byte, bytes);
  pthread_mutex_lock(&lock);
  tileSimtWritten(memory, bytes);
  pthread_mutex_unlock(&lock);
  return true;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static bool syncStream(TileRtDevice *device, TileRtStream stream,
                       TileRtError *error) {
  (void)device, (void)stream, (void)error;
  return true;
}

static bool createStream(TileRtDevice *device, TileRtStream *stream,
                         TileRtError *error) {
  (void)device, (void)error;
  *stream = NULL;
  return true;
}

static bool createEvent(TileRtDevice *device, TileRtEvent *event,
                        TileRtError *error) {
  (void)device;
  *event = calloc(1, sizeof(int64_t));
  return *event || tile_rt_fail(error, "out of memory");
}

static bool destroyEvent(TileRtDevice *device, TileRtEvent event,
                         TileRtError *error) {
  (void)device, (void)error;
  free(event);
  return true;
}

static bool recordEvent(TileRtDevice *device, TileRtEvent event,
                        TileRtStream stream, TileRtError *error) {
  (void)device, (void)stream, (void)error;
  *(int64_t *)event = tile_rt_now_ns();
  return true;
}

static bool readElapsed(TileRtDevice *device, TileRtEvent from, TileRtEvent to,
                        double *seconds, TileRtError *error) {
  (void)device, (void)error;
  *seconds = (double)(*(int64_t *)to - *(int64_t *)from) * 1e-9;
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

typedef struct Code {
  TileSimtProgram *program;
  char kernel[256];
} Code;

static bool loadCode(TileRtDevice *device, const void *image, size_t size,
                     const TileRtMetadata *metadata, void **code,
                     TileRtError *error) {
  (void)device;
  if (size != sizeof(TileSimtImage))
    return tile_rt_fail(error,
                        "expected an image of the SIMT model (%zu "
                        "bytes), got %zu bytes",
                        sizeof(TileSimtImage), size);
  Code *one = calloc(1, sizeof(*one));
  if (!one)
    return tile_rt_fail(error, "out of memory");
  one->program = ((const TileSimtImage *)image)->program;
  snprintf(one->kernel, sizeof(one->kernel), "%s", metadata->kernel);
  *code = one;
  return true;
}

static void unloadCode(TileRtDevice *device, void *code) {
  (void)device;
  free(code);
}

/// CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability": y and z of a grid, of all chips.
enum { kMaxGridYZ = 65535 };

static bool checkGrid(const TileRtDevice *device, const TileRtLaunch *l,
                      TileRtError *error) {
  for (int i = 1; i < 3 && device->id.device_type == TILE_RT_DL_CUDA; ++i)
    if (l->grid[i] > kMaxGridYZ)
      return tile_rt_fail(
          error,
          "grid.%c: expected at most %d blocks, got %u; let the largest extent "
          "of the grid be the first, or let each block of a smaller grid do "
          "several, with tile.persistent",
          "xyz"[i], kMaxGridYZ, l->grid[i]);
  return true;
}

static bool launchKernel(TileRtDevice *device, void *code,
                         const TileRtLaunch *l, TileRtStream stream,
                         TileRtError *error) {
  (void)stream;
  if (!checkGrid(device, l, error))
    return false;
  const char *seed = getenv("TILE_SIMT_SEED");
  TileSimtLaunch launch = {.sharedBytes = l->sharedBytes,
                           .cooperative = l->cooperative,
                           .pdl = l->pdl,
                           .seed = seed ? strtoull(seed, NULL, 10) : 1,
                           .parameters = l->parameters};
  memcpy(launch.grid, l->grid, sizeof(launch.grid));
  memcpy(launch.block, l->block, sizeof(launch.block));
  memcpy(launch.cluster, l->cluster, sizeof(launch.cluster));
  char report[kReportBytes];
  const Code *one = code;
  pthread_mutex_lock(&lock);
  const char *mutate = getenv("TILE_SIMT_MUTATE");
  bool good = (mutate && *mutate ? tileSimtMutate : tileSimtLaunch)(
      one->program, one->kernel, &launch, report, sizeof(report));
  pthread_mutex_unlock(&lock);
  return good || tile_rt_fail(error, "the model reports: %s", report);
}

static bool encodeMap(TileRtDevice *device, const TileRtTensorMap *map,
                      void *out, TileRtError *error) {
  (void)device;
  struct simt_tensor_map one = {.magic = SIMT_TENSOR_MAP,
                                .type = (uint8_t)map->info->type,
                                .rank = (uint8_t)map->info->rank,
                                .swizzle = (uint8_t)map->info->swizzle,
                                .interleave = (uint8_t)map->info->interleave,
                                .fillNaN = map->info->fillNaN,
                                .address = map->address};
  if (map->info->im2col)
    return tile_rt_fail(error, "the SIMT model has no im2col tensor maps");
  for (int32_t i = 0; i < map->info->rank; ++i) {
    one.sizes[i] = (uint32_t)map->sizes[i];
    one.strides[i] = i ? map->strides[i - 1] : 0;
    one.box[i] = (uint16_t)map->info->box[i];
    one.elementStrides[i] = (uint8_t)map->info->elementStrides[i];
  }
  _Static_assert(sizeof(one) <= TILE_RT_MAP_BYTES, "");
  memset(out, 0, TILE_RT_MAP_BYTES);
  memcpy(out, &one, sizeof(one));
  return true;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static void closeDevice(TileRtDevice *device) { (void)device; }

bool tile_simt_open(const char *target, const char *chip, TileRtDevice **device,
                    TileRtError *error) {
  SimtDevice *one = (SimtDevice *)tile_rt_device_create(
      NULL, sizeof(*one), _Alignof(SimtDevice), error);
  if (!one)
    return false;
  snprintf(one->target, sizeof(one->target), "%s", target);
  one->ops = (TileRtDeviceOps){.target = one->target,
                               .close = closeDevice,
                               .load = loadCode,
                               .unload = unloadCode,
                               .launch = launchKernel,
                               .encode = encodeMap,
                               .alloc = allocMemory,
                               .free = freeMemory,
                               .copy = copyMemory,
                               .fill = fillMemory,
                               .sync = syncStream,
                               .streamCreate = createStream,
                               .streamDestroy = destroyEvent,
                               .eventCreate = createEvent,
                               .eventDestroy = destroyEvent,
                               .eventRecord = recordEvent,
                               .eventElapsed = readElapsed};
  bool hip = strcmp(target, "hip") == 0;
  one->base = (TileRtDevice){.ops = &one->ops,
                             .id = {hip ? TILE_RT_DL_ROCM : TILE_RT_DL_CUDA, 0},
                             .name = "SIMT model",
                             .multiprocessors = 4};
  snprintf(one->base.chip, sizeof(one->base.chip), "%s", chip ? chip : "");
  *device = &one->base;
  return true;
}
