// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The providers of processes by name.

#include "Comm.h"

#include <string.h>

static const struct {
  const char *name;
  bool (*open)(TileRtComm **comm, TileRtError *error);
} providers[] = {{"mpi", tile_rt_comm_open_mpi},
                 {"nccl", tile_rt_comm_open_nccl},
                 {"nvshmem", tile_rt_comm_open_nvshmem}};

bool tile_rt_comm_open(const char *provider, TileRtComm **comm,
                       TileRtError *error) {
  *comm = NULL;
  for (size_t i = 0; i < sizeof(providers) / sizeof(*providers); ++i)
    if (strcmp(provider, providers[i].name) == 0)
      return providers[i].open(comm, error);
  return tile_rt_fail(error, "expected the provider 'mpi', 'nccl' or 'nvshmem', "
                             "got '%s'; without one, ranks are threads",
                      provider);
}

void tile_rt_comm_close(TileRtComm *comm) {
  if (comm)
    comm->ops->close(comm);
}
