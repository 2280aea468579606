// Runs a kernel on ranks that are threads, for ThreadSanitizer. The threads have nothing in common but the signals: what the runtime
// does to find deadlocks would order more. Which one runs is for schedule.c to say. A specification names its arguments: `w` is the world, `p` a
// buffer of each rank, `i` one of 0, 1, 2 ... as i32, `s` one in symmetric memory, with the bytes of an element and the extents: `s:2:4x65x100`. With an `S`, a
// symmetric buffer that the rank writes before it calls the kernel, the kernel is called twice. An `r` is a symmetric buffer that the rank
// reads behind the kernel.

#define _GNU_SOURCE 1
#include "TileRuntime/ParallelFor.h"
#include "TileRuntime/World.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxArguments = 12, kMaxRank = 4 };

typedef struct Descriptor {
  void *allocated, *aligned;
  int64_t offset, sizesAndStrides[2 * kMaxRank];
} Descriptor;

typedef struct Argument {
  char kind;
  int64_t bytes, shape[kMaxRank];
  int rank;
  size_t offset;
} Argument;

static Argument arguments[kMaxArguments];
static int argumentCount;
static TileRtWorld *world;

void KERNEL();
void schedule_begin(int size);
void schedule_enter(int rank);
void schedule_leave(void);

// Newer instrumentation calls these; older libraries have the functions that they stand for alone.
__attribute__((weak)) void *__tsan_memcpy(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes); }
__attribute__((weak)) void *__tsan_memmove(void *to, const void *from, size_t bytes) { return memmove(to, from, bytes); }
__attribute__((weak)) void *__tsan_memset(void *to, int byte, size_t bytes) { return memset(to, byte, bytes); }

static int64_t countBytes(const Argument *argument) {
  int64_t bytes = argument->bytes;
  for (int d = 0; d < argument->rank; ++d)
    bytes *= argument->shape[d];
  return bytes;
}

static bool isPrivate(const Argument *argument) { return argument->kind == 'p' || argument->kind == 'i'; }

static Descriptor describe(const Argument *argument, int32_t rank) {
  Descriptor d = {0};
  if (argument->kind == 'w') {
    d.aligned = tile_rt_world_table(world, rank, &d.sizesAndStrides[0]);
    d.sizesAndStrides[1] = 1;
  } else {
    int64_t stride = 1;
    for (int i = argument->rank - 1; i >= 0; --i) {
      d.sizesAndStrides[i] = argument->shape[i];
      d.sizesAndStrides[argument->rank + i] = stride;
      stride *= argument->shape[i];
    }
    d.aligned = !isPrivate(argument)
                    ? tile_rt_world_address(world, rank, argument->offset)
                    : calloc(1, (size_t)countBytes(argument) + 64);
    for (int32_t i = 0; argument->kind == 'i' && i < countBytes(argument) / 4; ++i)
      ((int32_t *)d.aligned)[i] = i;
  }
  d.allocated = d.aligned;
  return d;
}

static void readAll(const volatile char *bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    (void)bytes[i];
}

static void *run(void *context) {
  int32_t rank = (int32_t)(intptr_t)context;
  tile_rt_run_alone(true);
  Descriptor d[kMaxArguments];
  for (int i = 0; i < argumentCount; ++i)
    d[i] = describe(&arguments[i], rank);
  schedule_enter(rank);
  bool again = false;
  for (int round = 0; round < 2 && (round == 0 || again); ++round) {
    for (int i = 0; i < argumentCount; ++i) {
      if (arguments[i].kind != 'S')
        continue;
      memset(d[i].aligned, round, (size_t)countBytes(&arguments[i]));
      again = true;
    }
    KERNEL(&d[0], &d[1], &d[2], &d[3], &d[4], &d[5], &d[6], &d[7], &d[8], &d[9], &d[10], &d[11]);
    for (int i = 0; i < argumentCount; ++i)
      if (arguments[i].kind == 'r')
        readAll(d[i].aligned, countBytes(&arguments[i]));
  }
  schedule_leave();
  for (int i = 0; i < argumentCount; ++i)
    if (isPrivate(&arguments[i]))
      free(d[i].allocated);
  return NULL;
}

static void parse(const char *text, Argument *argument) {
  argument->kind = *text;
  if (*text == 'w')
    return;
  char *rest;
  argument->bytes = strtoll(text + 2, &rest, 10);
  while (*rest)
    argument->shape[argument->rank++] = strtoll(rest + 1, &rest, 10);
}

int main(int argc, char **argv) {
  TileRtError error;
  size_t bytes = 1 << 16;
  for (int i = 2; i < argc; ++i)
    parse(argv[i], &arguments[argumentCount++]);
  for (int i = 0; i < argumentCount; ++i)
    bytes += (size_t)countBytes(&arguments[i]) + 256;
  bool done = tile_rt_world_create(atoi(argv[1]), bytes, &world, &error);
  for (int i = 0; done && i < argumentCount; ++i)
    if (strchr("sSr", arguments[i].kind))
      done = tile_rt_world_alloc(world, (size_t)countBytes(&arguments[i]),
                                 &arguments[i].offset, &error);
  if (!done)
    fprintf(stderr, "error: %s\n", error.message);
  pthread_t threads[64];
  int ranks = done ? tile_rt_world_size(world) : 0;
  if (done)
    schedule_begin(ranks);
  for (int i = 0; i < ranks; ++i)
    pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
  for (int i = 0; i < ranks; ++i)
    pthread_join(threads[i], NULL);
  tile_rt_world_free(world);
  return !done;
}
