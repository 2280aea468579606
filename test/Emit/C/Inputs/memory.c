/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls a kernel with workspaces that no machine has memory for. */
#include "tile_workspace.h"

#include <inttypes.h>
#include <stdio.h>

int main(void) {
  static const int64_t rows[] = {4, INT64_C(1) << 46, (INT64_C(1) << 56) + 1,
                                 -1, 4};
  float in[100], out[100];
  int64_t shape[] = {100};
  for (int i = 0; i < 100; ++i)
    in[i] = (float)i;
  TileRtDLTensor x = {.data = in,
                      .device = {TILE_RT_DL_CPU, 0},
                      .ndim = 1,
                      .dtype = {2, 32, 1},
                      .shape = shape};
  TileRtDLTensor y = x;
  y.data = out;
  for (int i = 0; i < 5; ++i) {
    char error[256] = "";
    int wrong = 0;
    bool good = tile_workspace(&x, rows[i], &y, NULL, error, sizeof(error));
    for (int k = 0; good && k < 100; ++k)
      wrong += out[k] != 2 * in[k];
    printf("%" PRId64 ": %s\n", rows[i], good && !wrong ? "right" : error);
  }
  return 0;
}
