/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that load, launch and unload the same kernels, open and close the
 * devices that they are loaded on, run loops, and read, write and trim one
 * cache.
 *
 * usage: stress THREADS ROUNDS FOLDER
 */
#include "TileRuntime/Cache.h"
#include "TileRuntime/Device.h"
#include "TileRuntime/Launch.h"
#include "TileRuntime/ParallelFor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kKernels = 8, kDevices = 3, kElements = 256, kMostThreads = 64 };

static const char text[] =
    "{\"version\": 1, \"kernel\": \"scale\", \"target\": \"cpu\","
    " \"arguments\": ["
    "  {\"name\": \"in\", \"kind\": \"memref\", \"dtype\": \"f32\","
    "   \"shape\": [\"n\"], \"align\": 4, \"access\": \"read\"},"
    "  {\"name\": \"out\", \"kind\": \"memref\", \"dtype\": \"f32\","
    "   \"shape\": [\"n\"], \"align\": 4, \"access\": \"write\"}],"
    " \"symbols\": [{\"name\": \"n\", \"argument\": 0, \"dim\": 0,"
    "   \"max\": 4096}],"
    " \"parameters\": [{\"kind\": \"pointer\", \"argument\": 0},"
    "   {\"kind\": \"pointer\", \"argument\": 1}],"
    " \"grid\": [\"n\"], \"block\": [1], \"shared\": \"n 4 *\"}";

static atomic_uintptr_t kernels[kKernels], devices[kDevices];
static TileRtDeviceOps ops;
static atomic_long launched, refused, wrong, hits;
static TileRtMetadata *metadata;
static const char *folder;
static long rounds;

/* A block uses its shared memory, which is its thread's alone. */
static void block(void *const *parameters, const uint32_t *at,
                  const uint32_t *grid, void *shared) {
  const float *in = *(const float *const *)parameters[0];
  float *out = *(float *const *)parameters[1], *mine = shared;
  for (uint32_t i = 0; i < grid[0]; ++i)
    mine[i] = in[i];
  out[at[0]] = 2 * mine[at[0]];
}

static unsigned roll(unsigned *state, unsigned sides) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % sides;
}

static void nothing(TileRtDevice *device) { (void)device; }

/* Others may be loading kernels on the device that is closed, and run them. */
static void reopen(unsigned *state) {
  TileRtError error = {{0}};
  TileRtDevice *device = tile_rt_device_create(&ops, sizeof(*device),
                                               _Alignof(TileRtDevice), &error);
  if (!device)
    atomic_fetch_add(&wrong, 1);
  else
    device->id = tile_rt_cpu_device()->id;
  tile_rt_device_close((TileRtDevice *)atomic_exchange(
      &devices[roll(state, kDevices)], (uintptr_t)device));
}

static void replace(unsigned *state) {
  TileRtHostImage image = {block};
  TileRtError error = {{0}};
  unsigned which = roll(state, kDevices + 1);
  TileRtDevice *device = which < kDevices
                             ? (TileRtDevice *)atomic_load(&devices[which])
                             : tile_rt_cpu_device();
  TileRtKernel *kernel =
      tile_rt_kernel_load(device, &image, sizeof(image), metadata, &error);
  if (!kernel)
    atomic_fetch_add(which < kDevices && error.message[0] ? &refused : &wrong,
                     1);
  tile_rt_kernel_unload((TileRtKernel *)atomic_exchange(
      &kernels[roll(state, kKernels)], (uintptr_t)kernel));
}

static void launch(unsigned *state) {
  float x[kElements], y[kElements] = {0};
  int64_t n = 1 + roll(state, kElements);
  for (int i = 0; i < kElements; ++i)
    x[i] = (float)i;
  TileRtDLTensor tensors[2];
  for (int i = 0; i < 2; ++i)
    tensors[i] = (TileRtDLTensor){.data = i ? y : x,
                                  .device = {TILE_RT_DL_CPU, 0},
                                  .ndim = 1,
                                  .dtype = {2, 32, 1},
                                  .shape = &n};
  TileRtArgument arguments[] = {tile_rt_argument_tensor(&tensors[0]),
                                tile_rt_argument_tensor(&tensors[1])};
  TileRtError error = {{0}};
  TileRtKernel *kernel =
      (TileRtKernel *)atomic_load(&kernels[roll(state, kKernels)]);
  if (!tile_rt_launch(kernel, arguments, 2, NULL, &error)) {
    atomic_fetch_add(error.message[0] ? &refused : &wrong, 1);
    return;
  }
  atomic_fetch_add(&launched, 1);
  for (int i = 0; i < kElements; ++i)
    if (y[i] != (i < n ? 2 * x[i] : 0))
      atomic_fetch_add(&wrong, 1);
}

static void count(void *context, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_long *)context, end - begin);
}

static void loop(unsigned *state) {
  atomic_long sum = 0;
  int64_t n = roll(state, 1000);
  tile_rt_parallel_for(count, &sum, n, 1 + roll(state, 10));
  if (sum != n)
    atomic_fetch_add(&wrong, 1);
}

static void useCache(unsigned *state) {
  TileRtHash key;
  TileRtError error = {{0}};
  char name[16], bytes[64];
  snprintf(name, sizeof(name), "entry %u", roll(state, 5));
  snprintf(bytes, sizeof(bytes), "the content of %s", name);
  tile_rt_hash_start(&key);
  tile_rt_hash_text(&key, name);
  void *found = NULL;
  size_t size = 0;
  if (roll(state, 2) &&
      !tile_rt_cache_write(folder, &key, bytes, sizeof(bytes), &error))
    atomic_fetch_add(&wrong, 1);
  if (tile_rt_cache_read(folder, &key, &found, &size, &error)) {
    atomic_fetch_add(&hits, 1);
    if (size != sizeof(bytes) || strcmp(found, bytes) != 0)
      atomic_fetch_add(&wrong, 1);
  }
  free(found);
  if (roll(state, 16) == 0 && !tile_rt_cache_trim(folder, 100, &error))
    atomic_fetch_add(&wrong, 1);
}

static void *run(void *data) {
  unsigned *state = data;
  for (long i = 0; i < rounds; ++i) {
    if (roll(state, 4) == 0)
      replace(state);
    if (roll(state, 16) == 0)
      reopen(state);
    launch(state);
    loop(state);
    if (roll(state, 8) == 0)
      useCache(state);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  static pthread_t threads[kMostThreads];
  static unsigned states[kMostThreads];
  int number = atoi(argv[1]) < kMostThreads ? atoi(argv[1]) : kMostThreads;
  TileRtError error = {{0}};
  rounds = atol(argv[2]);
  folder = argv[3];
  ops = *tile_rt_cpu_device()->ops;
  ops.close = nothing;
  metadata = tile_rt_metadata_parse(text, strlen(text), &error);
  if (!metadata) {
    puts(error.message);
    return 1;
  }
  for (int i = 0; i < number; ++i) {
    states[i] = (unsigned)i + 1;
    pthread_create(&threads[i], NULL, run, &states[i]);
  }
  for (int i = 0; i < number; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < kKernels; ++i)
    tile_rt_kernel_unload((TileRtKernel *)atomic_load(&kernels[i]));
  for (int i = 0; i < kDevices; ++i)
    tile_rt_device_close((TileRtDevice *)atomic_load(&devices[i]));
  tile_rt_metadata_free(metadata);
  printf("%s launched, %s refused, %s found, %ld wrong\n",
         launched ? "some" : "none", refused ? "some" : "none",
         hits ? "some" : "none", wrong);
  return 0;
}
