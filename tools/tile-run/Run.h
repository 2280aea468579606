// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one case and judges its results.

#ifndef TILE_RUN_RUN_H
#define TILE_RUN_RUN_H

#include "Case.h"
#include "TileRuntime/Device.h"

typedef struct TileRunOutcome {
  bool passed;  ///< true if nothing was checked, too
  bool checked; ///< there was something to compare with
  bool ran;     ///< the times are valid
  double maxAbsolute, maxRelative;
  double seconds;      ///< of the first run, or the median of timed ones
  double minimum;      ///< of timed runs
  TileRunWork work;    ///< of timed runs on a GPU
  TileRtError message; ///< if not passed
} TileRunOutcome;

/// Where cases run that do not run on the CPU.
typedef struct TileRunDevice {
  TileRtDevice *device; ///< null where cases are saved
  const char *chip;     ///< to compile for
  bool isShared;        ///< it is not closed here
} TileRunDevice;

/// Runs the case, whose file has been compiled. Writes the files of --out if
/// the function ran, whether or not its results are right. `device` is null for
/// the CPU.
void tile_run_case(const TileRunCase *c, const TileRunOptions *options,
                   const TileRunDevice *device, TileRunOutcome *outcome);

/// Whether an argument is compared with the reference's: those marked as
/// results, or all tensors if nothing is.
bool tile_run_is_result(const TileRunCase *c, int32_t index);

/// Makes a crash in compiled code end the process with one line and exit code
/// 1.
void tile_run_catch_crashes(void);

/// Does the same where an assertion of compiled code fails.
int tile_run_failed_assertion(const char *message);

#endif // TILE_RUN_RUN_H
