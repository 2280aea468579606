// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in of NCCL for one process. FAKE_NCCL_GATHERS says how many times processes tell each other something. What a real one would read of the environment, and when, is in NCCL's "NCCL_COMM_ID".

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct ncclUniqueId {
  char internal[128];
} ncclUniqueId;

static int isThere(void) { return getenv("NCCL_COMM_ID") != NULL; }

int ncclGetUniqueId(ncclUniqueId *id) {
  memset(id, 7, sizeof *id);
  return isThere() ? 0 : 5;
}

int ncclCommInitRank(void **comm, int size, ncclUniqueId id, int rank) {
  *comm = malloc(1);
  return size == 1 && rank == 0 && id.internal[127] == 7 && isThere() ? 0 : 4;
}

int ncclCommDestroy(void *comm) {
  free(comm);
  return 0;
}

int ncclCommAbort(void *comm) { return ncclCommDestroy(comm); }

int ncclAllGather(const void *own, void *all, size_t count, int type, void *comm, void *stream) {
  (void)type, (void)comm, (void)stream;
  static int gathers;
  const char *most = getenv("FAKE_NCCL_GATHERS");
  memcpy(all, own, count);
  return most && gathers++ >= atoi(most) ? 4 : 0;
}

const char *ncclGetErrorString(int result) { return result == 5 ? "invalid usage" : "invalid argument"; }
