// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranks.h"

#include "../tile-replay/Ranks.h"
#include "TileRuntime/Clock.h"
#include "TileRuntime/ParallelFor.h"
#include "TileRuntime/World.h"
#ifdef TILE_HAS_SIMT_MODEL
#include "tile_simt_device.h"
#endif

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t tile_run_find_world(const TileRunFunction *function) {
  for (int32_t i = 0; i < function->parameterCount; ++i)
    if (function->parameters[i].world)
      return i;
  return -1;
}

/// What all ranks have.
typedef struct Ranks {
  const TileRunCase *c;
  const TileRunImage *image;
  TileRtTensor *tensors; ///< of all ranks
  int32_t count, worldDims;
  TileRtComm *comm; ///< null: ranks are threads
  TileRtWorld *world;
  size_t *offsets;       ///< of parameters in the heaps
  TileRtTensor *slices;  ///< of each rank, one for each parameter
  TileRunCall *calls;    ///< of each rank
  _Atomic int64_t missing; ///< bytes of memory that some rank did not get
} Ranks;

/// The bytes that one rank has of a tensor.
static size_t countBytes(const Ranks *ranks, int32_t parameter) {
  return tile_rt_tensor_bytes(&ranks->tensors[parameter]) /
         (size_t)ranks->count;
}

/// Whether the heaps of ranks have the buffer: what is symmetric, and where ranks
/// are processes all, so that each can compare the results of all.
static bool isInHeap(const Ranks *ranks, int32_t parameter) {
  const TileRunParameter *p = &ranks->c->function->parameters[parameter];
  return p->symmetric || (ranks->comm && !p->scalar && !p->world);
}

/// Buffers in the heaps of all ranks, from the tensors or to them. A process
/// fills its own heap.
static void copyHeaps(Ranks *ranks, bool back) {
  for (int32_t i = 0; i < ranks->c->function->parameterCount; ++i) {
    if (!isInHeap(ranks, i))
      continue;
    size_t bytes = countBytes(ranks, i);
    for (int32_t rank = 0; rank < ranks->count; ++rank) {
      if (!back && ranks->comm && rank != ranks->comm->rank)
        continue;
      char *slice = (char *)ranks->tensors[i].data + (size_t)rank * bytes;
      void *heap =
          tile_rt_world_address(ranks->world, rank, ranks->offsets[i]);
      memcpy(back ? slice : heap, back ? heap : slice, bytes);
    }
  }
}

/// One rank's part of a tensor; of a scalar, all of it.
static TileRtTensor slice(const Ranks *ranks, int32_t parameter,
                          int32_t rank) {
  const TileRunParameter *p = &ranks->c->function->parameters[parameter];
  TileRtTensor tensor = ranks->tensors[parameter];
  if (p->world) {
    tensor.rank = 1;
    tensor.data =
        tile_rt_world_table(ranks->world, rank, &tensor.shape[0]);
    tensor.strides[0] = 1;
    return tensor;
  }
  if (p->scalar)
    return tensor;
  tensor.rank -= ranks->worldDims;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    tensor.shape[d] = tensor.shape[d + ranks->worldDims];
    tensor.strides[d] = tensor.strides[d + ranks->worldDims];
  }
  tensor.data =
      isInHeap(ranks, parameter)
          ? tile_rt_world_address(ranks->world, rank,
                                  ranks->offsets[parameter])
          : (char *)tensor.data + (size_t)rank * countBytes(ranks, parameter);
  return tensor;
}

/// A heap for the symmetric buffers, and their places in it.
static bool makeWorld(Ranks *ranks, TileRtError *error) {
  int32_t count = ranks->c->function->parameterCount;
  size_t bytes = 0;
  for (int32_t i = 0; i < count; ++i)
    if (isInHeap(ranks, i))
      bytes += countBytes(ranks, i) + 256;
  if (ranks->comm && ranks->comm->size != ranks->count)
    return tile_rt_fail(error, "expected %d processes for as many ranks, got %d",
                        (int)ranks->count, (int)ranks->comm->size);
  if (ranks->comm
          ? !tile_rt_world_create_over(ranks->comm, bytes, &ranks->world, error)
          : !tile_rt_world_create(ranks->count, bytes, &ranks->world, error))
    return false;
  for (int32_t i = 0; i < count; ++i)
    if (isInHeap(ranks, i) &&
        !tile_rt_world_alloc(ranks->world, countBytes(ranks, i),
                             &ranks->offsets[i], error))
      return false;
  return true;
}

