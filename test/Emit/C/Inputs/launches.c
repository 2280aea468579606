/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two kernels of one function on a driver without a GPU: both are launched, in
 * their order, or none.
 *
 * usage: TILE_CUDA_DRIVER=libFakeCUDA.so FAKE_CUDA_DEVICES=1 launches
 * Compiled with -DCHIP="gfx942": TILE_HIP_LIBRARY=libFakeHIP.so launches
 */
#define _GNU_SOURCE
#include "tile_twostep.h"

#ifdef CHIP
#include "FakeDriver.h"
typedef FakeDriverState State;
#define LIBRARY "TILE_HIP_LIBRARY"
#define GET "fakeDriverState"
#define DEVICE TILE_RT_DL_ROCM
#else
#include "FakeCUDA.h"
typedef FakeCudaState State;
#define LIBRARY "TILE_CUDA_DRIVER"
#define GET "fakeCudaState"
#define DEVICE TILE_RT_DL_CUDA
#endif

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  _Alignas(64) static float x[256], y[256], z[256];
  static char text[1024];
  int64_t shape = 256, other = 255;
  TileRtDLTensor a = {.data = x,
                      .device = {DEVICE, 0},
                      .ndim = 1,
                      .dtype = {2, 32, 1},
                      .shape = &shape};
  TileRtDLTensor b = a, c = a;
  b.data = y;
  c.data = z;
  void *driver = dlopen(getenv(LIBRARY), RTLD_NOW);
  void *found = driver ? dlsym(driver, GET) : NULL;
  State *(*get)(void);
  memcpy(&get, &found, sizeof(found));
  if (!found)
    return 1;
#ifdef CHIP
  get()->chip = CHIP ":sramecc+:xnack-";
#endif
  for (int i = 0; i < 2; ++i) {
    bool good = tile_twostep(&a, &b, &c, NULL, text, sizeof(text));
    printf("%s: %d launches, %d modules, the last of %s\n", good ? "ok" : text,
           get()->launches, get()->modules, get()->function);
  }
  c.shape = &other;
  bool good = tile_twostep(&a, &b, &c, NULL, text, sizeof(text));
  printf("%s: %d launches\n", good ? "ok" : text, get()->launches);
  /* The same function on the CPU. */
  c.shape = &shape;
  a.device.device_type = b.device.device_type = c.device.device_type =
      TILE_RT_DL_CPU;
  for (int i = 0; i < 256; ++i)
    x[i] = (float)i;
  good = tile_twostep(&a, &b, &c, NULL, text, sizeof(text));
  printf("%s: z[5] = %g, z[255] = %g\n", good ? "ok" : text, z[5], z[255]);
  return 0;
}
