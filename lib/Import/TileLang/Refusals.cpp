//===- Refusals.cpp - what TileLang has and we have not -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Refusals.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

namespace {
struct Refusal {
  StringRef begins; ///< of the names of intrinsics
  StringRef construct, wayOut;
};
} // namespace

static constexpr StringLiteral kPartitions =
    "write T.Pipelined and T.copy; stages, barriers and partitions of warps are "
    "the compiler's";

static constexpr StringLiteral kWarps =
    "call it where whole warps are, outside of T.Parallel and of branches on "
    "data, with all lanes and a constant width; or write T.reduce";

/// The first row that fits counts.
static const Refusal kRefusals[] = {
    {"tcgen05", "tcgen05, an instruction of sm_100", "write T.gemm"},
    {"clc_", "cluster launch control", "write T.Kernel over all tiles"},
    {"mbarrier", "an explicit barrier", kPartitions},
    {"ptx_arrive", "an explicit barrier", kPartitions},
    {"ptx_init_barrier", "an explicit barrier", kPartitions},
    {"named_barrier", "an explicit barrier", kPartitions},
    {"ptx_cp_async", "an explicit asynchronous copy", kPartitions},
    {"ptx_commit_group", "an explicit asynchronous copy", kPartitions},
    {"ptx_wait_group", "an explicit asynchronous copy", kPartitions},
    {"async_copy", "an explicit asynchronous copy", kPartitions},
    {"tma_", "an explicit tensor copy", kPartitions},
    {"create_tma", "an explicit tensor copy", kPartitions},
    {"wgmma", "an explicit asynchronous gemm", "write T.gemm"},
    {"wait_wgmma", "an explicit asynchronous gemm", "write T.gemm"},
    {"warpgroup", "an explicit asynchronous gemm", "write T.gemm"},
    {"ptx_mma", "a matrix instruction of one chip", "write T.gemm"},
    {"ptx_", "an instruction of one chip", "write T.copy and T.gemm"},
    {"tvm_mfma", "a matrix instruction of one chip", "write T.gemm"},
    {"tvm_wmma", "a matrix instruction of one chip", "write T.gemm"},
    {"mma_", "a matrix instruction of one chip", "write T.gemm"},
    {"gemm_sp", "a product with a 2:4 sparse operand",
     "expand the operand, and write T.gemm"},
    {"call_extern", "a call of foreign code", "write it with T"},
    {"call_pure_extern", "a call of foreign code", "write it with T"},
    {"cluster_", "what the blocks of a cluster say to each other",
     "communicate through global memory and atomics"},
    {"block_rank_in_cluster", "what the blocks of a cluster say to each other",
     "communicate through global memory and atomics"},
    {"copy_cluster", "what the blocks of a cluster say to each other",
     "communicate through global memory and atomics"},
    {"sync_grid", "a barrier over the grid", "write two kernels"},
    {"rng_", "random numbers", "pass them as a T.Tensor"},
    {"pdl_", "programmatic dependent launch", "leave it out"},
    {"tvm_thread_allreduce", "a reduction over threads", "write T.reduce"},
    {"shfl", "a shuffle between the lanes of a warp", kWarps},
    {"warp_reduce", "a reduction over the lanes of a warp", kWarps},
    {"ballot", "a vote of threads", "write T.any_of"},
    {"any_sync", "a vote of threads", "write T.any_of"},
    {"all_sync", "a vote of threads", "write T.all_of"},
    {"match_", "a vote of threads", "write T.any_of"},
    {"activemask", "a vote of threads", "write T.any_of"},
    {"syncthreads_", "a vote of threads", "write T.any_of"},
    {"tl_shuffle_elect", "the election of a thread",
     "write the statement for the block"},
    {"get_lane", "the number of a lane or warp", "write T.Parallel"},
    {"get_warp", "the number of a lane or warp", "write T.Parallel"},
    {"atomic_", "an atomic access of this kind",
     "use T.atomic_add, T.atomic_max or T.atomic_min of one element"},
};

static const Refusal *find(StringRef callee) {
  for (const Refusal &refusal : kRefusals)
    if (callee.starts_with(refusal.begins))
      return &refusal;
  return nullptr;
}

std::string tilelang::getConstruct(StringRef callee) {
  const Refusal *refusal = find(callee);
  if (!refusal)
    return "the call of '" + callee.str() + "'";
  return refusal->construct.str() + " ('" + callee.str() + "')";
}

StringRef tilelang::getWayOut(StringRef callee) {
  const Refusal *refusal = find(callee);
  return refusal ? refusal->wayOut : "write it with other functions";
}
