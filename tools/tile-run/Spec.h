// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an argument contains at first: the texts of --arg and tile.init.

#ifndef TILE_RUN_SPEC_H
#define TILE_RUN_SPEC_H

#include "Sizes.h"

#include "TileRuntime/Fill.h"

/// A bound: a number, or a size and what is added to it.
typedef struct TileRunBound {
  char size[TILE_RUN_MAX_NAME]; ///< empty: none
  int64_t number;
} TileRunBound;

typedef struct TileRunSpec {
  enum { TILE_RUN_FILL, TILE_RUN_NUMBER, TILE_RUN_FILE } kind;
  TileRtFill fill;
  TileRunBound low, high; ///< of a fill with integers
  double number;
  bool isInteger; ///< the number is `integer`, exactly
  int64_t integer;
  const char *path;
} TileRunSpec;

/// Parses a text, which must live on. `who` starts the error.
bool tile_run_spec_parse(TileRunSpec *spec, const char *text, const char *who,
                         TileRtError *error);

/// Gives the bounds of a fill their numbers.
bool tile_run_spec_resolve(TileRunSpec *spec, const TileRunSizes *sizes,
                           const char *who, TileRtError *error);

/// What a tensor gets when nobody says: normal numbers, or small integers.
TileRunSpec tile_run_spec_default(TileRtDType dtype);

/// Fills the tensor, from anything but a file.
bool tile_run_spec_fill(const TileRunSpec *spec, const char *who, uint64_t seed,
                        uint64_t argument, TileRtTensor *tensor,
                        TileRtError *error);

#endif // TILE_RUN_SPEC_H
