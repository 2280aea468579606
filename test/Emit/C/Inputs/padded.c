/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tensor maps of workspaces, on a driver without a GPU: the last kernel of a
 * call, and its last map.
 *
 * usage: TILE_CUDA_DRIVER=libFakeCUDA.so FAKE_CUDA_DEVICES=1 padded
 */
#define _GNU_SOURCE
#include "tile_product.h"

#include "FakeCUDA.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FakeCudaState *(*get)(void);
static _Alignas(64) unsigned char memory[3][1 << 18];

static void call(int64_t m, int64_t n, int64_t k, bool captured) {
  static char text[1024];
  int64_t shapes[3][2] = {{m, k}, {n, k}, {m, n}};
  TileRtDLTensor tensors[3];
  for (int i = 0; i < 3; ++i)
    tensors[i] = (TileRtDLTensor){.data = memory[i],
                                  .device = {TILE_RT_DL_CUDA, 0},
                                  .ndim = 2,
                                  .dtype = {2, 16, 1},
                                  .shape = shapes[i]};
  get()->captured = captured;
  bool good = tile_product(&tensors[0], &tensors[1], &tensors[2],
                           captured ? text : NULL, text, sizeof(text));
  get()->captured = false;
  if (!good) {
    printf("%s\n", text);
    return;
  }
  const FakeCudaMap *map = &get()->map;
  const unsigned char *at = map->address;
  int owner = -1;
  for (int i = 0; i < 3; ++i)
    if (at >= memory[i] && at < memory[i] + sizeof(memory[i]))
      owner = i;
  printf("%d x %d x %d: %s, %d kernels, a map of %d x %d in ", (int)m, (int)n,
         (int)k, get()->launched, get()->launches, (int)map->sizes[1],
         (int)map->sizes[0]);
  if (owner >= 0)
    printf("argument %d\n", owner);
  else
    printf("memory of %s, at %d of 256\n", captured ? "the graph" : "its own",
           (int)((uintptr_t)at % 256));
  if (captured)
    printf("  %d allocations and %d frees in the graph\n",
           get()->graphAllocations, get()->graphFrees);
  get()->launches = 0;
}

int main(void) {
  void *driver = dlopen(getenv("TILE_CUDA_DRIVER"), RTLD_NOW);
  void *found = driver ? dlsym(driver, "fakeCudaState") : NULL;
  memcpy(&get, &found, sizeof(found));
  if (!found)
    return 1;
  call(64, 64, 128, false);
  call(64, 65, 128, false);
  call(64, 65, 129, false);
  call(200, 100, 300, false);
  call(200, 100, 301, false);
  call(64, 64, 65, false);
  call(200, 100, 301, true);
  call(200, 100, 301, false);
  return 0;
}
