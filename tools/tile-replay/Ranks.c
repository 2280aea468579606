// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "Ranks.h"

#include "TileRuntime/CUDA.h"
#include "TileRuntime/Clock.h"
#include "TileRuntime/Fill.h"
#include "TileRuntime/World.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

bool tile_replay_use_comm(const TileRtComm *comm, TileRtDevice **devices,
                          int32_t ranks, TileRtError *error) {
  if (comm->size != ranks)
    return tile_rt_fail(error,
                        "expected %d processes for as many ranks, got %d",
                        (int)ranks, (int)comm->size);
  devices[comm->rank] = comm->device;
  return true;
}

bool tile_replay_open_ranks(TileRtDevice **devices, int32_t ranks,
                            const int32_t *ordinals, int32_t ordinalCount,
                            TileRtError *error) {
  int32_t found;
  if (!tile_rt_cuda_count(&found, error))
    return false;
  if (!ordinals && found < ranks)
    return tile_rt_fail(error,
                        "expected %d GPUs for as many ranks, found %d; ranks "
                        "run on the CPU, too",
                        (int)ranks, (int)found);
  for (int32_t i = 0; i < ranks; ++i)
    if (!tile_rt_cuda_open(ordinals ? ordinals[i % ordinalCount] : i,
                           &devices[i], error))
      return false;
  return tile_rt_cuda_connect(devices, ranks, error);
}

void tile_replay_close_ranks(TileRtDevice **devices, int32_t ranks) {
  for (int32_t i = 0; i < ranks; ++i)
    if (devices[i])
      tile_rt_device_close(devices[i]);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static int32_t findWorld(const TileReplayRankArgument *arguments,
                         int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (arguments[i].world)
      return i;
  return -1;
}

int32_t tile_replay_count_ranks(const TileReplayRankArgument *arguments,
                                int32_t count, TileRtError *error) {
  int32_t world = findWorld(arguments, count);
  int64_t ranks = 1;
  if (world < 0) {
    tile_rt_fail(error, "expected an argument that is the world");
    return 0;
  }
  const TileRtTensor *extents = arguments[world].tensor;
  for (int32_t d = 0; d < extents->rank; ++d)
    if (__builtin_mul_overflow(ranks, extents->shape[d], &ranks) || ranks < 1 ||
        ranks > TILE_RT_MAX_RANKS) {
      tile_rt_fail(error, "expected 1 to %d ranks", TILE_RT_MAX_RANKS);
      return 0;
    }
  for (int32_t i = 0; i < count; ++i)
    if (!arguments[i].scalar && i != world &&
        (arguments[i].tensor->rank < extents->rank ||
         tile_rt_tensor_bytes(arguments[i].tensor) % ranks != 0)) {
      tile_rt_fail(error, "argument %d: expected a slice for each of %d ranks",
                   (int)i, (int)ranks);
      return 0;
    }
  return (int32_t)ranks;
}

// More kernels than that take turns. Without overlap, kernels have the first
// stream and copies the second one.
enum { kStreams = 4, kCopyStream = 1 };

/// Begin and end of a launch, and where copies wait or are waited for.
enum { kBegin, kEnd, kCopies, kEvents };

/// All ranks of a run.
typedef struct Run {
  const TileReplayProgram *programs;
  const TileReplayRankArgument *arguments;
  const TileReplayRankOptions *options;
  int32_t ranks, count, worldDims;
  int32_t begin, end; ///< the ranks of this process
  TileRtWorld *world;
  size_t *offsets;         ///< of symmetric arguments, in the heaps
  struct Rank *rank;       ///< of each rank
  atomic_int ready;        ///< ranks that are about to launch
  int32_t launches;        ///< of the current step
  TileRtError *error;
} Run;

typedef struct Rank {
  TileRtDevice *device;
  TileRtStream streams[kStreams];
  TileRtEvent events[kEvents];
  TileRtTensor *slices;    ///< of the host
  TileRtDLTensor *tensors; ///< of the device
  TileRtArgument *launch;
  void **memory; ///< that is this rank's
  double seconds;
  bool good;
  TileRtError error;
} Rank;

/// What a rank sees of an argument.
static TileRtTensor slice(const Run *run, int32_t rank, int32_t index) {
  TileRtTensor tensor = *run->arguments[index].tensor;
  size_t bytes = tile_rt_tensor_bytes(&tensor) / (size_t)run->ranks;
  if (run->arguments[index].scalar)
    return tensor;
  tensor.rank -= run->worldDims;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    tensor.shape[d] = tensor.shape[d + run->worldDims];
    tensor.strides[d] = tensor.strides[d + run->worldDims];
  }
  tensor.data = (char *)tensor.data + (size_t)rank * bytes;
  return tensor;
}

