// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text header of a .npy file: a Python dictionary.

#ifndef TILERUNTIME_LIB_NPYHEADER_H
#define TILERUNTIME_LIB_NPYHEADER_H

#include "TileRuntime/Tensor.h"

typedef struct NpyHeader {
  char descr[16];
  bool fortranOrder;
  int32_t rank;
  int64_t shape[TILE_RT_MAX_RANK];
} NpyHeader;

/// Parses `size` characters. Errors start with `path`.
bool tile_rt_npy_parse_header(const char *path, const char *text, size_t size,
                              NpyHeader *header, TileRtError *error);

#endif // TILERUNTIME_LIB_NPYHEADER_H
