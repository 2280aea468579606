// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes with a GPU each, and memory of NVSHMEM's symmetric heap. NCCL
// brings them together: who begins with NVSHMEM has to know the number that the
// first process made. Only the host's library is needed: kernels read and write
// the memory of others at the addresses of nvshmem_ptr. Facts: NVSHMEM API
// documentation, "Library Setup, Exit, and Query" and "Memory Management"; its
// ABI is version 1 of the structures in nvshmem_types.h.

#include "CUDADevice.h"
#include "Comm.h"
#include "Library.h"
#include "Processes.h"

#include "TileRuntime/CUDA.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What such a structure of version 1 begins with.
#define TILE_RT_VERSION_ONE(type) ((1 << 16) + (int)sizeof(type))

typedef struct Id {
  int version;
  char bytes[124];
} Id;

typedef struct IdArgs {
  int version;
  const Id *id;
  int rank, size;
} IdArgs;

typedef struct InitArgs {
  int version;
  IdArgs id;
  char rest[96];
} InitArgs;

typedef struct InitAttributes {
  int version;
  void *mpi;
  InitArgs args;
} InitAttributes;

/// X(field, symbol, result, parameters). Numbers are 0 for success.
#define TILE_RT_NVSHMEM_FUNCTIONS(X)                                           \
  X(getUniqueId, "nvshmemx_get_uniqueid", int, (Id * id))                      \
  X(setUniqueId, "nvshmemx_set_attr_uniqueid_args", int,                       \
    (int rank, int size, const Id *id, InitAttributes *attributes))            \
  X(init, "nvshmemx_hostlib_init_attr", int,                                   \
    (unsigned flags, InitAttributes *attributes))                              \
  X(finalize, "nvshmemx_hostlib_finalize", void, (void))                       \
  X(allocate, "nvshmem_malloc", void *, (size_t bytes))                        \
  X(release, "nvshmem_free", void, (void *memory))                             \
  X(find, "nvshmem_ptr", void *, (const void *memory, int rank))

typedef struct Nvshmem {
  void *library;
#define TILE_RT_FIELD(field, symbol, result, parameters)                       \
  result(*field) parameters;
  TILE_RT_NVSHMEM_FUNCTIONS(TILE_RT_FIELD)
#undef TILE_RT_FIELD
} Nvshmem;

typedef struct NvshmemComm {
  TileRtComm base;
  const Nvshmem *nvshmem;
  TileRtExchange exchange;
  Id id;
  size_t bytes; ///< of what is allocated
  void *memory;
  bool isInitialised;
  bool hasParted; ///< the others did not come: nothing more is done together
  TileRtProcesses processes;
} NvshmemComm;

static const TileRtSymbol symbols[] = {
#define TILE_RT_SYMBOL(field, symbol, result, parameters)                      \
  {symbol, false, offsetof(Nvshmem, field)},
    TILE_RT_NVSHMEM_FUNCTIONS(TILE_RT_SYMBOL)
#undef TILE_RT_SYMBOL
};

static const Nvshmem *findNvshmem(TileRtError *error) {
  static const TileRtLibrary library = {.kind = "NVSHMEM",
                                        .variable = "TILE_NVSHMEM_LIBRARY",
                                        .file = "libnvshmem_host.so.3",
                                        .version = "NVSHMEM 3.0",
                                        .symbols = symbols,
                                        .count =
                                            sizeof(symbols) / sizeof(*symbols)};
  static Nvshmem nvshmem;
  static TileRtLibraryOnce once = TILE_RT_LIBRARY_ONCE;
  return tile_rt_processes_load(&library, &once, &nvshmem, "nvshmem", error)
             ? &nvshmem
             : NULL;
}

//===----------------------------------------------------------------------===//
// What all processes do together
//===----------------------------------------------------------------------===//

static bool start(void *context, TileRtError *error) {
  enum { kWithUniqueId = 1 << 3 };
  NvshmemComm *comm = context;
  const Nvshmem *nvshmem = comm->nvshmem;
  InitAttributes attributes;
  void *before; // here and below, the thread ends with it
  memset(&attributes, 0, sizeof(attributes));
  attributes.version = TILE_RT_VERSION_ONE(InitAttributes);
  attributes.args.version = TILE_RT_VERSION_ONE(InitArgs);
  attributes.args.id.version = TILE_RT_VERSION_ONE(IdArgs);
  if (!tile_rt_cuda_enter(comm->base.device, &before, error))
    return false;
  int result = nvshmem->setUniqueId(comm->base.rank, comm->base.size, &comm->id,
                                    &attributes);
  if (result == 0)
    result = nvshmem->init(kWithUniqueId, &attributes);
  return result == 0 || tile_rt_fail(error,
                                     "NVSHMEM does not start: error %d; "
                                     "NVSHMEM_DEBUG=INFO tells more",
                                     result);
}

static bool allocate(void *context, TileRtError *error) {
  NvshmemComm *comm = context;
  void *before;
  if (!tile_rt_cuda_enter(comm->base.device, &before, error))
    return false;
  comm->memory = comm->nvshmem->allocate(comm->bytes);
  return comm->memory ||
         tile_rt_fail(error,
                      "NVSHMEM has no %zu bytes of symmetric memory; "
                      "NVSHMEM_SYMMETRIC_SIZE says how much it has",
                      comm->bytes);
}

