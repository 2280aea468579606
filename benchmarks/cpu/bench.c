// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times kernels compiled by tile against their peers on the same CPU: OpenBLAS for the matrix product, a parallel memcpy for
// what is bound by memory. Each pair is run in turns in one process, the first place alternating; medians and ratios are printed.
//
// usage: bench-cpu [repeats]

#include "TileRuntime/Clock.h"
#include "TileRuntime/Fill.h"
#include "TileRuntime/ParallelFor.h"
#include "TileRuntime/Tensor.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Memref descriptors, as compiled functions take them.
typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
} MemRef1;
typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} MemRef2;

void _mlir_ciface_gemm(MemRef2 *a, MemRef2 *b, MemRef2 *c);
void _mlir_ciface_softmax(MemRef2 *x, MemRef2 *y);
void _mlir_ciface_relu_product(MemRef1 *a, MemRef1 *b, MemRef1 *c);

enum { MAX_REPEATS = 101 };

typedef struct {
  const char *name, *shape, *peer, *unit;
  double work;      // per run of ours, in 1e9 units
  double peer_work; // per run of the peer
  void (*run)(void);
  void (*run_peer)(void);
} Case;

static float *buffer(int64_t count, uint64_t seed) {
  TileRtTensor t;
  TileRtError error;
  int64_t shape[1] = {count};
  TileRtFill fill = {.kind = TILE_RT_FILL_NORMAL, .seed = seed};
  if (!tile_rt_tensor_alloc(&t, TILE_RT_F32, 1, shape, 0, &error) ||
      !tile_rt_fill(&t, &fill, &error)) {
    fprintf(stderr, "bench-cpu: %s\n", error.message);
    exit(1);
  }
  return t.data;
}

static MemRef2 matrix(float *data, int64_t rows, int64_t columns) {
  return (MemRef2){data, data, 0, {rows, columns}, {columns, 1}};
}

static MemRef1 vector(float *data, int64_t count) {
  return (MemRef1){data, data, 0, {count}, {1}};
}

enum { GEMM = 1024, ROWS = 16384, COLUMNS = 4096 };
static const int64_t kElements = (int64_t)ROWS * COLUMNS;
static float *a, *b, *c, *peer_c, *x, *y, *z;

static void run_gemm(void) {
  MemRef2 ma = matrix(a, GEMM, GEMM), mb = matrix(b, GEMM, GEMM);
  MemRef2 mc = matrix(c, GEMM, GEMM);
  _mlir_ciface_gemm(&ma, &mb, &mc);
}

static void run_blas(void) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, GEMM, GEMM, GEMM, 1.0f,
              a, GEMM, b, GEMM, 0.0f, peer_c, GEMM);
}

static void run_softmax(void) {
  MemRef2 mx = matrix(x, ROWS, COLUMNS), my = matrix(y, ROWS, COLUMNS);
  _mlir_ciface_softmax(&mx, &my);
}

static void run_elementwise(void) {
  MemRef1 mx = vector(x, kElements), mz = vector(z, kElements);
  MemRef1 my = vector(y, kElements);
  _mlir_ciface_relu_product(&mx, &mz, &my);
}

// Whole megabytes a call: large enough for the C library's best path, small enough to share out.
enum { CHUNK = 1 << 20 };

static void copy_chunks(void *context, int64_t begin, int64_t end) {
  (void)context;
  for (int64_t i = begin; i < end; ++i)
    memcpy((char *)y + i * CHUNK, (char *)x + i * CHUNK, CHUNK);
}

static void run_copy(void) {
  tile_rt_parallel_for(copy_chunks, NULL, kElements * 4 / CHUNK, 1);
}

static double seconds(void (*run)(void)) {
  int64_t start = tile_rt_now_ns();
  run();
  return (double)(tile_rt_now_ns() - start) * 1e-9;
}

static void measure(const Case *k, int repeats) {
  double ours[MAX_REPEATS], peers[MAX_REPEATS];
  k->run();
  k->run_peer();
  for (int i = 0; i < repeats; ++i) {
    if (i % 2)
      peers[i] = seconds(k->run_peer);
    ours[i] = seconds(k->run);
    if (i % 2 == 0)
      peers[i] = seconds(k->run_peer);
  }
  double rate = k->work / tile_rt_median(ours, repeats);
  double peer_rate = k->peer_work / tile_rt_median(peers, repeats);
  printf("%-14s %-14s %8.1f %-8s %-18s %8.1f %8.2f\n", k->name, k->shape, rate,
         k->unit, k->peer, peer_rate, rate / peer_rate);
}

// A benchmark of wrong results is worth nothing.
static int check_gemm(void) {
  run_gemm();
  run_blas();
  for (int64_t i = 0; i < (int64_t)GEMM * GEMM; ++i)
    if (!(fabsf(c[i] - peer_c[i]) <= 1e-3f + 1e-4f * fabsf(peer_c[i]))) {
      fprintf(stderr, "bench-cpu: element %lld: expected %g, got %g\n",
              (long long)i, peer_c[i], c[i]);
      return 0;
    }
  return 1;
}

int main(int argc, char **argv) {
  int repeats = argc > 1 ? atoi(argv[1]) : 11;
  if (repeats < 1 || repeats > MAX_REPEATS) {
    fprintf(stderr, "bench-cpu: expected 1 to %d repeats, got '%s'\n",
            MAX_REPEATS, argv[1]);
    return 1;
  }
  openblas_set_num_threads((int)tile_rt_num_threads());
  int64_t square = (int64_t)GEMM * GEMM;
  a = buffer(square, 1), b = buffer(square, 2);
  c = buffer(square, 3), peer_c = buffer(square, 4);
  x = buffer(kElements, 5), y = buffer(kElements, 6), z = buffer(kElements, 7);
  if (!check_gemm())
    return 1;
  double bytes = (double)kElements * 4 * 1e-9;
  const Case cases[] = {
      {"gemm f32", "1024^3", "OpenBLAS sgemm", "GFLOP/s", 2.147483648,
       2.147483648, run_gemm, run_blas},
      {"softmax f32", "16384x4096", "memcpy", "GB/s", 2 * bytes, 2 * bytes,
       run_softmax, run_copy},
      {"relu(a*b) f32", "67108864", "memcpy", "GB/s", 3 * bytes, 2 * bytes,
       run_elementwise, run_copy},
  };
  printf("%lld threads, median of %d\n", (long long)tile_rt_num_threads(),
         repeats);
  printf("%-14s %-14s %8s %-8s %-18s %8s %8s\n", "kernel", "shape", "tile", "",
         "peer", "peer", "ratio");
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
    measure(&cases[i], repeats);
  return 0;
}
