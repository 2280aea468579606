// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of a world and its threads.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/World.h"

#include "Meeting.h"
#include "TileRuntime/ParallelFor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { kAlignment = 256, kTableHeader = 2 };

struct TileRtWorld {
  int32_t ranks;
  size_t tableBytes, heapBytes, used;
  char *heaps[]; // each begins with the table
};

static size_t roundUp(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

static int64_t countWords(int32_t ranks) {
  return kTableHeader + ranks + 2 * (int64_t)TILE_RT_BARRIER_BLOCKS;
}

bool tile_rt_world_create(int32_t ranks, size_t bytes, TileRtWorld **world,
                          TileRtError *error) {
  *world = NULL;
  if (ranks < 1 || ranks > TILE_RT_MAX_RANKS)
    return tile_rt_fail(error, "expected 1 to %d ranks, got %" PRId32,
                        TILE_RT_MAX_RANKS, ranks);
  size_t table = roundUp((size_t)countWords(ranks) * sizeof(int64_t));
  if (bytes > SIZE_MAX / 4)
    return tile_rt_fail(error, "no memory for a heap of %zu bytes", bytes);
  TileRtWorld *made =
      calloc(1, sizeof(*made) + (size_t)ranks * sizeof(*made->heaps));
  if (!made)
    return tile_rt_fail(error, "no memory for a world of %" PRId32 " ranks",
                        ranks);
  made->ranks = ranks;
  made->tableBytes = table;
  made->heapBytes = made->used = table;
  made->heapBytes += roundUp(bytes);
  for (int32_t i = 0; i < ranks; ++i) {
    made->heaps[i] = aligned_alloc(kAlignment, made->heapBytes);
    if (!made->heaps[i]) {
      tile_rt_world_free(made);
      return tile_rt_fail(
          error, "no memory for %" PRId32 " heaps of %zu bytes", ranks, bytes);
    }
    memset(made->heaps[i], 0, made->heapBytes);
  }
  for (int32_t i = 0; i < ranks; ++i) {
    int64_t *words = (int64_t *)made->heaps[i];
    words[0] = i;
    words[1] = ranks;
    for (int32_t k = 0; k < ranks; ++k)
      words[kTableHeader + k] = (int64_t)(intptr_t)made->heaps[k];
  }
  *world = made;
  return true;
}

void tile_rt_world_free(TileRtWorld *world) {
  for (int32_t i = 0; world && i < world->ranks; ++i)
    free(world->heaps[i]);
  free(world);
}

int32_t tile_rt_world_size(const TileRtWorld *world) { return world->ranks; }

bool tile_rt_world_alloc(TileRtWorld *world, size_t bytes, size_t *offset,
                         TileRtError *error) {
  size_t left = world->heapBytes - world->used;
  if (bytes > left)
    return tile_rt_fail(error,
                        "expected at most %zu bytes, which are left of the "
                        "heap of a rank, got %zu",
                        left, bytes);
  *offset = world->used;
  size_t size = roundUp(bytes);
  world->used += size < left ? size : left;
  return true;
}

void *tile_rt_world_address(const TileRtWorld *world, int32_t rank,
                            size_t offset) {
  return world->heaps[rank] + offset;
}

int64_t *tile_rt_world_table(const TileRtWorld *world, int32_t rank,
                             int64_t *words) {
  if (words)
    *words = countWords(world->ranks);
  return (int64_t *)world->heaps[rank];
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

typedef struct Rank {
  TileRtMeeting *meeting;
  TileRtRankBody body;
  void *context;
  int32_t rank;
  pthread_t thread;
} Rank;

static void *runRank(void *argument) {
  Rank *rank = argument;
  tile_rt_meeting_enter(rank->meeting, rank->rank);
  // Loops on the pool would wait for ranks that wait for the pool.
  tile_rt_run_alone(true);
  rank->body(rank->context, rank->rank);
  tile_rt_run_alone(false);
  tile_rt_meeting_leave();
  return NULL;
}

/// Starts the threads; where one cannot be had, the ranks that run are told
/// that nobody else comes.
static bool runAll(Rank *ranks, TileRtMeeting *meeting, TileRtError *error) {
  int32_t started = 0;
  while (started < meeting->ranks &&
         pthread_create(&ranks[started].thread, NULL, runRank,
                        &ranks[started]) == 0)
    ++started;
  bool complete = started == meeting->ranks;
  if (!complete) {
    pthread_mutex_lock(&meeting->mutex);
    meeting->live -= meeting->ranks - started;
    atomic_store(&meeting->failed, true);
    pthread_cond_broadcast(&meeting->changed);
    pthread_mutex_unlock(&meeting->mutex);
  }
  for (int32_t i = 0; i < started; ++i)
    pthread_join(ranks[i].thread, NULL);
  if (!complete)
    return tile_rt_fail(error, "expected %" PRId32 " threads, got %" PRId32,
                        meeting->ranks, started);
  return !atomic_load(&meeting->failed) ||
         tile_rt_fail(error, "%s", meeting->report);
}

bool tile_rt_world_run(TileRtWorld *world, TileRtRankBody body, void *context,
                       TileRtError *error) {
  size_t count = (size_t)world->ranks;
  TileRtMeeting meeting = {.ranks = world->ranks, .live = world->ranks};
  meeting.waiters = calloc(count, sizeof(*meeting.waiters));
  Rank *ranks = calloc(count, sizeof(*ranks));
  bool done = meeting.waiters && ranks;
  if (!done)
    tile_rt_fail(error, "no memory for %" PRId32 " ranks", world->ranks);
  pthread_mutex_init(&meeting.mutex, NULL);
  pthread_cond_init(&meeting.changed, NULL);
  for (size_t i = 0; done && i < count; ++i)
    ranks[i] = (Rank){.meeting = &meeting,
                      .body = body,
                      .context = context,
                      .rank = (int32_t)i};
  done = done && runAll(ranks, &meeting, error);
  pthread_cond_destroy(&meeting.changed);
  pthread_mutex_destroy(&meeting.mutex);
  free(meeting.waiters);
  free(ranks);
  return done;
}