static bool release(void *context, TileRtError *error) {
  NvshmemComm *comm = context;
  void *before;
  if (!tile_rt_cuda_enter(comm->base.device, &before, error))
    return false;
  comm->nvshmem->release(comm->memory);
  return true;
}

static bool finish(void *context, TileRtError *error) {
  NvshmemComm *comm = context;
  void *before;
  if (!tile_rt_cuda_enter(comm->base.device, &before, error))
    return false;
  comm->nvshmem->finalize();
  return true;
}

static bool together(NvshmemComm *comm, TileRtTogether call,
                     TileRtError *error) {
  comm->processes.rank = comm->base.rank;
  comm->processes.size = comm->base.size;
  if (comm->hasParted)
    return tile_rt_fail(error, "the processes of NVSHMEM have parted");
  bool good = tile_rt_processes_call(&comm->processes, call, comm, error);
  comm->hasParted = comm->processes.isStuck;
  return good;
}

/// The number that the first process makes, or what went wrong there.
static bool shareId(NvshmemComm *comm, TileRtError *error) {
  typedef struct Offer {
    Id id;
    int result;
  } Offer;
  Offer own, *all = calloc((size_t)comm->base.size, sizeof(*all));
  if (!all)
    return tile_rt_fail(error, "no memory for a communicator");
  memset(&own, 0, sizeof(own));
  own.id.version = TILE_RT_VERSION_ONE(Id);
  if (comm->base.rank == 0)
    own.result = comm->nvshmem->getUniqueId(&own.id);
  bool good = comm->exchange.gather(comm->exchange.context, &own, sizeof(own),
                                    all, error);
  if (good && all[0].result != 0)
    good =
        tile_rt_fail(error, "nvshmemx_get_uniqueid: error %d", all[0].result);
  comm->id = all[0].id;
  free(all);
  return good;
}

//===----------------------------------------------------------------------===//
// The provider
//===----------------------------------------------------------------------===//

static bool allocMemory(TileRtComm *base, size_t bytes, void **memory,
                        TileRtError *error) {
  NvshmemComm *comm = (NvshmemComm *)base;
  comm->bytes = bytes;
  if (!together(comm, allocate, error))
    return false;
  for (int32_t k = 0; k < base->size; ++k) {
    memory[k] = comm->nvshmem->find(comm->memory, k);
    if (!memory[k])
      return tile_rt_fail(error,
                          "rank %" PRId32 " does not reach the memory of rank "
                          "%" PRId32 "; ranks run on one host, with peer "
                          "access between all GPUs",
                          base->rank, k);
  }
  return true;
}

static bool meet(TileRtComm *base, TileRtError *error) {
  NvshmemComm *comm = (NvshmemComm *)base;
  bool done = tile_rt_exchange_meet(&comm->exchange, error);
  comm->hasParted |= !done;
  return done;
}

/// What ends in a barrier of NVSHMEM's kernels. Without one of the processes
/// such a kernel never ends, nor does anything else that needs the device, so
/// that the processes meet before.
static void endTogether(NvshmemComm *comm, TileRtTogether call) {
  TileRtError ignored;
  if (!comm->hasParted && meet(&comm->base, &ignored))
    together(comm, call, &ignored);
}

static void freeMemory(TileRtComm *base) {
  NvshmemComm *comm = (NvshmemComm *)base;
  if (comm->memory)
    endTogether(comm, release);
  comm->memory = NULL;
}

static void closeComm(TileRtComm *base) {
  NvshmemComm *comm = (NvshmemComm *)base;
  freeMemory(base);
  if (comm->isInitialised)
    endTogether(comm, finish);
  // A thread has all of this.
  if (comm->processes.isStuck)
    return;
  if (comm->exchange.close)
    comm->exchange.close(comm->exchange.context);
  free(comm);
}

/// The others find that this process is gone. What NVSHMEM does at an exit
/// would wait for them.
static void abortAll(TileRtComm *base) {
  (void)base;
  fflush(NULL);
  _Exit(1);
}

static bool openComm(NvshmemComm *comm, TileRtError *error) {
  TileRtExchange exchange;
  if (!(comm->nvshmem = findNvshmem(error)) ||
      !tile_rt_nccl_exchange(&exchange, &comm->base.device, error))
    return false;
  comm->exchange = exchange;
  comm->base.rank = exchange.rank;
  comm->base.size = exchange.size;
  comm->isInitialised = shareId(comm, error) && together(comm, start, error);
  return comm->isInitialised;
}

bool tile_rt_comm_open_nvshmem(TileRtComm **out, TileRtError *error) {
  static const TileRtCommOps ops = {.name = "nvshmem",
                                    .alloc = allocMemory,
                                    .free = freeMemory,
                                    .barrier = meet,
                                    .close = closeComm,
                                    .abort = abortAll};
  NvshmemComm *comm = calloc(1, sizeof(*comm));
  if (!comm)
    return tile_rt_fail(error, "no memory for a communicator");
  comm->base.ops = &ops;
  bool good = openComm(comm, error);
  if (good)
    *out = &comm->base;
  else
    closeComm(&comm->base);
  return good;
}
