// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the CUDA runtime on a GPU of compute capability 9.0 or later, and
// measures what a launch costs. Needs the driver only. Exit code 1 without a
// GPU and after any failure.

#include "TileRuntime/CUDA.h"
#include "TileRuntime/Clock.h"
#include "TileRuntime/Launch.h"

#include "launch-kernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static TileRtDevice *device;
static TileRtError error;
static int failures;

static bool report(const char *what, bool good) {
  printf("%-4s %s%s%s\n", good ? "ok" : "FAIL", what, good ? "" : ": ",
         good ? "" : error.message);
  failures += !good;
  return good;
}

/// Ends the program when a step fails that the rest needs.
static void must(const char *what, bool good) {
  if (good)
    return;
  fprintf(stderr, "launch-test: %s: %s\n", what, error.message);
  exit(1);
}

/// A loaded kernel and its metadata.
typedef struct Loaded {
  TileRtMetadata *metadata;
  TileRtKernel *kernel;
} Loaded;

static Loaded loadKernel(const char *ptx, const char *metadata) {
  Loaded loaded;
  loaded.metadata = tile_rt_metadata_parse(metadata, strlen(metadata), &error);
  must("metadata", loaded.metadata);
  loaded.kernel =
      tile_rt_kernel_load(device, ptx, strlen(ptx), loaded.metadata, &error);
  must("load", loaded.kernel);
  return loaded;
}

static void unloadKernel(Loaded *loaded) {
  tile_rt_kernel_unload(loaded->kernel);
  tile_rt_metadata_free(loaded->metadata);
}

/// A tensor in device memory with its copy on the host.
typedef struct Buffer {
  TileRtTensor host;
  void *memory;
  TileRtDLTensor tensor;
} Buffer;

static void makeBuffer(Buffer *b, TileRtDType dtype, int32_t rank,
                       const int64_t *shape) {
  must("host memory",
       tile_rt_tensor_alloc(&b->host, dtype, rank, shape, 0, &error));
  must("device memory",
       device->ops->alloc(device, (size_t)tile_rt_tensor_bytes(&b->host),
                          &b->memory, &error));
  b->tensor = tile_rt_device_tensor(device, &b->host, b->memory);
}

static void freeBuffer(Buffer *b) {
  device->ops->free(device, b->memory, NULL);
  tile_rt_tensor_free(&b->host);
}

static void upload(const Buffer *b) {
  must("copy", device->ops->copy(device, b->memory, b->host.data,
                                 (size_t)tile_rt_tensor_bytes(&b->host),
                                 TILE_RT_COPY_TO_DEVICE, NULL, &error));
}

static void download(const Buffer *b) {
  must("copy", device->ops->copy(device, b->host.data, b->memory,
                                 (size_t)tile_rt_tensor_bytes(&b->host),
                                 TILE_RT_COPY_FROM_DEVICE, NULL, &error) &&
                   device->ops->sync(device, NULL, &error));
}

/// Numbers that no other index has nearby, exact in f32.
static float number(int64_t i) {
  return (float)((i * 7919) % 65521) * 0.25f - 1000.0f;
}

//===----------------------------------------------------------------------===//
// Vector addition
//===----------------------------------------------------------------------===//

static void testAdd(Loaded *add, int64_t n, float scale) {
  Buffer a, b, c;
  makeBuffer(&a, TILE_RT_F32, 1, &n);
  makeBuffer(&b, TILE_RT_F32, 1, &n);
  makeBuffer(&c, TILE_RT_F32, 1, &n);
  float *x = a.host.data, *y = b.host.data, *z = c.host.data;
  for (int64_t i = 0; i < n; ++i) {
    x[i] = number(i);
    y[i] = number(i + 77);
    z[i] = -1;
  }
  upload(&a);
  upload(&b);
  upload(&c);
  TileRtArgument arguments[] = {tile_rt_argument_tensor(&a.tensor),
                                tile_rt_argument_tensor(&b.tensor),
                                tile_rt_argument_tensor(&c.tensor),
                                tile_rt_argument_float(TILE_RT_F32, 1)};
  // The second launch has a plan and another scalar.
  bool good = tile_rt_launch(add->kernel, arguments, 4, NULL, &error);
  arguments[3] = tile_rt_argument_float(TILE_RT_F32, scale);
  good = good && tile_rt_launch(add->kernel, arguments, 4, NULL, &error);
  download(&c);
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; ++i)
    wrong += z[i] != x[i] + scale * y[i];
  if (good && wrong)
    good = tile_rt_fail(&error, "%" PRId64 " wrong elements", wrong);
  char what[64];
  snprintf(what, sizeof(what), "vector_add of %" PRId64, n);
  report(what, good);
  freeBuffer(&a);
  freeBuffer(&b);
  freeBuffer(&c);
}