/// Whether the heaps have the buffer: what is symmetric, and of ranks that are
/// processes all, so that each can compare the results of all.
static bool isInHeap(const Run *run, int32_t index) {
  const TileReplayRankArgument *a = &run->arguments[index];
  return a->symmetric || (run->options->comm && !a->scalar && !a->world);
}

/// Copies an argument to its rank or back, from any rank.
static bool copySlice(const Run *run, int32_t rank, int32_t index, bool back) {
  bool isHere = rank >= run->begin && rank < run->end;
  const Rank *r = &run->rank[isHere ? rank : run->begin];
  const TileReplayRankArgument *a = &run->arguments[index];
  if (a->scalar || a->world)
    return true;
  void *there = isInHeap(run, index)
                    ? tile_rt_world_address(run->world, rank,
                                            run->offsets[index])
                    : r->memory[index];
  TileRtTensor part = slice(run, rank, index);
  void *here = part.data;
  size_t bytes = tile_rt_tensor_bytes(&part);
  return r->device->ops->copy(
             r->device, back ? here : there, back ? there : here, bytes,
             back ? TILE_RT_COPY_FROM_DEVICE : TILE_RT_COPY_TO_DEVICE,
             r->streams[0], run->error) &&
         r->device->ops->sync(r->device, r->streams[0], run->error);
}

static bool makeArgument(Run *run, int32_t rank, int32_t index) {
  Rank *r = &run->rank[rank];
  const TileReplayRankArgument *a = &run->arguments[index];
  TileRtTensor *host = &r->slices[index];
  if (a->world) {
    *host = (TileRtTensor){.dtype = TILE_RT_I64, .rank = 1};
    host->data = tile_rt_world_table(run->world, rank, &host->shape[0]);
    host->strides[0] = 1;
    r->tensors[index] = tile_rt_device_tensor(r->device, host, host->data);
    r->launch[index] = tile_rt_argument_tensor(&r->tensors[index]);
    return true;
  }
  *host = slice(run, rank, index);
  if (a->scalar) {
    r->launch[index] = (TileRtArgument){
        .dtype = host->dtype, .bits = tile_rt_tensor_load_bits(host, 0)};
    return true;
  }
  void *data;
  if (isInHeap(run, index))
    data = tile_rt_world_address(run->world, rank, run->offsets[index]);
  else if (!r->device->ops->alloc(r->device, tile_rt_tensor_bytes(host),
                                  &r->memory[index], run->error))
    return false;
  else
    data = r->memory[index];
  r->tensors[index] = tile_rt_device_tensor(r->device, host, data);
  r->launch[index] = tile_rt_argument_tensor(&r->tensors[index]);
  return copySlice(run, rank, index, /*back=*/false);
}

/// Everything that needs the driver is done before any rank waits for others.
static bool makeRank(Run *run, int32_t rank) {
  Rank *r = &run->rank[rank];
  size_t room = (size_t)run->count + 1;
  r->device = run->programs[rank].device;
  r->slices = calloc(room, sizeof(*r->slices));
  r->tensors = calloc(room, sizeof(*r->tensors));
  r->launch = calloc(room, sizeof(*r->launch));
  r->memory = calloc(room, sizeof(*r->memory));
  if (!r->slices || !r->tensors || !r->launch || !r->memory)
    return tile_rt_fail(run->error, "no memory for %d ranks", (int)run->ranks);
  const TileRtDeviceOps *ops = r->device->ops;
  for (int i = 0; i < kStreams; ++i)
    if (!ops->streamCreate(r->device, &r->streams[i], run->error))
      return false;
  for (int i = 0; i < kEvents; ++i)
    if (!ops->eventCreate(r->device, &r->events[i], run->error))
      return false;
  for (int32_t i = 0; i < run->count; ++i)
    if (!makeArgument(run, rank, i))
      return false;
  if (run->options->flushL2 && !tile_replay_make_flush(r->device, run->error))
    return false;
  for (int32_t i = 0; i < run->programs[rank].count; ++i)
    if (!tile_rt_prepare(run->programs[rank].kernels[i], r->launch, run->count,
                         run->error))
      return false;
  return true;
}

static void freeRank(Run *run, int32_t rank) {
  Rank *r = &run->rank[rank];
  if (!r->device)
    return;
  const TileRtDeviceOps *ops = r->device->ops;
  for (int i = 0; i < kEvents; ++i)
    if (r->events[i])
      ops->eventDestroy(r->device, r->events[i], NULL);
  for (int i = 0; i < kStreams; ++i)
    if (r->streams[i])
      ops->streamDestroy(r->device, r->streams[i], NULL);
  for (int32_t i = 0; r->memory && i < run->count; ++i)
    if (r->memory[i])
      ops->free(r->device, r->memory[i], NULL);
  free(r->slices);
  free(r->tensors);
  free(r->launch);
  free(r->memory);
}