static bool makeCalls(Ranks *ranks, TileRtError *error) {
  const TileRunFunction *function = ranks->c->function;
  int32_t count = function->parameterCount;
  for (int32_t rank = 0; rank < ranks->count; ++rank) {
    TileRtTensor *slices = &ranks->slices[(size_t)rank * (size_t)count];
    for (int32_t i = 0; i < count; ++i)
      slices[i] = slice(ranks, i, rank);
    if (!tile_run_make_call(&ranks->calls[rank], function, ranks->image, slices,
                            error))
      return false;
    if (!ranks->calls[rank].block)
      return tile_rt_fail(error, "@%s: ranks run on the CPU only",
                          function->name);
  }
  return true;
}

static void runRank(void *context, int32_t rank) {
  static const uint32_t first[3] = {0, 0, 0}, one[3] = {1, 1, 1};
  Ranks *ranks = context;
  const TileRunCall *call = &ranks->calls[rank];
  call->block(call->parameters, first, one, NULL);
  int64_t missing = tile_rt_take_missing_memory();
  if (missing)
    atomic_store(&ranks->missing, missing);
}

/// The number of ranks: the product of the world's extents.
static bool countRanks(Ranks *ranks, int32_t world, TileRtError *error) {
  const TileRunParameter *p = &ranks->c->function->parameters[world];
  int64_t count = 1;
  for (int32_t d = 0; d < p->rank; ++d)
    if (__builtin_mul_overflow(count, ranks->c->arguments[world].shape[d],
                               &count) ||
        count < 1 || count > TILE_RT_MAX_RANKS)
      return tile_rt_fail(error, "expected 1 to %d ranks of @%s",
                          TILE_RT_MAX_RANKS, ranks->c->function->name);
  ranks->count = (int32_t)count;
  ranks->worldDims = p->rank;
  for (int32_t i = 0; i < ranks->c->function->parameterCount; ++i)
    if (!ranks->c->function->parameters[i].scalar && i != world &&
        tile_rt_tensor_bytes(&ranks->tensors[i]) % (size_t)count != 0)
      return tile_rt_fail(error, "%s: expected whole bytes for each rank",
                          ranks->c->function->parameters[i].name);
  return true;
}

/// A process that gave up ends the others, which may wait for it.
static void endAll(TileRtComm *comm, const TileRtError *error) {
  fflush(stdout);
  fprintf(stderr, "tile-run: error: %s\n", error->message);
  comm->ops->abort(comm);
}

