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

/// Launches that wait to run together with those of other ranks.
typedef struct Queue {
  int32_t count, room;
  TileSimtProgram **programs;
  const char **kernels;
  TileSimtLaunch *launches;
} Queue;

/// Devices that run together.
typedef struct Group {
  int32_t ranks, open, waiting;
  uint64_t round; ///< runs so far
  pthread_cond_t changed;
  int32_t failed; ///< the rank of the report, or -1
  char report[kReportBytes];
  Queue queues[];
} Group;

typedef struct SimtDevice {
  TileRtDevice base;
  TileRtDeviceOps ops;
  char target[16];
  Group *group; ///< null: it runs alone
  int32_t rank;
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
  int32_t parameterCount;
  uint16_t *sizes; ///< of the parameters, in bytes
} Code;

static uint16_t getParameterBytes(const TileRtParameterInfo *parameter) {
  return parameter->kind == TILE_RT_PARAMETER_TENSOR_MAP ? TILE_RT_MAP_BYTES
                                                         : sizeof(uint64_t);
}

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
  one->parameterCount = metadata->parameterCount;
  one->sizes = calloc((size_t)one->parameterCount + 1, sizeof(*one->sizes));
  if (!one->sizes) {
    free(one);
    return tile_rt_fail(error, "out of memory");
  }
  for (int32_t i = 0; i < one->parameterCount; ++i)
    one->sizes[i] = getParameterBytes(&metadata->parameters[i]);
  one->program = ((const TileSimtImage *)image)->program;
  snprintf(one->kernel, sizeof(one->kernel), "%s", metadata->kernel);
  *code = one;
  return true;
}

