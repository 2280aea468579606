// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the provider of the first argument, shares memory with itself, and prints whether the variable of the second one is what it was.

#include "TileRuntime/Comm.h"

#include <stdio.h>
#include <stdlib.h>

enum { kMaxRanks = 2 };

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const char *before = getenv(argv[2]);
  TileRtComm *comm;
  TileRtError error;
  void *memory[kMaxRanks] = {NULL};
  if (!tile_rt_comm_open(argv[1], &comm, &error)) {
    printf("error: %s\n", error.message);
  } else {
    if (!comm->ops->alloc(comm, 1 << 12, memory, &error) || !comm->ops->barrier(comm, &error))
      printf("error: %s\n", error.message);
    else
      printf("rank %d of %d, %s\n", comm->rank, comm->size, memory[0] ? "memory" : "no memory");
    tile_rt_comm_close(comm);
  }
  const char *behind = getenv(argv[2]);
  printf("%s, %s before\n", behind ? behind : "unset", before ? before : "unset");
  return 0;
}
