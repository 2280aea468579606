// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the instructions that sm_90 brought.

#include "nvidia_hopper.h"

#define NVVM "llvm.nvvm."

const struct simt_function simt_nvidia_hopper[] = {
    // mbarrier
    {NVVM "mbarrier.init*", SIMT_THREAD, nv_mbarrier_init, 0, 0, 0},
    {NVVM "mbarrier.inval*", SIMT_THREAD, nv_mbarrier_inval, 0, 0, 0},
    {NVVM "mbarrier.arrive*", SIMT_THREAD, nv_mbarrier_arrive, 0, 0, SIMT_SYNC},
    {NVVM "mbarrier.expect.tx.*", SIMT_THREAD, nv_mbarrier_expect, 0, 0,
     SIMT_SYNC},
    {NVVM "mbarrier.complete.tx.*", SIMT_THREAD, nv_mbarrier_complete, 0, 0,
     SIMT_SYNC},
    {NVVM "mbarrier.test.wait*", SIMT_THREAD, nv_mbarrier_wait, 0, 0,
     SIMT_SYNC},
    {NVVM "mbarrier.try.wait*", SIMT_THREAD, nv_mbarrier_wait, 0, 0, SIMT_SYNC},
    {NVVM "mbarrier.pending.count", SIMT_THREAD, nv_mbarrier_pending, 0, 0, 0},
    {NVVM "fence.mbarrier_init.release.cluster", SIMT_THREAD,
     nv_fence_mbarrier_init, 0, 0, SIMT_SYNC},
    {NVVM "fence.proxy.async", SIMT_THREAD, nv_fence_proxy_async, 0, 0,
     SIMT_SYNC},
    {NVVM "fence.proxy.async.global", SIMT_THREAD, nv_fence_proxy_async, 0, 0,
     SIMT_SYNC},
    {NVVM "fence.proxy.async.shared_*", SIMT_THREAD, nv_fence_proxy_async, 0, 0,
     SIMT_SYNC},

    // Copies
    {NVVM "cp.async.bulk.tensor.g2s.tile.*", SIMT_THREAD, nv_tensor_load, 0, 0,
     0},
    {NVVM "cp.async.bulk.tensor.g2s.cta.tile.*", SIMT_THREAD, nv_tensor_load, 0,
     0, 0},
    {NVVM "cp.async.bulk.tensor.s2g.tile.*", SIMT_THREAD, nv_tensor_store, 0, 0,
     0},
    {NVVM "cp.async.bulk.tensor.reduce.*", SIMT_THREAD, nv_tensor_store, 0, 0,
     0},
    {NVVM "cp.async.bulk.tensor.prefetch.*", SIMT_THREAD, 0, 0, 0, 0},
    {NVVM "cp.async.bulk.prefetch.*", SIMT_THREAD, 0, 0, 0, 0},
    {NVVM "prefetch.tensormap*", SIMT_THREAD, 0, 0, 0, 0},
    {NVVM "cp.async.bulk.global.to.shared.*", SIMT_THREAD, nv_bulk_load, 0, 0,
     0},
    {NVVM "cp.async.bulk.shared.cta.to.cluster", SIMT_THREAD,
     nv_bulk_to_cluster, 0, 0, 0},
    {NVVM "cp.async.bulk.shared.cta.to.global", SIMT_THREAD, nv_bulk_store, 0,
     0, 0},
    {NVVM "cp.async.bulk.commit.group", SIMT_THREAD, nv_bulk_commit, 0, 0,
     SIMT_SYNC},
    {NVVM "cp.async.bulk.wait.group*", SIMT_THREAD, nv_bulk_wait, 0, 0,
     SIMT_SYNC},
    {"st.async.*", SIMT_THREAD, nv_store_async, 0, 0, 0},

    // wgmma
    {NVVM "wgmma.fence.sync.aligned", SIMT_WARPGROUP, nv_wgmma_fence, 0, 0,
     SIMT_SYNC},
    {NVVM "wgmma.commit_group.sync.aligned", SIMT_WARPGROUP, nv_wgmma_commit, 0,
     0, SIMT_SYNC},
    {NVVM "wgmma.wait_group.sync.aligned", SIMT_WARPGROUP, nv_wgmma_wait, 0, 0,
     SIMT_SYNC},
    {"wgmma.fence.sync.aligned", SIMT_WARPGROUP, nv_wgmma_fence, 0, 0,
     SIMT_SYNC},
    {"wgmma.commit_group.sync.aligned", SIMT_WARPGROUP, nv_wgmma_commit, 0, 0,
     SIMT_SYNC},
    {"wgmma.wait_group.sync.aligned", SIMT_WARPGROUP, nv_wgmma_wait, 0, 0,
     SIMT_SYNC},
    {"wgmma.mma_async.sync.aligned.m64*", SIMT_WARPGROUP, nv_wgmma_mma, 1, 0,
     0},
    {"wgmma.mma_async.sp.sync.aligned.m64*", SIMT_WARPGROUP, nv_wgmma_mma, 1, 0,
     0},

    // Clusters and warps
    {NVVM "barrier.cluster.arrive*", SIMT_THREAD, nv_cluster_arrive, 0, 0,
     SIMT_SYNC},
    {NVVM "barrier.cluster.wait*", SIMT_THREAD, nv_cluster_wait, 0, 0,
     SIMT_SYNC},
    {NVVM "mapa*", SIMT_THREAD, nv_cluster_map, 0, 0, 0},
    {NVVM "getctarank*", SIMT_THREAD, nv_cluster_rank_of, 0, 0, 0},
    {NVVM "read.ptx.sreg.cluster*", SIMT_THREAD, nv_cluster_register, 0, 0, 0},
    {NVVM "read.ptx.sreg.ncluster*", SIMT_THREAD, nv_cluster_register, 0, 0, 0},
    {NVVM "is_explicit_cluster", SIMT_THREAD, nv_cluster_register, 0, 0, 0},
    {NVVM "elect.sync", SIMT_MASK, nv_elect, 0, 0, 0},
    {NVVM "setmaxnreg.*", SIMT_THREAD, nv_set_max_registers, 0, 0, 0},
    {NVVM "griddepcontrol.wait", SIMT_THREAD, nv_grid_wait, 0, 0, SIMT_SYNC},
    {NVVM "griddepcontrol.launch.dependents", SIMT_THREAD, 0, 0, 0, 0},
    {"griddepcontrol.wait", SIMT_THREAD, nv_grid_wait, 0, 0, SIMT_SYNC},
    {"griddepcontrol.launch_dependents", SIMT_THREAD, 0, 0, 0, 0},
    {0}};
