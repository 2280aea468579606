/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a call of a C file costs on an NVIDIA GPU, beside the driver's launch
 * alone, which only the file itself can make:
 *
 *   tile-translate --mlir-to-c --c-targets=sm_90a --c-kernel=matmul_relu
 *       examples/matmul_relu.mlir -o tile_matmul_relu.c   (and its header)
 *   gcc -std=c11 -O2 -I. benchmarks/aot/call.c -o call && ./call
 */
#include "tile_matmul_relu.c"

#include <time.h>

enum { kSamples = 200, kCalls = 50 };

static const Report report = {(char[512]){""}, 512};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *what, double *samples) {
  qsort(samples, kSamples, sizeof(*samples), compare);
  printf("%s: median %.2f us, min %.2f us\n", what, samples[kSamples / 2],
         samples[0]);
}

/// Three matrices of 1 MiB on device 0; false without one.
static bool allocate(CudaCode **device, uint64_t memory[3],
                     int32_t (**sync)(void)) {
  int32_t (*alloc)(uint64_t *, size_t) = NULL;
  pthread_mutex_lock(&cudaLock);
  *device = cudaGet(&report, 0);
  pthread_mutex_unlock(&cudaLock);
  void *library = *device ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
  if (!library)
    return false;
  void *found = dlsym(library, "cuMemAlloc_v2");
  memcpy(&alloc, &found, sizeof(found));
  found = dlsym(library, "cuCtxSynchronize");
  memcpy(sync, &found, sizeof(found));
  cuda.push((*device)->context);
  for (int i = 0; i < 3; ++i)
    if (alloc(&memory[i], 1 << 20) != 0)
      return false;
  return true;
}

int main(void) {
  static double checked[kSamples], bare[kSamples];
  uint64_t memory[3] = {0};
  int32_t (*sync)(void) = NULL;
  CudaCode *device = NULL, code;
  if (!allocate(&device, memory, &sync)) {
    printf("%s\n", report.text);
    return 1;
  }
  int64_t shapes[3][2] = {{128, 32}, {32, 128}, {128, 128}};
  TileRtDLTensor t[3];
  for (int i = 0; i < 3; ++i)
    t[i] = (TileRtDLTensor){.data = (void *)(uintptr_t)memory[i],
                            .device = {TILE_RT_DL_CUDA, 0},
                            .ndim = 2,
                            .dtype = {2, 16, 1},
                            .shape = shapes[i]};
  code = *device;
  if (!cudaLoad(&report, &code, image_cuda_sm_90a_0, "matmul_relu_0"))
    return 1;
  void *parameters[] = {&memory[0], &shapes[0][0], &shapes[0][1],
                        &memory[1], &shapes[1][0], &shapes[1][1],
                        &memory[2], &shapes[2][0], &shapes[2][1]};
  for (int k = 0; k < kSamples; ++k) {
    sync();
    double start = now();
    for (int i = 0; i < kCalls; ++i)
      if (!tile_matmul_relu(&t[0], &t[1], &t[2], NULL, report.text,
                            report.size)) {
        printf("%s\n", report.text);
        return 1;
      }
    checked[k] = (now() - start) / kCalls;
    sync();
    start = now();
    for (int i = 0; i < kCalls; ++i) {
      CudaLaunch launch = {
          .grid = {1, 1, 1}, .block = {128, 1, 1}, .shared = 16384};
      if (cuda.launch(&launch, code.function, parameters, NULL) != 0)
        return 1;
    }
    bare[k] = (now() - start) / kCalls;
  }
  print("tile_matmul_relu from C", checked);
  print("cuLaunchKernelEx alone", bare);
  return 0;
}
