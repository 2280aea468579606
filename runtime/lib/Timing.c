// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timing by events of the device.

#include "Devices.h"
#include "TileRuntime/Clock.h"
#include "TileRuntime/Launch.h"

#include <stdlib.h>

enum { kMaxSamples = 100000 };

typedef struct Timer {
  TileRtKernel *kernel;
  TileRtDevice *device;
  const TileRtArgument *arguments;
  int32_t count;
  TileRtStream stream;
  TileRtTimingOptions options;
  int32_t set; ///< of the next launch
  TileRtEvent *events;
  double *samples;
  TileRtError *error;
} Timer;

TileRtTimingOptions tile_rt_timing_options(void) {
  return (TileRtTimingOptions){
      .warmup = 3, .samples = 20, .launches = 1, .sets = 1};
}

static bool launchNext(Timer *t) {
  const TileRtArgument *set = t->arguments + (size_t)t->set * (size_t)t->count;
  t->set = (t->set + 1) % t->options.sets;
  return tile_rt_launch(t->kernel, set, t->count, t->stream, t->error);
}

/// Twice the cache, so that nothing of it survives whatever its policy.
static bool makeFlush(Timer *t) {
  TileRtDevice *device = t->device;
  size_t bytes =
      device->l2Bytes > 0 ? 2 * (size_t)device->l2Bytes : (size_t)256 << 20;
  if (!t->options.flushL2 || device->flush)
    return true;
  if (!device->ops->alloc(device, bytes, &device->flush, t->error))
    return false;
  device->flushBytes = bytes;
  return true;
}

static bool queueSamples(Timer *t) {
  TileRtDevice *device = t->device;
  for (int32_t i = 0; i < t->options.warmup; ++i)
    if (!launchNext(t))
      return false;
  for (int32_t i = 0; i < t->options.samples; ++i) {
    if (t->options.flushL2 &&
        !device->ops->fill(device, device->flush, 0, device->flushBytes,
                           t->stream, t->error))
      return false;
    if (!device->ops->eventRecord(device, t->events[2 * i], t->stream,
                                  t->error))
      return false;
    for (int32_t k = 0; k < t->options.launches; ++k)
      if (!launchNext(t))
        return false;
    if (!device->ops->eventRecord(device, t->events[2 * i + 1], t->stream,
                                  t->error))
      return false;
  }
  return device->ops->sync(device, t->stream, t->error);
}

static bool createEvents(Timer *t) {
  for (int32_t i = 0; i < 2 * t->options.samples; ++i)
    if (!t->device->ops->eventCreate(t->device, &t->events[i], t->error))
      return false;
  return true;
}

static bool readSamples(Timer *t, TileRtTiming *timing) {
  timing->min = timing->max = 0;
  for (int32_t i = 0; i < t->options.samples; ++i) {
    double seconds = 0;
    if (!t->device->ops->eventElapsed(t->device, t->events[2 * i],
                                      t->events[2 * i + 1], &seconds, t->error))
      return false;
    seconds /= t->options.launches;
    t->samples[i] = seconds;
    if (i == 0 || seconds < timing->min)
      timing->min = seconds;
    if (seconds > timing->max)
      timing->max = seconds;
  }
  timing->median = tile_rt_median(t->samples, t->options.samples);
  return true;
}

bool tile_rt_time(TileRtKernel *kernel, const TileRtArgument *arguments,
                  int32_t count, TileRtStream stream,
                  const TileRtTimingOptions *options, TileRtTiming *timing,
                  TileRtError *error) {
  Timer t = {.kernel = kernel,
             .device = tile_rt_kernel_device(kernel),
             .arguments = arguments,
             .count = count,
             .stream = stream,
             .options = *options,
             .error = error};
  if (!t.device)
    return tile_rt_fail(error, "timing: expected a kernel, got %s",
                        kernel ? "none that is loaded" : "null");
  if (options->samples < 1 || options->samples > kMaxSamples ||
      options->launches < 1 || options->sets < 1)
    return tile_rt_fail(error,
                        "timing: expected 1 to %d samples, and at least 1 "
                        "launch and 1 set of arguments, got %d, %d and %d",
                        kMaxSamples, options->samples, options->launches,
                        options->sets);
  if (!tile_rt_device_acquire(t.device, error))
    return false;
  size_t samples = (size_t)options->samples;
  t.events = calloc(2 * samples, sizeof(*t.events));
  t.samples = calloc(samples, sizeof(*t.samples));
  bool good = t.events && t.samples;
  if (!good)
    tile_rt_fail(error, "timing: expected memory for %zu samples, got none",
                 samples);
  good = good && makeFlush(&t) && createEvents(&t) && queueSamples(&t) &&
         readSamples(&t, timing);
  for (size_t i = 0; t.events && i < 2 * samples; ++i)
    if (t.events[i])
      t.device->ops->eventDestroy(t.device, t.events[i], NULL);
  free(t.events);
  free(t.samples);
  tile_rt_device_release(t.device);
  return good;
}
