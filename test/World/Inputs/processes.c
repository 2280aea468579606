// Ranks that are processes: each puts its number to all others, adds to their flags and waits for its own, three times. With an argument, rank
// 1 does something else in the second round: `stop` itself, or signal `less`.

#define _GNU_SOURCE 1
#include "TileRuntime/World.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct Run {
  TileRtWorld *world;
  const char *fault;
  int32_t ranks, round;
  size_t boxes, flags;
} Run;

static void body(void *context, int32_t rank) {
  Run *run = context;
  bool isFaulty = run->round == 1 && rank == 1;
  if (isFaulty && strcmp(run->fault, "stop") == 0)
    raise(SIGSTOP);
  for (int32_t k = 0; k < run->ranks; ++k) {
    int64_t *box = tile_rt_world_address(run->world, k, run->boxes);
    box[rank] = 100 * rank + k + run->round;
    if (!isFaulty || strcmp(run->fault, "less") != 0)
      tile_rt_signal_add(tile_rt_world_address(run->world, k, run->flags), 64, 1);
  }
  tile_rt_wait_ge(tile_rt_world_address(run->world, rank, run->flags), 64, run->ranks, "ring.mlir:7");
}

static int count(const Run *run) {
  int wrong = 0;
  for (int32_t rank = 0; rank < run->ranks; ++rank)
    for (int32_t k = 0; k < run->ranks; ++k) {
      const int64_t *box = tile_rt_world_address(run->world, k, run->boxes);
      wrong += box[rank] != 100 * rank + k + run->round;
    }
  return wrong;
}

int main(int argc, char **argv) {
  Run run = {.fault = argc > 1 ? argv[1] : ""};
  TileRtComm *comm;
  TileRtError error;
  if (!tile_rt_comm_open("mpi", &comm, &error)) {
    fprintf(stderr, "error: %s\n", error.message);
    return 1;
  }
  run.ranks = comm->size;
  int wrong = 0;
  for (; run.round < 3; ++run.round) {
    // Each world has memory of its own.
    if (!tile_rt_world_create_over(comm, 4096, &run.world, &error) ||
        !tile_rt_world_alloc(run.world, 1024, &run.boxes, &error) ||
        !tile_rt_world_alloc(run.world, 8, &run.flags, &error) ||
        !tile_rt_world_run(run.world, body, &run, &error)) {
      fprintf(stderr, "error: %s\n", error.message);
      comm->ops->abort(comm);
    }
    wrong += count(&run);
    tile_rt_world_free(run.world);
  }
  printf("rank %d of %d: %d wrong\n", (int)comm->rank, (int)comm->size, wrong);
  tile_rt_comm_close(comm);
  return wrong != 0;
}
