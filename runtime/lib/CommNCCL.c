// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes of NCCL, one for each GPU of a host. NCCL brings them together;
// memory is shared as in CommDevice.c, which needs no version of NCCL. Facts:
// NCCL User Guide, "Communicator Creation and Management Functions" and
// "Environment Variables" (NCCL_COMM_ID); its ABI is that of nccl.h 2.x.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CUDADevice.h"
#include "Comm.h"
#include "Library.h"
#include "Meeting.h"

#include "TileRuntime/CUDA.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Id {
  char bytes[128];
} Id;

/// X(field, symbol, parameters). Results are 0 for success.
#define TILE_RT_NCCL_FUNCTIONS(X)                                              \
  X(getUniqueId, "ncclGetUniqueId", (Id * id))                                 \
  X(init, "ncclCommInitRank", (void **comm, int size, Id id, int rank))        \
  X(destroy, "ncclCommDestroy", (void *comm))                                  \
  X(abort, "ncclCommAbort", (void *comm))                                      \
  X(allGather, "ncclAllGather",                                                \
    (const void *own, void *all, size_t count, int type, void *comm,           \
     TileRtStream stream))

typedef struct Nccl {
  void *library;
#define TILE_RT_FIELD(field, symbol, parameters) int(*field) parameters;
  TILE_RT_NCCL_FUNCTIONS(TILE_RT_FIELD)
#undef TILE_RT_FIELD
  const char *(*getErrorString)(int result);
} Nccl;

/// The processes, and the memory through which they talk.
typedef struct Group {
  const Nccl *nccl;
  TileRtDevice *device;
  void *comm; ///< null: it was aborted
  int32_t rank, size;
  TileRtStream stream;
  char *box;       ///< of the device: the own piece, and then those of all
  bool namesPlace; ///< NCCL_COMM_ID is of this file
  bool isStuck;    ///< a thread still waits for the others, and has all of this
} Group;

enum { kPieceBytes = 4096, kBytes = 0 /* ncclInt8 */ };

static const TileRtSymbol symbols[] = {
#define TILE_RT_SYMBOL(field, symbol, parameters)                              \
  {symbol, false, offsetof(Nccl, field)},
    TILE_RT_NCCL_FUNCTIONS(TILE_RT_SYMBOL)
#undef TILE_RT_SYMBOL
        {"ncclGetErrorString", false, offsetof(Nccl, getErrorString)}};

static bool initialise(void *table, TileRtError *error) {
  (void)table, (void)error;
  return true;
}

static const Nccl *findNccl(TileRtError *error) {
  static const TileRtLibrary library = {.kind = "NCCL",
                                        .variable = "TILE_NCCL_LIBRARY",
                                        .file = "libnccl.so.2",
                                        .version = "NCCL 2.4",
                                        .symbols = symbols,
                                        .count =
                                            sizeof(symbols) / sizeof(*symbols),
                                        .initialise = initialise};
  static Nccl nccl;
  static TileRtLibraryOnce once = TILE_RT_LIBRARY_ONCE;
  TileRtError inner;
  if (tile_rt_library_once(&library, &once, &nccl, &inner))
    return &nccl;
  tile_rt_fail(error,
               "%s; name its file by TILE_NCCL_LIBRARY. Without the "
               "provider 'nccl', ranks are the GPUs of one process",
               inner.message);
  return NULL;
}

