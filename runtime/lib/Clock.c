// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/Clock.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int64_t tile_rt_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compareDoubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double tile_rt_median(double *samples, int64_t count) {
  if (count <= 0)
    return NAN;
  qsort(samples, (size_t)count, sizeof(*samples), compareDoubles);
  int64_t middle = count / 2;
  return count % 2 ? samples[middle]
                   : samples[middle - 1] / 2 + samples[middle] / 2;
}

void tile_rt_progress_start(TileRtProgress *progress, int64_t total) {
  *progress = (TileRtProgress){.stream = stderr,
                               .terminal = isatty(STDERR_FILENO) == 1,
                               .total = total,
                               .startNs = tile_rt_now_ns()};
}

static void printStep(const TileRtProgress *progress) {
  int width = snprintf(NULL, 0, "%lld", (long long)progress->total);
  fprintf(progress->stream, "[%*lld/%lld] %s … ", width,
          (long long)progress->step, (long long)progress->total,
          progress->what);
}

void tile_rt_progress_begin(TileRtProgress *progress, const char *what) {
  ++progress->step;
  progress->what = what;
  progress->stepNs = tile_rt_now_ns();
  if (!progress->terminal)
    return;
  printStep(progress);
  fflush(progress->stream);
}

void tile_rt_progress_end(TileRtProgress *progress) {
  int64_t now = tile_rt_now_ns();
  if (!progress->terminal) {
    if (now - progress->startNs <= INT64_C(2000000000))
      return;
    printStep(progress);
  }
  fprintf(progress->stream, "%.1f s\n",
          (double)(now - progress->stepNs) * 1e-9);
  fflush(progress->stream);
}
