// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU as a device: work is done when a call returns.

#include "TileRuntime/Clock.h"
#include "TileRuntime/Device.h"
#include "TileRuntime/ParallelFor.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void closeDevice(TileRtDevice *device) { (void)device; }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static bool load(TileRtDevice *device, const void *image, size_t size,
                 const TileRtMetadata *metadata, void **code,
                 TileRtError *error) {
  (void)device;
  (void)metadata;
  TileRtHostImage *copy;
  if (size != sizeof(*copy))
    return tile_rt_fail(error, "image: expected %zu bytes, got %zu",
                        sizeof(*copy), size);
  copy = malloc(sizeof(*copy));
  if (!copy)
    return tile_rt_fail(error, "expected memory, got none");
  memcpy(copy, image, sizeof(*copy));
  *code = copy;
  return true;
}

static void unload(TileRtDevice *device, void *code) {
  (void)device;
  free(code);
}

typedef struct Run {
  TileRtHostBlock block;
  const TileRtLaunch *launch;
  _Atomic int64_t missing; // bytes that some block did not get, or -1
} Run;

static void runBlocks(void *context, int64_t begin, int64_t end) {
  Run *run = context;
  const uint32_t *grid = run->launch->grid;
  void *shared = tile_rt_scratch(run->launch->sharedBytes);
  if (!shared) {
    uint32_t bytes = run->launch->sharedBytes;
    atomic_store(&run->missing, bytes ? bytes : 1);
    return;
  }
  (void)tile_rt_take_missing_memory(); // of a call that nobody asked about
  for (int64_t i = begin; i < end; ++i) {
    uint32_t at[3] = {(uint32_t)(i % grid[0]),
                      (uint32_t)(i / grid[0] % grid[1]),
                      (uint32_t)(i / grid[0] / grid[1])};
    run->block(run->launch->parameters, at, grid, shared);
    int64_t missing = tile_rt_take_missing_memory();
    if (missing)
      atomic_store(&run->missing, missing);
  }
}

bool tile_rt_had_memory(TileRtError *error) {
  int64_t bytes = tile_rt_take_missing_memory();
  if (bytes < 0)
    return tile_rt_fail(error, "expected buffers of less than 2^62 bytes, got "
                               "a larger one; some blocks did not run");
  return !bytes || tile_rt_fail(error,
                                "expected %" PRId64 " bytes of memory for a "
                                "thread, got none; some blocks did not run",
                                bytes);
}

static bool prepare(TileRtDevice *device, void *code,
                    const TileRtLaunch *launch, TileRtError *error) {
  (void)device;
  (void)code;
  int64_t blocks = launch->grid[0];
  if (__builtin_mul_overflow(blocks, launch->grid[1], &blocks) ||
      __builtin_mul_overflow(blocks, launch->grid[2], &blocks))
    return tile_rt_fail(error, "grid: expected less than 2^63 blocks");
  for (int i = 0; i < 3; ++i)
    if (launch->cluster[i] != 1)
      return tile_rt_fail(error,
                          "cluster: expected 1 in dimension %d of a CPU "
                          "kernel, got %u",
                          i, launch->cluster[i]);
  return true;
}

static bool launch(TileRtDevice *device, void *code, const TileRtLaunch *launch,
                   TileRtStream stream, TileRtError *error) {
  (void)device;
  (void)stream;
  const TileRtHostImage *image = code;
  Run run = {.block = image->block, .launch = launch};
  int64_t blocks = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  tile_rt_parallel_for(runBlocks, &run, blocks, 1);
  tile_rt_note_missing_memory(atomic_load(&run.missing));
  return tile_rt_had_memory(error);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static bool allocMemory(TileRtDevice *device, size_t bytes, void **memory,
                        TileRtError *error) {
  (void)device;
  const size_t unit = 256; // what kernels may expect of a GPU's memory
  *memory = bytes < PTRDIFF_MAX - unit
                ? aligned_alloc(unit, (bytes / unit + 1) * unit)
                : NULL;
  return *memory ||
         tile_rt_fail(error, "expected %zu bytes of memory, got none", bytes);
}

static bool freeMemory(TileRtDevice *device, void *memory, TileRtError *error) {
  (void)device;
  (void)error;
  free(memory);
  return true;
}

static bool copyMemory(TileRtDevice *device, void *to, const void *from,
                       size_t bytes, TileRtCopy kind, TileRtStream stream,
                       TileRtError *error) {
  (void)device;
  (void)kind;
  (void)stream;
  (void)error;
  if (bytes)
    memmove(to, from, bytes);
  return true;
}

static bool fillMemory(TileRtDevice *device, void *memory, uint8_t byte,
                       size_t bytes, TileRtStream stream, TileRtError *error) {
  (void)device;
  (void)stream;
  (void)error;
  if (bytes)
    memset(memory, byte, bytes);
  return true;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

static bool syncStream(TileRtDevice *device, TileRtStream stream,
                       TileRtError *error) {
  (void)device;
  (void)stream;
  (void)error;
  return true;
}

static bool createStream(TileRtDevice *device, TileRtStream *stream,
                         TileRtError *error) {
  *stream = NULL;
  return syncStream(device, NULL, error);
}

static bool createEvent(TileRtDevice *device, TileRtEvent *event,
                        TileRtError *error) {
  (void)device;
  *event = calloc(1, sizeof(int64_t));
  return *event || tile_rt_fail(error, "expected memory, got none");
}

static bool recordEvent(TileRtDevice *device, TileRtEvent event,
                        TileRtStream stream, TileRtError *error) {
  (void)device;
  (void)stream;
  (void)error;
  *(int64_t *)event = tile_rt_now_ns();
  return true;
}

static bool elapsed(TileRtDevice *device, TileRtEvent from, TileRtEvent to,
                    double *seconds, TileRtError *error) {
  (void)device;
  (void)error;
  *seconds = (double)(*(int64_t *)to - *(int64_t *)from) * 1e-9;
  return true;
}

static const TileRtDeviceOps ops = {
    .target = "cpu",
    .close = closeDevice,
    .load = load,
    .unload = unload,
    .prepare = prepare,
    .launch = launch,
    .alloc = allocMemory,
    .free = freeMemory,
    .copy = copyMemory,
    .fill = fillMemory,
    .sync = syncStream,
    .streamCreate = createStream,
    .streamDestroy = syncStream,
    .eventCreate = createEvent,
    .eventDestroy = freeMemory,
    .eventRecord = recordEvent,
    .eventElapsed = elapsed,
};

static TileRtDevice cpu = {
    .ops = &ops,
    .id = {TILE_RT_DL_CPU, 0},
    .name = "cpu",
    // Not asked for: as much as most last-level caches have.
    .l2Bytes = INT64_C(128) << 20};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void countCores(void) {
  cpu.multiprocessors = (int32_t)tile_rt_num_threads();
}

TileRtDevice *tile_rt_cpu_device(void) {
  pthread_once(&once, countCores);
  return &cpu;
}