static bool makeWorld(Run *run, TileRtDevice **devices) {
  size_t bytes = 0;
  TileRtComm *comm = run->options->comm;
  for (int32_t i = 0; i < run->count; ++i)
    if (isInHeap(run, i))
      bytes += tile_rt_tensor_bytes(run->arguments[i].tensor) /
                   (size_t)run->ranks +
               256;
  if (!(comm ? tile_rt_world_create_over(comm, bytes, &run->world, run->error)
             : tile_rt_world_create_on(devices, run->ranks, bytes, &run->world,
                                       run->error)) ||
      (run->options->timeout &&
       !tile_rt_world_set_timeout(run->world, run->options->timeout,
                                  run->error)))
    return false;
  for (int32_t i = 0; i < run->count; ++i)
    if (isInHeap(run, i) &&
        !tile_rt_world_alloc(run->world,
                             tile_rt_tensor_bytes(run->arguments[i].tensor) /
                                 (size_t)run->ranks,
                             &run->offsets[i], run->error))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Orders a stream behind what another one was given.
static bool follow(const Rank *r, TileRtStream stream, TileRtStream other,
                   TileRtError *error) {
  const TileRtDeviceOps *ops = r->device->ops;
  return ops->eventRecord(r->device, r->events[kCopies], other, error) &&
         ops->eventWait(r->device, r->events[kCopies], stream, error);
}

/// Copies in place of a kernel.
static bool put(const Run *run, int32_t rank, const TileRtCopiesInfo *copies,
                TileRtStream stream, TileRtError *error) {
  const Rank *r = &run->rank[rank];
  const TileRtTensor *source = &r->slices[copies->source];
  const TileRtTensor *flags = &r->slices[copies->flags];
  int64_t bytes = tile_rt_tensor_bytes(source);
  int64_t flagBytes = tile_rt_dtype_bits(flags->dtype) / 8;
  if (!run->arguments[copies->target].symmetric ||
      !run->arguments[copies->flags].symmetric ||
      tile_rt_tensor_bytes(&r->slices[copies->target]) != run->ranks * bytes)
    return tile_rt_fail(error, "a target of another size than the sources of "
                               "all ranks");
  if (tile_rt_tensor_bytes(flags) < run->ranks * flagBytes)
    return tile_rt_fail(error, "a flag outside of its buffer");
  char *target =
      tile_rt_world_address(run->world, rank, run->offsets[copies->target]);
  char *flag =
      tile_rt_world_address(run->world, rank, run->offsets[copies->flags]);
  return tile_rt_world_put(run->world, rank, r->tensors[copies->source].data,
                           (size_t)bytes, target + rank * bytes,
                           flag + rank * flagBytes, (size_t)flagBytes, stream,
                           error);
}

/// Launches a kernel, or lets the device do what it copies, beside what follows.
static bool launchOne(const Run *run, int32_t rank, int32_t index,
                      bool *copied, TileRtError *error) {
  const Rank *r = &run->rank[rank];
  const TileReplayProgram *program = &run->programs[rank];
  bool overlap = run->options->overlap;
  TileRtStream stream = r->streams[overlap ? index % kStreams : 0];
  const TileRtCopiesInfo *copies = &program->metadata[index]->copies;
  if (!copies->any || !r->device->ops->eventWait)
    return tile_rt_launch(program->kernels[index], r->launch, run->count,
                          stream, error);
  if (overlap)
    return put(run, rank, copies, stream, error);
  *copied = true;
  return follow(r, r->streams[kCopyStream], stream, error) &&
         put(run, rank, copies, r->streams[kCopyStream], error);
}

static bool launchAll(const Run *run, int32_t rank, TileRtError *error) {
  const Rank *r = &run->rank[rank];
  bool copied = false;
  for (int32_t n = 0; n < run->launches; ++n)
    for (int32_t i = 0; i < run->programs[rank].count; ++i)
      if (!launchOne(run, rank, i, &copied, error))
        return false;
  return !copied || follow(r, r->streams[0], r->streams[kCopyStream], error);
}

/// One rank of a step, on a thread of its own. All begin at the same time, but
/// for the jitter.
static void runRank(void *context, int32_t rank) {
  Run *run = context;
  Rank *r = &run->rank[rank];
  const TileRtDeviceOps *ops = r->device->ops;
  atomic_fetch_add(&run->ready, 1);
  while (atomic_load(&run->ready) < run->end - run->begin)
    ;
  if (run->options->jitter > 0) {
    uint64_t number =
        tile_rt_random(run->options->seed, (uint64_t)rank, 0);
    usleep((useconds_t)(number % (uint64_t)run->options->jitter));
  }
  // The default stream is in order with all others of its device, which another
  // rank may use, too.
  TileRtStream timer = run->options->overlap ? NULL : r->streams[0];
  bool launched =
      (!run->options->flushL2 ||
       ops->fill(r->device, r->device->flush, 0, r->device->flushBytes, timer,
                 &r->error)) &&
      ops->eventRecord(r->device, r->events[kBegin], timer, &r->error) &&
      launchAll(run, rank, &r->error) &&
      ops->eventRecord(r->device, r->events[kEnd], timer, &r->error);
  // The others may wait for what was launched.
  TileRtError late;
  bool ended = ops->sync(r->device, timer, launched ? &r->error : &late);
  r->good = launched && ended &&
            ops->eventElapsed(r->device, r->events[kBegin], r->events[kEnd],
                              &r->seconds, &r->error);
}

/// Runs all ranks; the seconds of the slowest.
static bool step(Run *run, int32_t launches, double *seconds) {
  atomic_store(&run->ready, 0);
  run->launches = launches;
  *seconds = 0;
  if (!tile_rt_world_run(run->world, runRank, run, run->error))
    return false;
  for (int32_t i = run->begin; i < run->end; ++i) {
    if (!run->rank[i].good)
      return tile_rt_fail(run->error, "rank %d: %s", (int)i,
                          run->rank[i].error.message);
    if (run->rank[i].seconds > *seconds)
      *seconds = run->rank[i].seconds;
  }
  return true;
}

static bool resetSymmetric(const Run *run) {
  for (int32_t rank = run->begin; rank < run->end; ++rank)
    for (int32_t i = 0; i < run->count; ++i)
      if (run->arguments[i].symmetric &&
          !copySlice(run, rank, i, /*back=*/false))
        return false;
  return true;
}

/// The host's tensors are what the ranks begin with, until they are copied
/// back: samples come first.
static bool timeRuns(Run *run, TileRtTiming *timed) {
  enum { kWarmup = 3 };
  const TileReplayRankOptions *options = run->options;
  double *samples = calloc((size_t)options->samples, sizeof(*samples));
  bool good = samples || tile_rt_fail(run->error, "no memory for %d samples",
                                      (int)options->samples);
  for (int32_t i = -kWarmup; good && i < options->samples; ++i) {
    double seconds = 0;
    good = resetSymmetric(run) && step(run, options->launches, &seconds);
    if (i >= 0)
      samples[i] = seconds / options->launches;
  }
  if (good) {
    timed->median = tile_rt_median(samples, options->samples);
    timed->min = samples[0];
    timed->max = samples[options->samples - 1];
  }
  free(samples);
  return good;
}

/// A process fills its own heap, and reads all.
static bool copyAll(const Run *run, bool back) {
  for (int32_t rank = back ? 0 : run->begin;
       rank < (back ? run->ranks : run->end); ++rank)
    for (int32_t i = 0; i < run->count; ++i)
      if (!copySlice(run, rank, i, back))
        return false;
  return true;
}

static bool runSteps(Run *run, TileRtDevice **devices, double *first,
                     TileRtTiming *timed) {
  if (!makeWorld(run, devices))
    return false;
  for (int32_t i = run->begin; i < run->end; ++i)
    if (!makeRank(run, i))
      return false;
  if (run->options->samples > 0 &&
      (!timeRuns(run, timed) || !copyAll(run, /*back=*/false)))
    return false;
  return step(run, 1, first) && copyAll(run, /*back=*/true);
}

bool tile_replay_run_ranks(const TileReplayProgram *programs, int32_t ranks,
                           const TileReplayRankArgument *arguments,
                           int32_t count, const TileReplayRankOptions *options,
                           double *first, TileRtTiming *timed,
                           TileRtError *error) {
  int32_t world = findWorld(arguments, count);
  Run run = {.programs = programs,
             .arguments = arguments,
             .options = options,
             .ranks = ranks,
             .begin = options->comm ? options->comm->rank : 0,
             .end = options->comm ? options->comm->rank + 1 : ranks,
             .count = count,
             .worldDims = arguments[world].tensor->rank,
             .offsets = calloc((size_t)count + 1, sizeof(*run.offsets)),
             .rank = calloc((size_t)ranks, sizeof(*run.rank)),
             .error = error};
  TileRtDevice **devices = calloc((size_t)ranks, sizeof(*devices));
  bool good = run.offsets && run.rank && devices;
  if (!good)
    tile_rt_fail(error, "no memory for %d ranks", (int)ranks);
  for (int32_t i = run.begin; good && i < run.end; ++i)
    devices[i] = programs[i].device;
  good = good && runSteps(&run, devices, first, timed);
  for (int32_t i = 0; run.rank && i < ranks; ++i)
    freeRank(&run, i);
  tile_rt_world_free(run.world);
  free(devices);
  free(run.offsets);
  free(run.rank);
  return good;
}
