/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls the C file of matmul_relu: compares with a plain loop, then calls it
 * wrongly. aot-gemm.test holds what is expected.
 */
#include "tile_matmul_relu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMax = 300 * 300 };

static uint16_t a[kMax], b[kMax], c[kMax];
static char error[512];

/// f16 from a small number with a short fraction, which it holds exactly.
static uint16_t encode(double x) {
  int exponent = 0;
  if (x == 0)
    return 0;
  double fraction = frexp(fabs(x), &exponent); // in [0.5, 1)
  return (uint16_t)((x < 0 ? 0x8000 : 0) | (exponent + 14) << 10 |
                    (int)(fraction * 2048) % 1024);
}

static double decode(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double x =
      exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  return bits >> 15 ? -x : x;
}

typedef struct Call {
  int64_t shapes[3][2], strides[3][2];
  TileRtDLTensor tensors[3];
} Call;

static void prepare(Call *call, int64_t m, int64_t n, int64_t k) {
  const int64_t sizes[3][2] = {{m, k}, {k, n}, {m, n}};
  uint16_t *data[] = {a, b, c};
  for (int i = 0; i < 3; ++i) {
    memcpy(call->shapes[i], sizes[i], sizeof(sizes[i]));
    call->strides[i][0] = sizes[i][1];
    call->strides[i][1] = 1;
    call->tensors[i] = (TileRtDLTensor){.data = data[i],
                                        .device = {TILE_RT_DL_CPU, 0},
                                        .ndim = 2,
                                        .dtype = {2, 16, 1},
                                        .shape = call->shapes[i],
                                        .strides = call->strides[i]};
  }
}

static bool run(const Call *call) {
  return tile_matmul_relu(&call->tensors[0], &call->tensors[1],
                          &call->tensors[2], NULL, error, sizeof(error));
}

/// Products and sums of small multiples of 1/4 are exact in f32, and the result
/// is rounded once.
static void check(int64_t m, int64_t n, int64_t k) {
  Call call;
  prepare(&call, m, n, k);
  for (int64_t i = 0; i < kMax; ++i) {
    a[i] = encode((double)(rand() % 9 - 4) / 4);
    b[i] = encode((double)(rand() % 9 - 4) / 4);
    c[i] = 0x7E00;
  }
  if (!run(&call)) {
    printf("%s\n", error);
    exit(1);
  }
  double worst = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += decode(a[i * k + l]) * decode(b[l * n + j]);
      sum = sum > 0 ? sum : 0;
      double off = fabs(decode(c[i * n + j]) - sum);
      worst = fmax(worst, isnan(off) ? INFINITY : off / fmax(sum, 1));
    }
  printf("%d %d %d: %s\n", (int)m, (int)n, (int)k,
         worst <= 1.0 / 2048 && (m * n == kMax || c[m * n] == 0x7E00)
             ? "right"
             : "wrong");
}

static void refuse(const char *what, const Call *call) {
  printf("%s: %s\n", what, run(call) ? "accepted" : error);
}

int main(void) {
  Call call;
  check(256, 128, 96);
  check(130, 65, 33);
  check(1, 1, 1);
  check(5, 300, 0);
  check(0, 7, 3);
  prepare(&call, 8, 8, 8);
  printf("null tensor: %s\n",
         tile_matmul_relu(NULL, &call.tensors[1], &call.tensors[2], NULL, error,
                          sizeof(error))
             ? "accepted"
             : error);
  call.tensors[1].data = NULL;
  refuse("null", &call);
  prepare(&call, 8, 8, 8);
  call.tensors[2].dtype.bits = 32;
  refuse("dtype", &call);
  prepare(&call, 8, 8, 8);
  call.tensors[1].ndim = 3;
  refuse("rank", &call);
  prepare(&call, 8, 8, 8);
  call.shapes[1][0] = 9;
  refuse("shape", &call);
  prepare(&call, 8, 8, 8);
  call.strides[0][0] = 16;
  refuse("stride", &call);
  prepare(&call, 8, 8, 8);
  call.tensors[0].byte_offset = 1;
  refuse("alignment", &call);
  prepare(&call, 8, 8, 8);
  call.tensors[2].device.device_type = TILE_RT_DL_CUDA;
  refuse("device", &call);
  call.tensors[0].device.device_type = TILE_RT_DL_ROCM;
  refuse("other device", &call);
  prepare(&call, 8, 8, 8);
  call.shapes[2][0] = -1;
  refuse("size", &call);
  char small[8] = "";
  bool good = tile_matmul_relu(NULL, NULL, NULL, NULL, small, sizeof(small));
  printf("cut: %d %s\n", good, small);
  good = tile_matmul_relu(NULL, NULL, NULL, NULL, NULL, 0);
  printf("no room: %d\n", good);
  return 0;
}