static bool check(const Nccl *nccl, int result, const char *what,
                  TileRtError *error) {
  return result == 0 ||
         tile_rt_fail(error, "%s: %s", what, nccl->getErrorString(result));
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

static bool readNumber(const char *name, int32_t low, int32_t high,
                       int32_t *value, TileRtError *error) {
  const char *text = getenv(name);
  if (!text || !*text)
    return tile_rt_fail(error,
                        "no %s in the environment: expected processes of a "
                        "torchrun, with RANK, WORLD_SIZE and LOCAL_RANK",
                        name);
  char *end;
  long number = strtol(text, &end, 10);
  *value = (int32_t)number;
  return (!*end && number >= low && number <= high) ||
         tile_rt_fail(error,
                      "%s: expected a number of %" PRId32 " to %" PRId32
                      ", got '%s'",
                      name, low, high, text);
}

/// Where the first process waits for the others: NCCL reads it while it begins.
static bool findMeetingPlace(bool *namesPlace, TileRtError *error) {
  enum { kMaxPort = 65534 };
  const char *given = getenv("NCCL_COMM_ID"), *host = getenv("MASTER_ADDR");
  char place[300];
  int32_t port;
  if (given && *given)
    return true;
  if (!host || !*host)
    return tile_rt_fail(error, "no MASTER_ADDR in the environment: expected "
                               "where the processes meet, or NCCL_COMM_ID");
  if (!readNumber("MASTER_PORT", 1, kMaxPort, &port, error))
    return false;
  snprintf(place, sizeof(place), "%.250s:%" PRId32, host, port + 1);
  *namesPlace = setenv("NCCL_COMM_ID", place, 1) == 0;
  return *namesPlace || tile_rt_fail(error, "no memory for a communicator");
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// All processes come, or none: who waits in vain is left behind.
typedef struct Start {
  Group *group;
  Id id;
  TileRtError error;
  bool good;
} Start;

static void *initComm(void *argument) {
  Start *start = argument;
  Group *group = start->group;
  void *before;
  start->good = tile_rt_cuda_enter(group->device, &before, &start->error) &&
                check(group->nccl,
                      group->nccl->init(&group->comm, group->size, start->id,
                                        group->rank),
                      "ncclCommInitRank", &start->error);
  return NULL;
}

static bool join(Group *group, TileRtError *error) {
  Start *start = calloc(1, sizeof(*start));
  pthread_t thread;
  struct timespec end;
  if (!start)
    return tile_rt_fail(error, "no memory for a communicator");
  start->group = group;
  if (!check(group->nccl, group->nccl->getUniqueId(&start->id),
             "ncclGetUniqueId", error) ||
      pthread_create(&thread, NULL, initComm, start) != 0) {
    free(start);
    return false;
  }
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += tile_rt_wait_patience();
  if (pthread_timedjoin_np(thread, NULL, &end) != 0) {
    group->isStuck = true;
    return tile_rt_fail(error,
                        "rank %" PRId32 " of %" PRId32
                        " waits for the other processes at %s; they did not "
                        "come in %" PRId64 " s",
                        group->rank, group->size, getenv("NCCL_COMM_ID"),
                        tile_rt_wait_patience());
  }
  bool good = start->good || tile_rt_fail(error, "%s", start->error.message);
  free(start);
  return good;
}

/// One piece of at most kPieceBytes.
static bool gatherPiece(Group *group, const char *own, size_t bytes, char *all,
                        size_t stride, TileRtError *error) {
  TileRtDevice *device = group->device;
  const TileRtDeviceOps *ops = device->ops;
  void *before;
  bool done = false;
  if (!ops->copy(device, group->box, own, bytes, TILE_RT_COPY_TO_DEVICE,
                 group->stream, error) ||
      !tile_rt_cuda_enter(device, &before, error))
    return false;
  int result =
      group->nccl->allGather(group->box, group->box + kPieceBytes, bytes,
                             kBytes, group->comm, group->stream);
  tile_rt_cuda_leave(device, before);
  if (!check(group->nccl, result, "ncclAllGather", error) ||
      !tile_rt_cuda_sync_within(device, group->stream, tile_rt_wait_patience(),
                                &done, error))
    return false;
  if (!done) {
    group->nccl->abort(group->comm);
    group->comm = NULL;
    return tile_rt_fail(error,
                        "rank %" PRId32 " waits for the other processes; they "
                        "did not come in %" PRId64 " s",
                        group->rank, tile_rt_wait_patience());
  }
  for (int32_t k = 0; k < group->size; ++k)
    if (!ops->copy(device, all + (size_t)k * stride,
                   group->box + kPieceBytes + (size_t)k * bytes, bytes,
                   TILE_RT_COPY_FROM_DEVICE, group->stream, error))
      return false;
  return ops->sync(device, group->stream, error);
}

static bool gather(void *context, const void *own, size_t bytes, void *all,
                   TileRtError *error) {
  Group *group = context;
  if (!group->comm)
    return tile_rt_fail(error, "the processes of NCCL have parted");
  for (size_t at = 0; at < bytes; at += kPieceBytes) {
    size_t piece = bytes - at < kPieceBytes ? bytes - at : kPieceBytes;
    if (!gatherPiece(group, (const char *)own + at, piece, (char *)all + at,
                     bytes, error))
      return false;
  }
  return true;
}

static void closeGroup(void *context) {
  Group *group = context;
  TileRtDevice *device = group->device;
  TileRtError ignored;
  void *before;
  if (group->isStuck)
    return;
  if (group->comm && tile_rt_cuda_enter(device, &before, &ignored)) {
    group->nccl->destroy(group->comm);
    tile_rt_cuda_leave(device, before);
  }
  if (group->stream)
    device->ops->streamDestroy(device, group->stream, &ignored);
  if (group->box)
    device->ops->free(device, group->box, &ignored);
  if (device)
    tile_rt_device_close(device);
  free(group);
}

static bool openGroup(Group *group, TileRtError *error) {
  enum { kMaxRanks = 1024 };
  int32_t ordinal;
  void *box;
  if (!(group->nccl = findNccl(error)) ||
      !readNumber("WORLD_SIZE", 1, kMaxRanks, &group->size, error) ||
      !readNumber("RANK", 0, group->size - 1, &group->rank, error) ||
      !readNumber("LOCAL_RANK", 0, kMaxRanks, &ordinal, error) ||
      !findMeetingPlace(&group->namesPlace, error) ||
      !tile_rt_cuda_open(ordinal, &group->device, error))
    return false;
  TileRtDevice *device = group->device;
  if (!device->ops->alloc(device, kPieceBytes * ((size_t)group->size + 1), &box,
                          error))
    return false;
  group->box = box;
  return device->ops->streamCreate(device, &group->stream, error) &&
         join(group, error);
}

bool tile_rt_comm_open_nccl(TileRtComm **out, TileRtError *error) {
  Group *group = calloc(1, sizeof(*group));
  if (!group)
    return tile_rt_fail(error, "no memory for a communicator");
  bool good = openGroup(group, error);
  // Other communicators of the process meet elsewhere.
  if (group->namesPlace)
    unsetenv("NCCL_COMM_ID");
  TileRtExchange exchange = {group->rank, group->size, group, gather,
                             closeGroup};
  if (good && tile_rt_comm_open_on(group->device, &exchange, out, error))
    return true;
  closeGroup(group);
  return false;
}
