// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes of NCCL, one for each GPU of a host. NCCL brings them together;
// memory is shared as in CommDevice.c, which needs no version of NCCL. Facts:
// NCCL User Guide, "Communicator Creation and Management Functions" and
// "Environment Variables" (NCCL_COMM_ID); its ABI is that of nccl.h 2.x.

#include "CUDADevice.h"
#include "Comm.h"
#include "Library.h"
#include "Meeting.h"
#include "Processes.h"

#include "TileRuntime/CUDA.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
  TileRtProcesses processes;
  TileRtStream stream;
  char *box; ///< of the device: the own piece, and then those of all
} Group;

enum { kPieceBytes = 4096, kBytes = 0 /* ncclInt8 */ };

static const TileRtSymbol symbols[] = {
#define TILE_RT_SYMBOL(field, symbol, parameters)                              \
  {symbol, false, offsetof(Nccl, field)},
    TILE_RT_NCCL_FUNCTIONS(TILE_RT_SYMBOL)
#undef TILE_RT_SYMBOL
        {"ncclGetErrorString", false, offsetof(Nccl, getErrorString)}};

static const Nccl *findNccl(TileRtError *error) {
  static const TileRtLibrary library = {.kind = "NCCL",
                                        .variable = "TILE_NCCL_LIBRARY",
                                        .file = "libnccl.so.2",
                                        .version = "NCCL 2.4",
                                        .symbols = symbols,
                                        .count =
                                            sizeof(symbols) / sizeof(*symbols)};
  static Nccl nccl;
  static TileRtLibraryOnce once = TILE_RT_LIBRARY_ONCE;
  return tile_rt_processes_load(&library, &once, &nccl, "nccl", error) ? &nccl
                                                                       : NULL;
}

static bool check(const Nccl *nccl, int result, const char *what,
                  TileRtError *error) {
  return result == 0 ||
         tile_rt_fail(error, "%s: %s", what, nccl->getErrorString(result));
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// All processes come, or none.
typedef struct Start {
  Group *group;
  Id id;
} Start;

static bool initComm(void *argument, TileRtError *error) {
  Start *start = argument;
  Group *group = start->group;
  void *before; // the thread ends with it
  return tile_rt_cuda_enter(group->device, &before, error) &&
         check(group->nccl,
               group->nccl->init(&group->comm, group->processes.size, start->id,
                                 group->processes.rank),
               "ncclCommInitRank", error);
}

static bool join(Group *group, TileRtError *error) {
  Start *start = calloc(1, sizeof(*start));
  if (!start)
    return tile_rt_fail(error, "no memory for a communicator");
  start->group = group;
  bool good = check(group->nccl, group->nccl->getUniqueId(&start->id),
                    "ncclGetUniqueId", error) &&
              tile_rt_processes_call(&group->processes, initComm, start, error);
  if (!group->processes.isStuck)
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
                        group->processes.rank, tile_rt_wait_patience());
  }
  for (int32_t k = 0; k < group->processes.size; ++k)
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
  // A thread has all of this.
  if (group->processes.isStuck)
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
  void *box;
  if (!(group->nccl = findNccl(error)) ||
      !tile_rt_processes_find(&group->processes, "NCCL_COMM_ID", error) ||
      !tile_rt_cuda_open(group->processes.ordinal, &group->device, error))
    return false;
  TileRtDevice *device = group->device;
  if (!device->ops->alloc(device,
                          kPieceBytes * ((size_t)group->processes.size + 1),
                          &box, error))
    return false;
  group->box = box;
  return device->ops->streamCreate(device, &group->stream, error) &&
         join(group, error);
}

bool tile_rt_nccl_exchange(TileRtExchange *exchange, TileRtDevice **device,
                           TileRtError *error) {
  Group *group = calloc(1, sizeof(*group));
  if (!group)
    return tile_rt_fail(error, "no memory for a communicator");
  bool good = openGroup(group, error);
  tile_rt_processes_forget_place(&group->processes);
  *exchange = (TileRtExchange){group->processes.rank, group->processes.size,
                               group, gather, closeGroup};
  *device = group->device;
  if (!good)
    closeGroup(group);
  return good;
}

bool tile_rt_comm_open_nccl(TileRtComm **out, TileRtError *error) {
  TileRtExchange exchange;
  TileRtDevice *device = NULL;
  if (!tile_rt_nccl_exchange(&exchange, &device, error))
    return false;
  if (tile_rt_comm_open_on(device, &exchange, out, error))
    return true;
  exchange.close(exchange.context);
  return false;
}