bool tile_run_on_ranks(const TileRunCase *c, const TileRunImage *image,
                       TileRtTensor *tensors, TileRtComm *comm,
                       double *seconds, TileRtError *error) {
  size_t parameters = (size_t)c->function->parameterCount;
  Ranks ranks = {.c = c, .image = image, .tensors = tensors, .comm = comm};
  if (!countRanks(&ranks, tile_run_find_world(c->function), error))
    return false;
  size_t count = (size_t)ranks.count;
  ranks.offsets = calloc(parameters, sizeof(*ranks.offsets));
  ranks.slices = calloc(parameters * count, sizeof(*ranks.slices));
  ranks.calls = calloc(count, sizeof(*ranks.calls));
  bool done = ranks.offsets && ranks.slices && ranks.calls;
  if (!done)
    tile_rt_fail(error, "no memory for %d ranks", ranks.count);
  done = done && makeWorld(&ranks, error) && makeCalls(&ranks, error);
  if (done) {
    copyHeaps(&ranks, /*back=*/false);
    int64_t start = tile_rt_now_ns();
    done = tile_rt_world_run(ranks.world, runRank, &ranks, error);
    if (!done && comm)
      endAll(comm, error);
    *seconds = (double)(tile_rt_now_ns() - start) * 1e-9;
    // Others may have waited in vain for a rank without memory.
    tile_rt_note_missing_memory(atomic_load(&ranks.missing));
    done = tile_rt_had_memory(error) && done;
    copyHeaps(&ranks, /*back=*/true);
  }
  for (size_t i = 0; ranks.calls && i < count; ++i)
    tile_run_free_call(&ranks.calls[i]);
  tile_rt_world_free(ranks.world);
  free(ranks.offsets);
  free(ranks.slices);
  free(ranks.calls);
  return done;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Loads the code on each device and runs it.
static bool runPrograms(const TileRunCase *c, TileRtDevice **devices,
                        TileReplayProgram *programs, int32_t ranks,
                        const TileReplayRankArgument *arguments,
                        const TileReplayRankOptions *options,
                        TileRunOutcome *outcome) {
  TileReplayCode code = {c->image->bytes, c->image->size, c->image->sources};
  TileRtTiming timed = {0};
  for (int32_t i = 0; i < ranks; ++i)
    if (devices[i] &&
        !tile_replay_load(&programs[i], devices[i], &code,
                          c->image->kernelCount, c->image->kernels,
                          &outcome->message))
      return false;
  if (!tile_replay_run_ranks(programs, ranks, arguments,
                             c->function->parameterCount, options,
                             &outcome->seconds, &timed, &outcome->message))
    return false;
  outcome->minimum = outcome->seconds;
  if (options->samples > 0) {
    outcome->seconds = timed.median;
    outcome->minimum = timed.min;
  }
  return true;
}

static bool openRanks(const TileRunOptions *options, int32_t ranks,
                      TileRtDevice **devices, TileRtError *error) {
  if (options->comm)
    return tile_replay_use_comm(options->comm, devices, ranks, error);
#ifdef TILE_HAS_SIMT_MODEL
  if (options->model)
    return tile_simt_open_ranks(options->target, options->chip, ranks, devices,
                                error);
#endif
  return tile_replay_open_ranks(devices, ranks, NULL, 0, error);
}

bool tile_run_on_devices(const TileRunCase *c, const TileRunOptions *options,
                         TileRtTensor *tensors, TileRunOutcome *outcome) {
  TileReplayRankArgument arguments[TILE_RT_MAX_ARGUMENTS];
  int32_t count = c->function->parameterCount;
  TileRtError *error = &outcome->message;
  if (strcmp(options->target, "cuda") != 0)
    // untested: 'world-verify' refuses them before.
    return tile_rt_fail(error,
                        "@%s takes !world.ranks, but %s runs one rank; ranks "
                        "run on the CPU, as threads, and on NVIDIA GPUs",
                        c->function->name, options->target);
  for (int32_t i = 0; i < count; ++i) {
    const TileRunParameter *p = &c->function->parameters[i];
    arguments[i] = (TileReplayRankArgument){&tensors[i], p->scalar, p->world,
                                            p->symmetric};
  }
  int32_t ranks = tile_replay_count_ranks(arguments, count, error);
  if (!ranks)
    return false;
  TileReplayRankOptions rankOptions = {.samples = options->repeats,
                                       .launches = 1,
                                       .comm = options->comm};
  TileRtDevice **devices = calloc((size_t)ranks, sizeof(*devices));
  TileReplayProgram *programs = calloc((size_t)ranks, sizeof(*programs));
  bool done = devices && programs;
  if (!done)
    tile_rt_fail(error, "no memory for %d ranks", (int)ranks);
  done = done && openRanks(options, ranks, devices, error) &&
         runPrograms(c, devices, programs, ranks, arguments, &rankOptions,
                     outcome);
  outcome->ran = done;
  for (int32_t i = 0; programs && i < ranks; ++i)
    tile_replay_unload(&programs[i]);
  if (devices && !options->comm)
    tile_replay_close_ranks(devices, ranks);
  free(programs);
  free(devices);
  return done;
}
