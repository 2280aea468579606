// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the f32 matrix product of one library, alone in its process: threads of another one, which spin while they wait for
// work, would take its time. gemm-peers.sh runs them in turns. LIBRARY is the one that the program was compiled for.
//
// usage: gemm-LIBRARY M N K [repeats]     prints the median in GFLOP/s

#include "TileRuntime/Clock.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(PEER_OPENBLAS)
#include <cblas.h>
static void multiply(int m, int n, int k, const float *a, const float *b, float *c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
}
#elif defined(PEER_ONEDNN)
#include <dnnl.h>
static void multiply(int m, int n, int k, const float *a, const float *b, float *c) {
  if (dnnl_sgemm('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n) != dnnl_success)
    exit(1);
}
#else
typedef struct {
  const float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;
void _mlir_ciface_gemm(Matrix *a, Matrix *b, Matrix *c);
static Matrix matrix(const float *data, int64_t rows, int64_t columns) {
  return (Matrix){data, data, 0, {rows, columns}, {columns, 1}};
}
static void multiply(int m, int n, int k, const float *a, const float *b, float *c) {
  Matrix x = matrix(a, m, k), y = matrix(b, k, n), z = matrix(c, m, n);
  _mlir_ciface_gemm(&x, &y, &z);
}
#endif

enum { MAX_REPEATS = 1001 };

static float *fill(int64_t count) {
  float *data = aligned_alloc(64, ((size_t)count * sizeof(float) + 63) / 64 * 64);
  if (!data) {
    fputs("gemm: out of memory\n", stderr);
    exit(1);
  }
  for (int64_t i = 0; i < count; ++i)
    data[i] = (float)(rand() % 2001 - 1000) / 1000;
  return data;
}

/// Some elements against sums in double precision.
static void check(int m, int n, int k, const float *a, const float *b, const float *c) {
  for (int t = 0; t < 1000; ++t) {
    int i = rand() % m, j = rand() % n;
    double sum = 0, size = 0;
    for (int s = 0; s < k; ++s) {
      double term = (double)a[(int64_t)i * k + s] * b[(int64_t)s * n + j];
      sum += term;
      size += fabs(term);
    }
    if (!(fabs(sum - c[(int64_t)i * n + j]) <= 1e-5 * size)) {
      fprintf(stderr, "gemm: expected %g at %d, %d, got %g\n", sum, i, j, c[(int64_t)i * n + j]);
      exit(1);
    }
  }
}

int main(int argc, char **argv) {
  int m = argc > 3 ? atoi(argv[1]) : 0, n = argc > 3 ? atoi(argv[2]) : 0, k = argc > 3 ? atoi(argv[3]) : 0;
  int repeats = argc > 4 ? atoi(argv[4]) : 25;
  if (m < 1 || n < 1 || k < 1 || repeats < 1 || repeats > MAX_REPEATS) {
    fprintf(stderr, "usage: %s M N K [repeats, 1 to %d]\n", argv[0], MAX_REPEATS);
    return 2;
  }
  float *a = fill((int64_t)m * k), *b = fill((int64_t)k * n), *c = fill((int64_t)m * n);
  static double nanoseconds[MAX_REPEATS];
  for (int i = 0; i < 3; ++i)
    multiply(m, n, k, a, b, c);
  check(m, n, k, a, b, c);
  for (int i = 0; i < repeats; ++i) {
    int64_t start = tile_rt_now_ns();
    multiply(m, n, k, a, b, c);
    nanoseconds[i] = (double)(tile_rt_now_ns() - start);
  }
  printf("%.1f\n", 2.0 * m * n * k / tile_rt_median(nanoseconds, repeats));
  return 0;
}
