// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters, elections, registers of warps, dependent grids. Source: PTX ISA,
// "barrier.cluster", "mapa", "getctarank", "elect.sync", "setmaxnreg",
// "griddepcontrol", "Special Registers".

#include "nvidia_hopper.h"

#include <stdio.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// barrier.cluster
//===----------------------------------------------------------------------===//

typedef struct ClusterBarrier {
  int arrived;
  uint64_t phase;
  struct simt_sync sync[2]; // of even and of odd phases
} ClusterBarrier;

typedef struct Arrival {
  bool waits;
  uint64_t phase;
} Arrival;

static void endBarrier(void *data) {
  ClusterBarrier *barrier = data;
  for (int i = 0; i < 2; ++i)
    simt_sync_clear(&barrier->sync[i]);
}

static ClusterBarrier *getBarrier(const struct simt_call *call) {
  static const char key;
  return simt_state(simt_cluster_block(call->block, 0), &key,
                    sizeof(ClusterBarrier), endBarrier);
}

static Arrival *getArrival(const struct simt_call *call) {
  static const char key;
  return simt_thread_state(call->block, call->first, &key, sizeof(Arrival));
}

void nv_cluster_arrive(struct simt_call *call) {
  ClusterBarrier *barrier = getBarrier(call);
  Arrival *arrival = getArrival(call);
  if (arrival->waits)
    simt_fail(call, 0,
              "expected barrier.cluster.wait between two arrivals of a thread");
  *arrival = (Arrival){true, barrier->phase};
  if (!simt_has(call, "relaxed"))
    simt_release(call->block, call->first, &barrier->sync[barrier->phase & 1]);
  ++barrier->arrived;
}

typedef struct ClusterWait {
  struct simt_block *block;
  ClusterBarrier *barrier;
  uint64_t phase;
} ClusterWait;

/// All threads that have not returned are there.
static bool clusterArrived(void *argument) {
  ClusterWait *wait = argument;
  if (wait->barrier->phase > wait->phase)
    return true;
  int threads = 0;
  for (int rank = 0; rank < simt_cluster_size(wait->block); ++rank)
    threads += simt_live_threads(simt_cluster_block(wait->block, rank));
  if (wait->barrier->arrived < threads)
    return false;
  wait->barrier->arrived = 0;
  ++wait->barrier->phase;
  return true;
}

void nv_cluster_wait(struct simt_call *call) {
  Arrival *arrival = getArrival(call);
  if (!arrival->waits)
    simt_fail(call, 0, "expected barrier.cluster.arrive before the wait");
  ClusterWait wait = {call->block, getBarrier(call), arrival->phase};
  if (!clusterArrived(&wait))
    simt_wait(call, clusterArrived, &wait, "all threads of the cluster");
  arrival->waits = false;
  simt_acquire(call->block, call->first, &wait.barrier->sync[wait.phase & 1]);
}

//===----------------------------------------------------------------------===//
// Addresses and numbers
//===----------------------------------------------------------------------===//

/// mapa[.shared.cluster] address, rank
void nv_cluster_map(struct simt_call *call) {
  uint64_t address = simt_number(call, 0, 0);
  uint32_t rank = simt_word(call, 0, 1);
  struct simt_block *home = simt_block_at(call->block, address);
  if (rank >= (uint32_t)simt_cluster_size(call->block))
    simt_fail(call, 0, "expected a rank below %d, got %u",
              simt_cluster_size(call->block), rank);
  if (!home)
    simt_fail(call, 0, "expected an address of shared memory, got 0x%llx",
              (unsigned long long)address);
  simt_set(call, 0, 0,
           address - simt_shared_base(home) +
               simt_shared_base(simt_cluster_block(call->block, (int)rank)));
}

void nv_cluster_rank_of(struct simt_call *call) {
  struct simt_block *home = simt_block_at(call->block, simt_number(call, 0, 0));
  if (!home)
    simt_fail(call, 0, "expected an address of shared memory, got 0x%llx",
              (unsigned long long)simt_number(call, 0, 0));
  simt_set(call, 0, 0, (uint64_t)simt_cluster_rank(home));
}

static uint32_t component(struct simt_dim dim, const char *name) {
  return *name == 'x' ? dim.x : *name == 'y' ? dim.y : *name == 'z' ? dim.z : 0;
}

