// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILERUNTIME_LIB_COMM_H
#define TILERUNTIME_LIB_COMM_H

#include "TileRuntime/Comm.h"

__attribute__((visibility("hidden"))) bool
tile_rt_comm_open_mpi(TileRtComm **comm, TileRtError *error);
__attribute__((visibility("hidden"))) bool
tile_rt_comm_open_nccl(TileRtComm **comm, TileRtError *error);
/// Returns when all have called it.
__attribute__((visibility("hidden"))) bool
tile_rt_exchange_meet(const TileRtExchange *exchange, TileRtError *error);
/// How the processes of a launcher tell each other something by NCCL. The device
/// of this one is closed with the exchange.
__attribute__((visibility("hidden"))) bool
tile_rt_nccl_exchange(TileRtExchange *exchange, TileRtDevice **device,
                      TileRtError *error);
__attribute__((visibility("hidden"))) bool
tile_rt_comm_open_nvshmem(TileRtComm **comm, TileRtError *error);

#endif // TILERUNTIME_LIB_COMM_H
