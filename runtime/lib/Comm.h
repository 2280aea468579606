// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILERUNTIME_LIB_COMM_H
#define TILERUNTIME_LIB_COMM_H

#include "TileRuntime/Comm.h"

__attribute__((visibility("hidden"))) bool
tile_rt_comm_open_mpi(TileRtComm **comm, TileRtError *error);
__attribute__((visibility("hidden"))) bool
tile_rt_comm_open_nccl(TileRtComm **comm, TileRtError *error);
__attribute__((visibility("hidden"))) bool
tile_rt_comm_open_nvshmem(TileRtComm **comm, TileRtError *error);

#endif // TILERUNTIME_LIB_COMM_H