static void expectFailure(const char *text, bool launched) {
  bool good = !launched && strstr(error.message, text);
  if (launched)
    tile_rt_fail(&error, "it was launched");
  report(text, good);
}

static void testErrors(Loaded *add) {
  int64_t n = 1000, m = 999;
  Buffer a, b;
  makeBuffer(&a, TILE_RT_F32, 1, &n);
  makeBuffer(&b, TILE_RT_F32, 1, &m);
  TileRtDLTensor host = tile_rt_tensor_to_dlpack(&a.host);
  TileRtArgument x = tile_rt_argument_tensor(&a.tensor);
  TileRtArgument scale = tile_rt_argument_float(TILE_RT_F32, 1);
  TileRtArgument arguments[] = {x, tile_rt_argument_tensor(&b.tensor), x,
                                scale};
  expectFailure("argument 1 (b): dimension 0: expected n = 1000 (argument 0 "
                "(a): dimension 0), got 999",
                tile_rt_launch(add->kernel, arguments, 4, NULL, &error));
  arguments[1] = tile_rt_argument_tensor(&host);
  expectFailure("argument 1 (b): expected memory of device cuda:0, got cpu:0",
                tile_rt_launch(add->kernel, arguments, 4, NULL, &error));
  arguments[1] = scale;
  expectFailure("argument 1 (b): expected a tensor of f32, got a scalar",
                tile_rt_launch(add->kernel, arguments, 4, NULL, &error));
  static const char broken[] = ".version 8.0\n.target sm_90\n"
                               ".address_size 64\n.visible .entry vector_add()"
                               "\n{\n  nonsense.u32 %r0;\n}\n";
  TileRtKernel *kernel = tile_rt_kernel_load(device, broken, strlen(broken),
                                             add->metadata, &error);
  printf("     %.200s\n", error.message);
  expectFailure("line 6", kernel);
  freeBuffer(&a);
  freeBuffer(&b);
}

//===----------------------------------------------------------------------===//
// Tensor maps, clusters
//===----------------------------------------------------------------------===//

static void testCopy(Loaded *copy, int64_t rows, int64_t cols, int64_t ld) {
  Buffer from, to;
  makeBuffer(&from, TILE_RT_F32, 2, (int64_t[]){rows, ld});
  makeBuffer(&to, TILE_RT_F32, 2, (int64_t[]){rows, cols});
  float *x = from.host.data, *z = to.host.data;
  for (int64_t i = 0; i < rows * ld; ++i)
    x[i] = number(i);
  for (int64_t i = 0; i < rows * cols; ++i)
    z[i] = -1;
  upload(&from);
  upload(&to);
  int64_t shape[] = {rows, cols}, strides[] = {ld, 1};
  from.tensor.shape = shape;
  from.tensor.strides = strides;
  const TileRtArgument arguments[] = {tile_rt_argument_tensor(&from.tensor),
                                      tile_rt_argument_tensor(&to.tensor)};
  bool good = tile_rt_launch(copy->kernel, arguments, 2, NULL, &error);
  download(&to);
  int64_t wrong = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      wrong += z[r * cols + c] != x[r * ld + c];
  if (good && wrong)
    good = tile_rt_fail(&error, "%" PRId64 " wrong elements", wrong);
  char what[96];
  snprintf(what, sizeof(what),
           "tma_copy of %" PRId64 "x%" PRId64 ", row stride %" PRId64, rows,
           cols, ld);
  report(what, good);
  freeBuffer(&from);
  freeBuffer(&to);
}

