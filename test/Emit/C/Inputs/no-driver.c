/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls matmul_relu with tensors of a GPU that is not there. */
#include "tile_matmul_relu.h"

#include <stdio.h>

#ifndef DEVICE
#define DEVICE TILE_RT_DL_CUDA
#endif

int main(void) {
  int64_t shape[] = {4, 4};
  char error[256] = "";
  TileRtDLTensor t = {.data = error,
                      .device = {DEVICE, 0},
                      .ndim = 2,
                      .dtype = {2, 16, 1},
                      .shape = shape};
  if (tile_matmul_relu(&t, &t, &t, NULL, error, sizeof(error)))
    return 1;
  printf("%s\n", error);
  return 0;
}
