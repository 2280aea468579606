// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes with a GPU each, which tell each other where their memory is. Facts:
// CUDA C++ Programming Guide, "Interprocess Communication".

#include "Comm.h"

#include "TileRuntime/CUDA.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct DeviceComm {
  TileRtComm base;
  TileRtExchange exchange;
  void **memory; ///< of each process, null where it is not open
} DeviceComm;

/// What a process says of a step that all do; a failure is everybody's.
typedef struct Offer {
  unsigned char handle[TILE_RT_CUDA_HANDLE_BYTES];
  char message[192]; ///< empty: it succeeded
} Offer;

bool tile_rt_exchange_meet(const TileRtExchange *exchange, TileRtError *error) {
  char own = 0, *all = malloc((size_t)exchange->size);
  bool done = all ? exchange->gather(exchange->context, &own, 1, all, error)
                  : tile_rt_fail(error, "no memory for a communicator");
  free(all);
  return done;
}

static bool meet(TileRtComm *base, TileRtError *error) {
  return tile_rt_exchange_meet(&((const DeviceComm *)base)->exchange, error);
}

/// Tells all processes what became of a step of this one: `failure` is null where
/// it succeeded. Fails where one did not.
static bool agree(const DeviceComm *comm, Offer *own, const TileRtError *failure,
                  Offer *all, TileRtError *error) {
  own->message[0] = 0;
  if (failure)
    snprintf(own->message, sizeof(own->message), "%.*s",
             (int)sizeof(own->message) - 1, failure->message);
  if (!comm->exchange.gather(comm->exchange.context, own, sizeof(*own), all,
                             error))
    return false;
  for (int32_t k = 0; k < comm->base.size; ++k)
    if (all[k].message[0])
      return tile_rt_fail(error, "rank %" PRId32 ": %s", k, all[k].message);
  return true;
}

/// Opens the memory of the others.
static bool import(DeviceComm *comm, const Offer *all, TileRtError *error) {
  for (int32_t k = 0; k < comm->base.size; ++k)
    if (k != comm->base.rank &&
        !tile_rt_cuda_import(comm->base.device, all[k].handle,
                             &comm->memory[k], error))
      return false;
  return true;
}

static bool allocMemory(TileRtComm *base, size_t bytes, void **memory,
                        TileRtError *error) {
  DeviceComm *comm = (DeviceComm *)base;
  TileRtDevice *device = base->device;
  TileRtError failure;
  Offer own, *all = calloc((size_t)base->size, sizeof(*all));
  if (!all)
    return tile_rt_fail(error, "no memory for a communicator");
  memset(&own, 0, sizeof(own));
  size_t pieces = (bytes + TILE_RT_CUDA_SHARED_BYTES - 1) /
                  TILE_RT_CUDA_SHARED_BYTES;
  bool good =
      device->ops->alloc(device, pieces * TILE_RT_CUDA_SHARED_BYTES,
                         &comm->memory[base->rank], &failure) &&
      tile_rt_cuda_export(device, comm->memory[base->rank], own.handle,
                          &failure);
  good = agree(comm, &own, good ? NULL : &failure, all, error);
  if (good) {
    bool opened = import(comm, all, &failure);
    good = agree(comm, &own, opened ? NULL : &failure, all, error);
  }
  for (int32_t k = 0; k < base->size; ++k)
    memory[k] = comm->memory[k];
  free(all);
  return good;
}

/// Memory is freed when nobody has it open.
static void freeMemory(TileRtComm *base) {
  DeviceComm *comm = (DeviceComm *)base;
  TileRtError ignored;
  bool met = meet(base, &ignored);
  for (int32_t k = 0; k < base->size; ++k)
    if (k != base->rank && comm->memory[k])
      tile_rt_cuda_release(base->device, comm->memory[k], &ignored);
  if (met)
    meet(base, &ignored);
  if (comm->memory[base->rank])
    base->device->ops->free(base->device, comm->memory[base->rank], &ignored);
  memset(comm->memory, 0, (size_t)base->size * sizeof(*comm->memory));
}

static void closeComm(TileRtComm *base) {
  DeviceComm *comm = (DeviceComm *)base;
  if (comm->exchange.close)
    comm->exchange.close(comm->exchange.context);
  free(comm->memory);
  free(comm);
}

/// The others find that this process is gone.
static void abortAll(TileRtComm *base) {
  (void)base;
  exit(1);
}

bool tile_rt_comm_open_on(TileRtDevice *device, const TileRtExchange *exchange,
                          TileRtComm **out, TileRtError *error) {
  static const TileRtCommOps ops = {.name = "device",
                                    .alloc = allocMemory,
                                    .free = freeMemory,
                                    .barrier = meet,
                                    .close = closeComm,
                                    .abort = abortAll};
  *out = NULL;
  if (exchange->size < 1 || exchange->rank < 0 ||
      exchange->rank >= exchange->size)
    return tile_rt_fail(error,
                        "expected a rank of 0 to %" PRId32 ", got %" PRId32,
                        exchange->size - 1, exchange->rank);
  if (device->id.device_type != TILE_RT_DL_CUDA)
    return tile_rt_fail(error, "expected a CUDA device for a rank");
  DeviceComm *comm = calloc(1, sizeof(*comm));
  void **memory = calloc((size_t)exchange->size, sizeof(*memory));
  if (!comm || !memory) {
    free(comm);
    free(memory);
    return tile_rt_fail(error, "no memory for a communicator");
  }
  comm->base = (TileRtComm){&ops, exchange->rank, exchange->size, device};
  comm->exchange = *exchange;
  comm->memory = memory;
  *out = &comm->base;
  return true;
}
