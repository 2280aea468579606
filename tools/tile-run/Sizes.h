// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named sizes ("M=64 N=32") and shapes that are written with them ("MxNx8").

#ifndef TILE_RUN_SIZES_H
#define TILE_RUN_SIZES_H

#include "TileRuntime/Tensor.h"

enum { TILE_RUN_MAX_SIZES = 32, TILE_RUN_MAX_NAME = 32 };

typedef struct TileRunSizes {
  int32_t count;
  struct {
    char name[TILE_RUN_MAX_NAME];
    int64_t value;
  } items[TILE_RUN_MAX_SIZES];
} TileRunSizes;

/// An extent as it is written: a name, or a number if the name is empty.
typedef struct TileRunExtent {
  char name[TILE_RUN_MAX_NAME];
  int64_t value;
  int64_t multiple; ///< the name is a positive one of it; 0 for any
} TileRunExtent;

/// Adds all "NAME=NUMBER" of a text, separated by spaces.
bool tile_run_sizes_parse(TileRunSizes *sizes, const char *text,
                          TileRtError *error);

/// The value of a name, or -1.
int64_t tile_run_sizes_find(const TileRunSizes *sizes, const char *name);

/// Sets a name's value; it is an error if it has another one.
bool tile_run_sizes_bind(TileRunSizes *sizes, const char *name, int64_t value,
                         TileRtError *error);

/// Writes "M=64 N=32".
void tile_run_sizes_format(const TileRunSizes *sizes, char *buffer,
                           size_t size);

/// Parses "MxNx8" and "MxK%8"; fills at most TILE_RT_MAX_RANK extents.
bool tile_run_extents_parse(const char *text, TileRunExtent *extents,
                            int32_t *rank, TileRtError *error);

#endif // TILE_RUN_SIZES_H
