// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of tile-run.

#ifndef TILE_RUN_OPTIONS_H
#define TILE_RUN_OPTIONS_H

#include "Engine.h"
#include "TileRuntime/Comm.h"

/// "2:text": something that concerns one argument.
typedef struct TileRunIndexed {
  int32_t index;
  const char *text;
} TileRunIndexed;

typedef struct TileRunIndexedList {
  int32_t count;
  TileRunIndexed *items;
} TileRunIndexedList;

typedef struct TileRunStringList {
  int32_t count;
  const char **items;
} TileRunStringList;

typedef struct TileRunOptions {
  TileRunStringList files;
  TileRunStringList functions; ///< --func
  TileRunStringList sizes;     ///< "M=64", with a name and a number
  TileRunStringList parameters; ///< --param, "BM=64"
  TileRunIndexedList arguments, shapes, outputs, checkFiles;
  const char *check; ///< the function to check against, "none", or null
  bool hasAtol, hasRtol;
  double atol, rtol;
  uint64_t seed;
  int32_t repeats; ///< of timed runs, 0 for no timing
  const char *trace; ///< the file of a timeline
  bool checkAssumptions;
  bool quiet; ///< no notes
  const char *target; ///< a back end of the driver
  bool onDevice;      ///< the target is not in this process
  const char *chip;   ///< --chip, or null
  bool model;         ///< --device=model
  bool ptxas;         ///< --ptxas
  const char *save;   ///< --save, or null
  bool flushL2;
  bool json;           ///< --json
  const char *tuning;  ///< --tuning, or null
  const char *estimate; ///< --estimate: "text", "json", or null
  TileRunDump dump;
  const char *provider; ///< --comm, or null
  TileRtComm *comm; ///< of the provider; the tool opens and closes it
  bool help, version;
} TileRunOptions;

/// Parses the command line, whose strings must live on. On failure, too, the
/// options may be freed.
bool tile_run_options_parse(TileRunOptions *options, int argc,
                            const char *const *argv, TileRtError *error);
void tile_run_options_free(TileRunOptions *options);

/// Prints what --help promises, to stdout.
void tile_run_options_help(void);

/// The text for that argument, or null.
const char *tile_run_indexed_find(const TileRunIndexedList *list,
                                  int32_t index);

/// Whether the whole text is a number; both do not accept an empty one.
bool tile_run_parse_int(const char *text, int64_t *value);
bool tile_run_parse_double(const char *text, double *value);

#endif // TILE_RUN_OPTIONS_H