/// read.ptx.sreg.{cluster.ctaid,cluster.nctaid,clusterid,nclusterid}.{x,y,z},
/// cluster.ctarank, cluster.nctarank; is_explicit_cluster
void nv_cluster_register(struct simt_call *call) {
  const struct simt_launch *launch = simt_launch_of(call->block);
  struct simt_dim size = launch->cluster, block = simt_block_index(call->block);
  const char *last = simt_token(call, call->instruction->tokenCount - 1);
  uint32_t value = (uint32_t)simt_cluster_size(call->block);
  if (simt_has(call, "ctarank"))
    value = (uint32_t)simt_cluster_rank(call->block);
  else if (simt_has(call, "is_explicit_cluster"))
    value = value > 1;
  else if (simt_has(call, "ctaid"))
    value = component(
        (struct simt_dim){block.x % size.x, block.y % size.y, block.z % size.z},
        last);
  else if (simt_has(call, "nctaid"))
    value = component(size, last);
  else if (simt_has(call, "clusterid"))
    value = component(
        (struct simt_dim){block.x / size.x, block.y / size.y, block.z / size.z},
        last);
  else if (simt_has(call, "nclusterid"))
    value = component((struct simt_dim){launch->grid.x / size.x,
                                        launch->grid.y / size.y,
                                        launch->grid.z / size.z},
                      last);
  simt_set(call, 0, 0, value);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// elect.sync: the first lane of the mask, as on all hardware there is.
void nv_elect(struct simt_call *call) {
  int leader = 0;
  while (!call->active[leader])
    ++leader;
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    // One struct, or of assembly two operands.
    uint32_t *result = simt_result(call, lane, 0);
    result[0] = (uint32_t)leader;
    result[1] = lane == leader;
  }
}

enum {
  kRegisterFile = 65536,
  kRegisterUnit = 8,
  kFewestRegisters = 24,
  kMostRegisters = 256,
  kMostOfThread = 255, // that a compiler gives
  kWarpgroup = 128,
};

typedef struct Registers {
  int32_t free; // in the pool, for one thread each
  bool set;
} Registers;

static uint32_t registersAtLaunch(const struct simt_launch *launch) {
  uint32_t count = kRegisterFile / (uint32_t)launch->threads;
  count = count < kMostOfThread ? count : kMostOfThread;
  return count / kRegisterUnit * kRegisterUnit;
}

typedef struct RegisterWait {
  Registers *pool;
  int32_t needed;
} RegisterWait;

static bool registersFree(void *argument) {
  const RegisterWait *wait = argument;
  return wait->pool->free >= wait->needed;
}

/// setmaxnreg.{inc,dec}. A block is launched with as many registers a thread as
/// it can have when it is alone on its multiprocessor.
void nv_set_max_registers(struct simt_call *call) {
  static const char poolKey, ownKey;
  const struct simt_launch *launch = simt_launch_of(call->block);
  Registers *pool = simt_state(call->block, &poolKey, sizeof(*pool), NULL);
  uint32_t *own =
      simt_thread_state(call->block, call->first, &ownKey, sizeof(*own));
  uint32_t count = simt_word(call, 0, 0);
  uint32_t before = *own ? *own : registersAtLaunch(launch);
  bool increases = simt_has(call, "inc");
  if (!pool->set) {
    pool->set = true;
    pool->free = (int32_t)(kRegisterFile - registersAtLaunch(launch) *
                                               (uint32_t)launch->threads);
  }
  if (count < kFewestRegisters || count > kMostRegisters ||
      count % kRegisterUnit)
    simt_fail(call, 0, "expected %d to %d registers in steps of %d, got %u",
              kFewestRegisters, kMostRegisters, kRegisterUnit, count);
  if (launch->threads % kWarpgroup &&
      call->first >= launch->threads / kWarpgroup * kWarpgroup)
    simt_fail(call, 0,
              "expected setmaxnreg in whole warpgroups of %d threads, got a "
              "block of %d",
              kWarpgroup, launch->threads);
  if (increases ? count < before : count > before)
    simt_fail(call, 0, "expected %s %u registers, got %u",
              increases ? "at least" : "at most", before, count);
  RegisterWait wait = {pool, (int32_t)count - (int32_t)before};
  char what[64];
  snprintf(what, sizeof(what), "%d registers of the block's pool", wait.needed);
  if (!registersFree(&wait))
    simt_wait(call, registersFree, &wait, what);
  pool->free -= wait.needed;
  *own = count;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// griddepcontrol.wait: the grids that this one depends on have ended, and what
/// they wrote is visible. Launches of the model end one after the other, so all
/// that is left to do is to note that the thread has asked.
void nv_grid_wait(struct simt_call *call) {
  simt_wait_for_grid(call->block, call->first);
}
