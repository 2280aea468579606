// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions that sm_90 brought.

#ifndef SIMT_NVIDIA_HOPPER_H
#define SIMT_NVIDIA_HOPPER_H

#include "instruction.h"

// nvidia_wgmma.c
void nv_wgmma_fence(struct simt_call *call);
void nv_wgmma_mma(struct simt_call *call);
void nv_wgmma_commit(struct simt_call *call);
void nv_wgmma_wait(struct simt_call *call);

// nvidia_mbarrier.c
void nv_mbarrier_init(struct simt_call *call);
void nv_mbarrier_inval(struct simt_call *call);
void nv_mbarrier_arrive(struct simt_call *call);
void nv_mbarrier_expect(struct simt_call *call);
void nv_mbarrier_complete(struct simt_call *call);
void nv_mbarrier_wait(struct simt_call *call);
void nv_mbarrier_pending(struct simt_call *call);
void nv_fence_mbarrier_init(struct simt_call *call);
void nv_fence_proxy_async(struct simt_call *call);
/// An arrival of operand 0 that is to come: one more, or one that was counted.
void nv_mbarrier_announce(const struct simt_call *call, bool isCounted);
/// The copies of a thread that announced it are complete.
void nv_mbarrier_copied(const struct simt_actor *actor, uint64_t address);
/// Checks that a lane may give the mbarrier to an asynchronous operation.
void nv_mbarrier_check(const struct simt_call *call, int lane,
                       uint64_t address);
/// An asynchronous operation has moved `bytes` that the mbarrier waits for.
void nv_mbarrier_moved(const struct simt_actor *actor, uint64_t address,
                       uint32_t bytes);

// nvidia_tensor_copy.c
void nv_tensor_load(struct simt_call *call);
void nv_tensor_store(struct simt_call *call);

// nvidia_bulk.c
void nv_bulk_load(struct simt_call *call);
void nv_bulk_to_cluster(struct simt_call *call);
void nv_bulk_store(struct simt_call *call);
void nv_bulk_commit(struct simt_call *call);
void nv_bulk_wait(struct simt_call *call);
void nv_store_async(struct simt_call *call);
/// Bytes of shared memory on their way to global memory.
struct nv_store;
/// An operation of the lane's open bulk group: `read` fetches its `bytes` from
/// shared memory, later `write` puts them into global memory.
void nv_bulk_issue(const struct simt_call *call, size_t bytes,
                   void (*read)(struct nv_store *),
                   void (*write)(struct nv_store *), const void *data,
                   size_t dataBytes);
struct nv_store {
  struct simt_actor reader, writer;
  void (*read)(struct nv_store *);
  void (*write)(struct nv_store *);
  uint64_t readEffect;
  uint8_t *bytes;
  _Alignas(16) uint8_t data[256];
};

// nvidia_cluster.c
void nv_cluster_arrive(struct simt_call *call);
void nv_cluster_wait(struct simt_call *call);
void nv_cluster_map(struct simt_call *call);
void nv_cluster_rank_of(struct simt_call *call);
void nv_cluster_register(struct simt_call *call);
void nv_elect(struct simt_call *call);
void nv_grid_wait(struct simt_call *call);
void nv_set_max_registers(struct simt_call *call);

#endif // SIMT_NVIDIA_HOPPER_H
