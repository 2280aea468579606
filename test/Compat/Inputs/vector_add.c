/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A client of the C file of vector_add. */
#include "tile_vector_add.h"

#include <stdio.h>

enum { kCount = 1000 };

int main(void) {
  static float a[kCount], b[kCount], c[kCount];
  int64_t shape[] = {kCount, 1};
  char error[256] = "";
  float *data[] = {a, b, c};
  TileRtDLTensor tensors[3];
  for (int i = 0; i < 3; ++i)
    tensors[i] = (TileRtDLTensor){.data = data[i],
                                  .device = {TILE_RT_DL_CPU, 0},
                                  .ndim = 1,
                                  .dtype = {2, 32, 1},
                                  .shape = shape};
  for (int i = 0; i < kCount; ++i) {
    a[i] = (float)i;
    b[i] = (float)(2 * i);
    c[i] = -1;
  }
  if (!tile_vector_add(&tensors[0], &tensors[1], &tensors[2], NULL, error,
                       sizeof(error))) {
    puts(error);
    return 1;
  }
  int right = 0;
  for (int i = 0; i < kCount; ++i)
    right += c[i] == (float)(3 * i);
  printf("%d right\n", right);
  tensors[1].ndim = 2;
  bool accepted = tile_vector_add(&tensors[0], &tensors[1], &tensors[2], NULL,
                                  error, sizeof(error));
  puts(accepted ? "accepted" : error);
  return 0;
}
