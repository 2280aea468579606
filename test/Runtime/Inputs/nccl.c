// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the provider nccl, shares memory with itself, and prints whether NCCL_COMM_ID is what it was.

#include "TileRuntime/Comm.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char *before = getenv("NCCL_COMM_ID");
  TileRtComm *comm;
  TileRtError error;
  void *memory[1] = {NULL};
  if (!tile_rt_comm_open("nccl", &comm, &error)) {
    printf("error: %s\n", error.message);
  } else {
    if (!comm->ops->alloc(comm, 1 << 12, memory, &error) || !comm->ops->barrier(comm, &error))
      printf("error: %s\n", error.message);
    else
      printf("rank %d of %d, %s\n", comm->rank, comm->size, memory[0] ? "memory" : "no memory");
    tile_rt_comm_close(comm);
  }
  const char *behind = getenv("NCCL_COMM_ID");
  printf("NCCL_COMM_ID %s, %s before\n", behind ? behind : "unset", before ? before : "unset");
  return 0;
}