static void testCluster(int cluster, const char *flags) {
  char metadata[2048], what[96];
  snprintf(metadata, sizeof(metadata), cluster_count_metadata, cluster, flags);
  Loaded count = loadKernel(cluster_count_ptx, metadata);
  enum { kBlocks = 32 };
  Buffer out;
  TileRtStream stream;
  makeBuffer(&out, TILE_RT_I32, 2, (int64_t[]){kBlocks, 2});
  must("stream", device->ops->streamCreate(device, &stream, &error));
  const TileRtArgument argument = tile_rt_argument_tensor(&out.tensor);
  bool good = true;
  // The workspace must be zero again at the second launch.
  for (int i = 0; i < 2; ++i)
    good = good && tile_rt_launch(count.kernel, &argument, 1, stream, &error);
  good = good && device->ops->sync(device, stream, &error);
  download(&out);
  const int32_t *pairs = out.host.data;
  uint64_t tickets = 0;
  int wrong = 0;
  for (int i = 0; i < kBlocks; ++i) {
    wrong += pairs[2 * i] != i % cluster;
    tickets |= UINT64_C(1) << (pairs[2 * i + 1] & 63);
  }
  if (good && (wrong || tickets != UINT32_MAX))
    good = tile_rt_fail(&error, "%d wrong ranks, tickets %" PRIx64, wrong,
                        tickets);
  snprintf(what, sizeof(what),
           "cluster_count, cluster %d, %s, 200 KiB shared, workspace", cluster,
           flags);
  report(what, good);
  device->ops->streamDestroy(device, stream, NULL);
  freeBuffer(&out);
  unloadKernel(&count);
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

/// Launches that take turns between `sets` sets of pointers; nanoseconds each.
static double launchCost(Loaded *add, const TileRtArgument *arguments,
                         int32_t sets) {
  enum { kLaunches = 400, kRounds = 25 };
  double rounds[kRounds];
  for (int r = 0; r < kRounds; ++r) {
    must("sync", device->ops->sync(device, NULL, &error));
    int64_t start = tile_rt_now_ns();
    for (int i = 0; i < kLaunches; ++i)
      must("launch", tile_rt_launch(add->kernel, arguments + 4 * (i % sets), 4,
                                    NULL, &error));
    rounds[r] = (double)(tile_rt_now_ns() - start) / kLaunches;
  }
  return tile_rt_median(rounds, kRounds);
}

/// The driver's part alone.
static double rawCost(Loaded *add, const Buffer *a) {
  enum { kLaunches = 400, kRounds = 25 };
  double rounds[kRounds];
  void *code;
  float scale = 1;
  int32_t n = (int32_t)a->host.shape[0];
  void *memory = a->memory;
  void *parameters[] = {&memory, &memory, &memory, &n, &scale};
  const TileRtLaunch launch = {.grid = {1, 1, 1},
                               .block = {256, 1, 1},
                               .cluster = {1, 1, 1},
                               .parameterCount = 5,
                               .parameters = parameters};
  must("load", device->ops->load(device, vector_add_ptx, strlen(vector_add_ptx),
                                 add->metadata, &code, &error));
  for (int r = 0; r < kRounds; ++r) {
    must("sync", device->ops->sync(device, NULL, &error));
    int64_t start = tile_rt_now_ns();
    for (int i = 0; i < kLaunches; ++i)
      must("launch", device->ops->launch(device, code, &launch, NULL, &error));
    rounds[r] = (double)(tile_rt_now_ns() - start) / kLaunches;
  }
  must("sync", device->ops->sync(device, NULL, &error));
  device->ops->unload(device, code);
  return tile_rt_median(rounds, kRounds);
}

static void measureLaunches(Loaded *add, const char *what) {
  enum { kSets = 16 };
  int64_t n = 256;
  Buffer a[kSets];
  TileRtArgument arguments[4 * kSets];
  for (int i = 0; i < kSets; ++i) {
    makeBuffer(&a[i], TILE_RT_F32, 1, &n);
    upload(&a[i]);
    TileRtArgument *set = arguments + 4 * i;
    set[0] = set[1] = set[2] = tile_rt_argument_tensor(&a[i].tensor);
    set[3] = tile_rt_argument_float(TILE_RT_F32, 0.5);
  }
  for (int round = 0; round < 2; ++round) {
    double raw = rawCost(add, &a[0]);
    printf("launch%s: driver alone %.0f ns, one set of pointers %.0f ns, 8 "
           "sets %.0f ns, 16 sets (checked each time) %.0f ns\n",
           what, raw, launchCost(add, arguments, 1), launchCost(add, arguments, 8),
           launchCost(add, arguments, kSets));
  }
  for (int i = 0; i < kSets; ++i)
    freeBuffer(&a[i]);
}

static void measureBandwidth(Loaded *add) {
  int64_t n = INT64_C(1) << 26;
  Buffer a, b, c;
  makeBuffer(&a, TILE_RT_F32, 1, &n);
  makeBuffer(&b, TILE_RT_F32, 1, &n);
  makeBuffer(&c, TILE_RT_F32, 1, &n);
  for (int64_t i = 0; i < n; ++i) {
    ((float *)a.host.data)[i] = number(i);
    ((float *)b.host.data)[i] = number(3 * i);
  }
  upload(&a);
  upload(&b);
  const TileRtArgument arguments[] = {tile_rt_argument_tensor(&a.tensor),
                                      tile_rt_argument_tensor(&b.tensor),
                                      tile_rt_argument_tensor(&c.tensor),
                                      tile_rt_argument_float(TILE_RT_F32, 0.5)};
  for (int flush = 0; flush < 2; ++flush) {
    TileRtTimingOptions options = tile_rt_timing_options();
    TileRtTiming timing;
    options.flushL2 = flush;
    if (report(flush ? "timing, L2 flushed" : "timing",
               tile_rt_time(add->kernel, arguments, 4, NULL, &options, &timing,
                            &error)))
      printf("vector_add of 2^26: median %.1f us (%.1f to %.1f), %.0f GB/s\n",
             timing.median * 1e6, timing.min * 1e6, timing.max * 1e6,
             12e-9 * (double)n / timing.median);
  }
  freeBuffer(&a);
  freeBuffer(&b);
  freeBuffer(&c);
}

int main(void) {
  must("open", tile_rt_cuda_open(0, &device, &error));
  printf("%s, %s, %d multiprocessors, L2 of %" PRId64 " bytes\n", device->name,
         device->chip, device->multiprocessors, device->l2Bytes);
  Loaded add = loadKernel(vector_add_ptx, vector_add_metadata);
  static const int64_t sizes[] = {0, 1, 255, 256, 257, 1000003};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i)
    testAdd(&add, sizes[i], 0.5f);
  testErrors(&add);
  Loaded copy = loadKernel(tma_copy_ptx, tma_copy_metadata);
  testCopy(&copy, 64, 64, 64);
  testCopy(&copy, 100, 67, 68);
  testCopy(&copy, 1, 5, 512);
  testCopy(&copy, 1000, 1000, 1024);
  testCluster(1, "\"pdl\": false");
  testCluster(2, "\"pdl\": true");
  testCluster(4, "\"cooperative\": true");
  testCluster(16, "\"pdl\": false");
  Loaded versions =
      loadKernel(vector_add_ptx, vector_add_versions_metadata);
  testAdd(&versions, 1000, 0.5f);
  testAdd(&versions, 1003, 0.5f);
  measureLaunches(&add, "");
  measureLaunches(&versions, " of two versions");
  measureBandwidth(&add);
  int64_t known, checked, found, encoded;
  tile_rt_kernel_statistics(add.kernel, &known, &checked);
  tile_rt_cuda_map_statistics(device, &found, &encoded);
  printf("%" PRId64 " launches known, %" PRId64 " checked, %" PRId64
         " tensor maps found, %" PRId64 " encoded\n",
         known, checked, found, encoded);
  unloadKernel(&versions);
  unloadKernel(&copy);
  unloadKernel(&add);
  tile_rt_device_close(device);
  printf("%d failed\n", failures);
  return failures != 0;
}
