// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function together with all that one run of it needs to know.

#ifndef TILE_RUN_CASE_H
#define TILE_RUN_CASE_H

#include "Options.h"
#include "Sizes.h"
#include "Spec.h"

enum { TILE_RUN_MAX_LABEL = 256 };

typedef struct TileRunArgument {
  TileRunSpec spec;
  int64_t shape[TILE_RT_MAX_RANK];
  TileRtTensor given;    ///< read from a file, or empty
  TileRtTensor expected; ///< --check=IDX:FILE.npy, or empty
  const char *output;    ///< --out, or null
} TileRunArgument;

typedef struct TileRunCase {
  const TileRunFile *file;
  const TileRunFunction *function;
  const TileRunFunction *reference; ///< or null; on a CPU
  const TileRunImage *image;        ///< of the function, or null
  const TileRunImage *referenceImage;
  TileRunSizes sizes;
  char label[TILE_RUN_MAX_LABEL]; ///< the sizes, "-" if there are none
  TileRunArgument *arguments;     ///< as many as the function has
  double atol, rtol;
} TileRunCase;

typedef struct TileRunCaseList {
  int32_t count;
  TileRunCase *items;
} TileRunCaseList;

/// Appends the cases of a function: that of the sizes, shapes and files of the
/// command line, or else those of tile.cases. Finds shapes, reads files and
/// checks all that can be checked before anything runs.
bool tile_run_plan(TileRunCaseList *cases, const TileRunOptions *options,
                   const TileRunFile *file, const TileRunFunction *function,
                   TileRtError *error);

/// Whether a parameter of the function has that size.
bool tile_run_has_size(const TileRunFunction *function, const char *name);

/// The function of that name, or null.
const TileRunFunction *tile_run_find_function(const TileRunFile *file,
                                              const char *name);

void tile_run_cases_free(TileRunCaseList *cases);

#endif // TILE_RUN_CASE_H
