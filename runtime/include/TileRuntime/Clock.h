// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time and progress.

#ifndef TILERUNTIME_CLOCK_H
#define TILERUNTIME_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Nanoseconds of a clock that never goes back.
int64_t tile_rt_now_ns(void);

/// The median, the mean of the middle two for an even count, NaN for none.
/// Sorts the samples.
double tile_rt_median(double *samples, int64_t count);

/// Lines such as "[ 3/10] what … 1.2 s" for the steps of a longer task. A
/// terminal shows each step from its beginning; another stream gets a line at
/// the end of each step once the task has taken more than two seconds.
typedef struct TileRtProgress {
  FILE *stream;
  bool terminal;
  int64_t total; ///< steps of the task
  int64_t step;  ///< the current one, from 1
  int64_t startNs;
  int64_t stepNs;
  const char *what;
} TileRtProgress;

/// Starts the task, on stderr.
void tile_rt_progress_start(TileRtProgress *progress, int64_t total);

/// Begins the next step; `what` must live until its end.
void tile_rt_progress_begin(TileRtProgress *progress, const char *what);

/// Ends the step.
void tile_rt_progress_end(TileRtProgress *progress);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_CLOCK_H
