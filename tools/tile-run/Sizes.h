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

/// What an extent is of the size that it names.
typedef enum TileRunFormula {
  TILE_RUN_SAME,
  TILE_RUN_SUM,     ///< "K + 1", "K - 1"
  TILE_RUN_PRODUCT, ///< "K * 2"
  TILE_RUN_FLOORDIV,
  TILE_RUN_CEILDIV
} TileRunFormula;

/// An extent as it is written: a name, or a number if the name is empty.
typedef struct TileRunExtent {
  char name[TILE_RUN_MAX_NAME];
  int64_t value;
  int64_t multiple; ///< the name is a positive one of it; 0 for any
  TileRunFormula formula;
  int64_t number; ///< the second operand of the formula
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

/// Parses "MxNx8", "MxK%8" and "Nxceildiv(K, 2)"; fills at most
/// TILE_RT_MAX_RANK extents.
bool tile_run_extents_parse(const char *text, TileRunExtent *extents,
                            int32_t *rank, TileRtError *error);

/// The value of an extent that names a size of that value; false where it has
/// none of 64 bits, or a negative one.
bool tile_run_extent_apply(const TileRunExtent *extent, int64_t size,
                           int64_t *value);

#endif // TILE_RUN_SIZES_H
