/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which version of a kernel a call takes, on a driver without a GPU.
 *
 * usage: TILE_CUDA_DRIVER=libFakeCUDA.so FAKE_CUDA_DEVICES=1 versions
 */
#define _GNU_SOURCE
#include "tile_rows.h"

#include "FakeCUDA.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FakeCudaState *(*get)(void);

static void call(int64_t m, int64_t k, uint64_t offset, int64_t rows) {
  _Alignas(64) static unsigned char x[1 << 16], y[1 << 16];
  static char text[1024];
  int64_t shape[] = {m, k}, other[] = {rows, k};
  TileRtDLTensor a = {.data = x,
                      .byte_offset = offset,
                      .device = {TILE_RT_DL_CUDA, 0},
                      .ndim = 2,
                      .dtype = {2, 16, 1},
                      .shape = shape};
  TileRtDLTensor b = a;
  b.data = y;
  b.byte_offset = 0;
  b.shape = other;
  int before = get()->launches;
  bool good = tile_rows(&a, &b, NULL, text, sizeof(text));
  printf("%d x %d at %d: %s\n", (int)m, (int)k, (int)offset,
         !good                            ? text
         : get()->launches == before ? "nothing is launched"
                                     : get()->launched);
}

int main(void) {
  void *driver = dlopen(getenv("TILE_CUDA_DRIVER"), RTLD_NOW);
  void *found = driver ? dlsym(driver, "fakeCudaState") : NULL;
  memcpy(&get, &found, sizeof(found));
  if (!found)
    return 1;
  call(64, 64, 0, 64);
  call(100, 72, 0, 100);
  call(100, 72, 16, 100);
  call(100, 72, 8, 100);
  call(100, 72, 2, 100);
  call(100, 74, 0, 100);
  call(100, 73, 0, 100);
  call(0, 64, 0, 0);
  call(64, 0, 0, 64);
  call(64, 64, 0, 63);
  call(64, 64, 1, 64);
  call(64, 64, 0, 64);
  return 0;
}