static void unloadCode(TileRtDevice *device, void *code) {
  (void)device;
  free(((Code *)code)->sizes);
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

static uint64_t getSeed(void) {
  const char *seed = getenv("TILE_SIMT_SEED");
  return seed ? strtoull(seed, NULL, 10) : 1;
}

static bool isMutating(void) {
  const char *mutate = getenv("TILE_SIMT_MUTATE");
  return mutate && *mutate;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

/// A copy of the parameters, in one piece.
static void **copyParameters(const Code *code, void *const *parameters) {
  size_t count = (size_t)code->parameterCount + 1, bytes = 0;
  for (int32_t i = 0; i < code->parameterCount; ++i)
    bytes += code->sizes[i];
  size_t table = (count * sizeof(void *) + TILE_RT_MAP_ALIGN - 1) /
                 TILE_RT_MAP_ALIGN * TILE_RT_MAP_ALIGN;
  // Tensor maps, which are aligned, come first.
  bytes = (bytes + TILE_RT_MAP_ALIGN - 1) / TILE_RT_MAP_ALIGN *
          TILE_RT_MAP_ALIGN;
  void **copy = aligned_alloc(TILE_RT_MAP_ALIGN, table + bytes);
  char *at = (char *)copy + table;
  for (int maps = 1; copy && maps >= 0; --maps)
    for (int32_t i = 0; i < code->parameterCount; ++i)
      if ((code->sizes[i] == TILE_RT_MAP_BYTES) == maps) {
        copy[i] = memcpy(at, parameters[i], code->sizes[i]);
        at += code->sizes[i];
      }
  return copy;
}

static bool grow(Queue *queue) {
  if (queue->count < queue->room)
    return true;
  size_t room = 2 * (size_t)queue->room + 8;
  TileSimtProgram **programs =
      realloc(queue->programs, room * sizeof(*programs));
  queue->programs = programs ? programs : queue->programs;
  const char **kernels = realloc(queue->kernels, room * sizeof(*kernels));
  queue->kernels = kernels ? kernels : queue->kernels;
  TileSimtLaunch *launches =
      realloc(queue->launches, room * sizeof(*launches));
  queue->launches = launches ? launches : queue->launches;
  if (!programs || !kernels || !launches)
    return false;
  queue->room = (int32_t)room;
  return true;
}

/// The queue belongs to the thread of its rank until that one waits.
static bool enqueue(Queue *queue, const Code *code, const TileSimtLaunch *launch,
                    TileRtError *error) {
  void **parameters = copyParameters(code, launch->parameters);
  if (!parameters || !grow(queue)) {
    free(parameters);
    return tile_rt_fail(error, "out of memory");
  }
  queue->programs[queue->count] = code->program;
  queue->kernels[queue->count] = code->kernel;
  queue->launches[queue->count] = *launch;
  queue->launches[queue->count++].parameters = parameters;
  return true;
}

static void clearQueue(Queue *queue) {
  for (int32_t i = 0; i < queue->count; ++i)
    free((void *)queue->launches[i].parameters);
  queue->count = 0;
}

/// With the lock: runs what all ranks have launched.
static void runGroup(Group *group) {
  TileSimtRank *ranks = calloc((size_t)group->ranks, sizeof(*ranks));
  if (!ranks)
    abort();
  for (int32_t i = 0; i < group->ranks; ++i) {
    const Queue *queue = &group->queues[i];
    ranks[i] = (TileSimtRank){queue->programs, queue->kernels, queue->launches,
                              queue->count};
  }
  int32_t rank = 0;
  bool good = (isMutating() ? tileSimtMutateRanks : tileSimtLaunchRanks)(
      ranks, group->ranks, getSeed(), &rank, group->report,
      sizeof(group->report));
  group->failed = good ? -1 : rank;
  for (int32_t i = 0; i < group->ranks; ++i)
    clearQueue(&group->queues[i]);
  free(ranks);
}

/// Waits until all ranks are here; the last one runs them.
static bool syncRank(Group *group, int32_t rank, TileRtError *error) {
  pthread_mutex_lock(&lock);
  uint64_t round = group->round;
  if (++group->waiting == group->ranks) {
    runGroup(group);
    group->waiting = 0;
    ++group->round;
    pthread_cond_broadcast(&group->changed);
  }
  while (group->round == round)
    pthread_cond_wait(&group->changed, &lock);
  bool good = group->failed != rank;
  if (!good)
    tile_rt_fail(error, "the model reports: %s", group->report);
  pthread_mutex_unlock(&lock);
  return good;
}

/// A device of which nothing was launched has nothing to wait for.
static bool syncStream(TileRtDevice *device, TileRtStream stream,
                       TileRtError *error) {
  (void)stream;
  const SimtDevice *one = (const SimtDevice *)device;
  return !one->group || !one->group->queues[one->rank].count ||
         syncRank(one->group, one->rank, error);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static bool launchKernel(TileRtDevice *device, void *code,
                         const TileRtLaunch *l, TileRtStream stream,
                         TileRtError *error) {
  (void)stream;
  if (!checkGrid(device, l, error))
    return false;
  TileSimtLaunch launch = {.sharedBytes = l->sharedBytes,
                           .cooperative = l->cooperative,
                           .pdl = l->pdl,
                           .seed = getSeed(),
                           .parameters = l->parameters};
  memcpy(launch.grid, l->grid, sizeof(launch.grid));
  memcpy(launch.block, l->block, sizeof(launch.block));
  memcpy(launch.cluster, l->cluster, sizeof(launch.cluster));
  SimtDevice *one = (SimtDevice *)device;
  if (one->group)
    return enqueue(&one->group->queues[one->rank], code, &launch, error);
  char report[kReportBytes];
  const Code *c = code;
  pthread_mutex_lock(&lock);
  bool good = (isMutating() ? tileSimtMutate : tileSimtLaunch)(
      c->program, c->kernel, &launch, report, sizeof(report));
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

static void freeGroup(Group *group) {
  for (int32_t i = 0; i < group->ranks; ++i) {
    clearQueue(&group->queues[i]);
    free(group->queues[i].programs);
    free(group->queues[i].kernels);
    free(group->queues[i].launches);
  }
  pthread_cond_destroy(&group->changed);
  free(group);
}

static void closeDevice(TileRtDevice *device) {
  Group *group = ((SimtDevice *)device)->group;
  if (!group)
    return;
  pthread_mutex_lock(&lock);
  bool last = --group->open == 0;
  pthread_mutex_unlock(&lock);
  if (last)
    freeGroup(group);
}

bool tile_simt_open_ranks(const char *target, const char *chip, int32_t ranks,
                          TileRtDevice **devices, TileRtError *error) {
  Group *group =
      calloc(1, sizeof(*group) + (size_t)ranks * sizeof(*group->queues));
  if (!group)
    return tile_rt_fail(error, "no memory for %d ranks", (int)ranks);
  group->ranks = ranks;
  group->failed = -1;
  pthread_cond_init(&group->changed, NULL);
  for (int32_t i = 0; i < ranks; ++i) {
    if (!tile_simt_open(target, chip, &devices[i], error)) {
      // The last one takes the group with it.
      if (i == 0)
        freeGroup(group);
      while (i-- > 0) {
        tile_rt_device_close(devices[i]);
        devices[i] = NULL;
      }
      return false;
    }
    SimtDevice *one = (SimtDevice *)devices[i];
    one->group = group;
    one->rank = i;
    ++group->open;
  }
  return true;
}

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
