// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Program.h"

#include "TileRuntime/Clock.h"

#include <stdlib.h>
#include <string.h>

bool tile_replay_load(TileReplayProgram *program, TileRtDevice *device,
                      const TileReplayCode *code, int32_t count,
                      const char *const *texts, TileRtError *error) {
  *program = (TileReplayProgram){.device = device};
  if (count < 1 || count > TILE_REPLAY_MAX_KERNELS)
    return tile_rt_fail(error, "expected 1 to %d kernels, got %d",
                        TILE_REPLAY_MAX_KERNELS, count);
  for (int32_t i = 0; i < count; ++i) {
    program->count = i + 1;
    program->metadata[i] =
        tile_rt_metadata_parse(texts[i], strlen(texts[i]), error);
    if (!program->metadata[i])
      return false;
    program->kernels[i] =
        code->sources
            ? tile_rt_kernel_load_lazily(device, &code->sources[i],
                                         program->metadata[i], error)
            : tile_rt_kernel_load(device, code->image, code->size,
                                  program->metadata[i], error);
    if (!program->kernels[i])
      return false;
  }
  return true;
}

void tile_replay_unload(TileReplayProgram *program) {
  for (int32_t i = 0; i < program->count; ++i) {
    tile_rt_kernel_unload(program->kernels[i]);
    tile_rt_metadata_free(program->metadata[i]);
  }
  program->count = 0;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// One run: what lies on the device.
typedef struct Run {
  const TileReplayProgram *program;
  TileRtDevice *device;
  const TileReplayArgument *arguments;
  int32_t count;
  void **memory; ///< of each tensor, red zones included
  TileRtDLTensor *tensors;
  TileRtArgument *launch;
  TileRtError *error;
} Run;

/// What is copied of a tensor: all of its memory, or what a view shows.
static void *bytesOf(const TileRtTensor *tensor, size_t *bytes) {
  if (!tensor->allocation) {
    *bytes = (size_t)tile_rt_tensor_bytes(tensor);
    return tensor->data;
  }
  *bytes = tensor->allocationBytes;
  // Without red zones, so that a checker sees the end of the data.
  if (tensor->guardBytes == 0)
    *bytes = (size_t)tile_rt_tensor_bytes(tensor);
  return tensor->allocation;
}

static bool upload(Run *run, int32_t i) {
  TileRtTensor *tensor = run->arguments[i].tensor;
  if (run->arguments[i].scalar) {
    run->launch[i] =
        (TileRtArgument){.dtype = tensor->dtype,
                         .bits = tile_rt_tensor_load_bits(tensor, 0)};
    return true;
  }
  size_t bytes;
  char *from = bytesOf(tensor, &bytes);
  if (!run->device->ops->alloc(run->device, bytes, &run->memory[i],
                               run->error) ||
      !run->device->ops->copy(run->device, run->memory[i], from, bytes,
                              TILE_RT_COPY_TO_DEVICE, NULL, run->error))
    return false;
  char *data = (char *)run->memory[i] + ((char *)tensor->data - from);
  run->tensors[i] = tile_rt_device_tensor(run->device, tensor, data);
  run->launch[i] = tile_rt_argument_tensor(&run->tensors[i]);
  return true;
}

static bool download(Run *run, int32_t i) {
  size_t bytes;
  void *to = bytesOf(run->arguments[i].tensor, &bytes);
  return run->arguments[i].scalar ||
         run->device->ops->copy(run->device, to, run->memory[i], bytes,
                                TILE_RT_COPY_FROM_DEVICE, NULL, run->error);
}

static bool launchAll(const Run *run) {
  for (int32_t i = 0; i < run->program->count; ++i)
    if (!tile_rt_launch(run->program->kernels[i], run->launch, run->count, NULL,
                        run->error))
      return false;
  return true;
}

/// Launches between two events; waits for the end.
static bool sample(const Run *run, TileRtEvent events[2], double *seconds) {
  const TileRtDeviceOps *ops = run->device->ops;
  return ops->eventRecord(run->device, events[0], NULL, run->error) &&
         launchAll(run) &&
         ops->eventRecord(run->device, events[1], NULL, run->error) &&
         ops->sync(run->device, NULL, run->error) &&
         ops->eventElapsed(run->device, events[0], events[1], seconds,
                           run->error);
}

bool tile_replay_make_flush(TileRtDevice *device, TileRtError *error) {
  // Twice the cache, so that nothing of it survives whatever its policy.
  size_t bytes = device->l2Bytes > 0 ? 2 * (size_t)device->l2Bytes
                                     : (size_t)256 << 20;
  if (device->flush)
    return true;
  if (!device->ops->alloc(device, bytes, &device->flush, error))
    return false;
  device->flushBytes = bytes;
  return true;
}

static bool timeRuns(const Run *run, const TileReplayTiming *timing,
                     TileRtEvent events[2], TileRtTiming *timed) {
  enum { kWarmup = 3 };
  TileRtDevice *device = run->device;
  double *samples = calloc((size_t)timing->samples, sizeof(*samples));
  bool good = samples || tile_rt_fail(run->error, "no memory for %d samples",
                                      timing->samples);
  good = good && (!timing->flushL2 ||
                  tile_replay_make_flush(device, run->error));
  for (int32_t i = -kWarmup; good && i < timing->samples; ++i) {
    double seconds = 0;
    good = (!timing->flushL2 ||
            device->ops->fill(device, device->flush, 0, device->flushBytes,
                              NULL, run->error)) &&
           sample(run, events, &seconds);
    if (i >= 0)
      samples[i] = seconds;
  }
  if (good) {
    timed->median = tile_rt_median(samples, timing->samples);
    timed->min = samples[0];
    timed->max = samples[timing->samples - 1];
  }
  free(samples);
  return good;
}

/// What is done once for the arguments is no part of the time.
static bool prepareAll(const Run *run) {
  for (int32_t i = 0; i < run->program->count; ++i)
    if (!tile_rt_prepare(run->program->kernels[i], run->launch, run->count,
                         run->error))
      return false;
  return true;
}

static bool runSteps(Run *run, const TileReplayTiming *timing,
                     TileRtEvent events[2], double *first,
                     TileRtTiming *timed) {
  double seconds = 0;
  for (int32_t i = 0; i < run->count; ++i)
    if (!upload(run, i))
      return false;
  if (!prepareAll(run) || !sample(run, events, &seconds))
    return false;
  if (first)
    *first = seconds;
  for (int32_t i = 0; i < run->count; ++i)
    if (!download(run, i))
      return false;
  return run->device->ops->sync(run->device, NULL, run->error) &&
         (!timing || timing->samples == 0 ||
          timeRuns(run, timing, events, timed));
}

bool tile_replay_run(const TileReplayProgram *program,
                     const TileReplayArgument *arguments, int32_t count,
                     const TileReplayTiming *timing, double *first,
                     TileRtTiming *timed, TileRtError *error) {
  TileRtDevice *device = program->device;
  size_t room = (size_t)count + 1;
  Run run = {.program = program,
             .device = device,
             .arguments = arguments,
             .count = count,
             .memory = calloc(room, sizeof(*run.memory)),
             .tensors = calloc(room, sizeof(*run.tensors)),
             .launch = calloc(room, sizeof(*run.launch)),
             .error = error};
  TileRtEvent events[2] = {NULL, NULL};
  bool good = run.memory && run.tensors && run.launch;
  if (!good)
    tile_rt_fail(error, "out of memory");
  good = good && device->ops->eventCreate(device, &events[0], error) &&
         device->ops->eventCreate(device, &events[1], error) &&
         runSteps(&run, timing, events, first, timed);
  for (int i = 0; i < 2; ++i)
    if (events[i])
      device->ops->eventDestroy(device, events[i], NULL);
  for (int32_t i = 0; run.memory && i < count; ++i)
    if (run.memory[i])
      device->ops->free(device, run.memory[i], NULL);
  free(run.memory);
  free(run.tensors);
  free(run.launch);
  return good;
}
