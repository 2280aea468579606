// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that run one program together, as a library of communication has
// started them, and memory that all of them reach. A provider is a table of
// functions; its library is loaded when it is asked for. The library is needed
// where a world is made and freed: in between, ranks read and write the memory
// itself.

#ifndef TILERUNTIME_COMM_H
#define TILERUNTIME_COMM_H

#include "TileRuntime/Device.h"
#include "TileRuntime/Error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TileRtComm TileRtComm;

/// What a provider implements. All processes call a function together, but for
/// `abort`.
typedef struct TileRtCommOps {
  const char *name; ///< "mpi"
  /// Memory of `bytes` bytes of each process; `memory[k]` is where this process
  /// sees that of process k. One call for each communicator.
  bool (*alloc)(TileRtComm *comm, size_t bytes, void **memory,
                TileRtError *error);
  void (*free)(TileRtComm *comm);
  bool (*barrier)(TileRtComm *comm, TileRtError *error);
  void (*close)(TileRtComm *comm);
  /// Ends this process and, by MPI, the others; others find that it is
  /// gone.
  void (*abort)(TileRtComm *comm);
} TileRtCommOps;

struct TileRtComm {
  const TileRtCommOps *ops;
  int32_t rank, size;
  TileRtDevice *device; ///< whose memory it is; null: the host's
};

/// Joins the processes that a provider knows, on one host:
/// - "mpi": those of an mpirun. The library of MPI is that of the environment
///   variable TILE_MPI_LIBRARY, or MPICH's or Open MPI's.
/// - "nccl": those of a torchrun, or of anything that sets RANK, WORLD_SIZE, and
///   MASTER_ADDR and MASTER_PORT, or NCCL_COMM_ID; each has the GPU LOCAL_RANK.
///   They meet at the port behind MASTER_PORT. The library of NCCL is that of
///   TILE_NCCL_LIBRARY, or libnccl.so.2.
/// - "nvshmem": the same, with NCCL, and memory is that of NVSHMEM's symmetric
///   heap. Its library is that of TILE_NVSHMEM_LIBRARY, or libnvshmem_host.so.3.
bool tile_rt_comm_open(const char *provider, TileRtComm **comm,
                       TileRtError *error);

/// How processes tell each other something: what else they have in common, such
/// as a group of torch.distributed, is behind it.
typedef struct TileRtExchange {
  int32_t rank, size;
  void *context;
  /// Fills `all` with the `bytes` bytes of each process, in order. All call it
  /// together, and nobody returns before all have called.
  bool (*gather)(void *context, const void *own, size_t bytes, void *all,
                 TileRtError *error);
  void (*close)(void *context); ///< null: nothing
} TileRtExchange;

/// Processes of one host, each with a CUDA GPU; all call this together. They
/// share its memory by handles of the driver (tile_rt_cuda_export). The device
/// outlives the communicator.
bool tile_rt_comm_open_on(TileRtDevice *device, const TileRtExchange *exchange,
                          TileRtComm **comm, TileRtError *error);
/// Null is nothing.
void tile_rt_comm_close(TileRtComm *comm);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_COMM_H
