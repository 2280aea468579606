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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kAlignment = 256, kTableHeader = 2, kPage = 4096 };

struct TileRtWorld {
  int32_t ranks;
  size_t heapBytes, used;
  TileRtDevice **devices; ///< of each rank; null: the host
  TileRtComm *comm;       ///< of ranks that are processes; null: threads
  size_t meetings;        ///< where the heap counts how many have come, if so
  int64_t met;            ///< how often this process has
  char *heaps[]; // each begins with the table
};

static size_t roundUp(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

static int64_t countWords(int32_t ranks) {
  return kTableHeader + ranks + 2 * (int64_t)TILE_RT_BARRIER_BLOCKS +
         TILE_RT_REPORT_WORDS;
}

//===----------------------------------------------------------------------===//
// Heaps
//===----------------------------------------------------------------------===//

static bool allocHeap(TileRtWorld *world, int32_t rank, TileRtError *error) {
  TileRtDevice *device = world->devices ? world->devices[rank] : NULL;
  void *heap = NULL;
  if (device) {
    if (!device->ops->alloc(device, world->heapBytes, &heap, error) ||
        !device->ops->fill(device, heap, 0, world->heapBytes, NULL, error)) {
      world->heaps[rank] = heap;
      return false;
    }
  } else if ((heap = aligned_alloc(kAlignment, world->heapBytes))) {
    memset(heap, 0, world->heapBytes);
  }
  world->heaps[rank] = heap;
  return heap || tile_rt_fail(error,
                              "no memory for %" PRId32 " heaps of %zu bytes",
                              world->ranks, world->heapBytes);
}

/// Whether this process runs the rank.
static bool isHere(const TileRtWorld *world, int32_t rank) {
  return !world->comm || world->comm->rank == rank;
}

/// Copies words of the table from or to the heap of a rank of this process.
static bool copyWords(const TileRtWorld *world, int32_t rank, int64_t first,
                      int64_t *words, int64_t count, bool back,
                      TileRtError *error) {
  TileRtDevice *device = world->devices ? world->devices[rank] : NULL;
  void *there = (int64_t *)(void *)world->heaps[rank] + first;
  size_t bytes = (size_t)count * sizeof(*words);
  if (device)
    return device->ops->copy(device, back ? words : there,
                             back ? there : words, bytes,
                             back ? TILE_RT_COPY_FROM_DEVICE
                                  : TILE_RT_COPY_TO_DEVICE,
                             NULL, error) &&
           device->ops->sync(device, NULL, error);
  memcpy(back ? words : there, back ? there : words, bytes);
  return true;
}

static bool fillTable(TileRtWorld *world, int32_t rank, TileRtError *error) {
  int64_t head[kTableHeader + TILE_RT_MAX_RANKS] = {rank, world->ranks};
  for (int32_t k = 0; k < world->ranks; ++k)
    head[kTableHeader + k] = (int64_t)(intptr_t)world->heaps[k];
  return copyWords(world, rank, 0, head, kTableHeader + world->ranks,
                   /*back=*/false, error);
}

/// What copies of a device set flags to.
static bool writeOne(TileRtWorld *world, TileRtError *error) {
  int64_t one = 1;
  int64_t at = countWords(world->ranks) - TILE_RT_REPORT_WORDS;
  for (int32_t i = 0; i < world->ranks; ++i)
    if (isHere(world, i) && !copyWords(world, i, at + TILE_RT_REPORT_ONE, &one,
                                       1, /*back=*/false, error))
      return false;
  return true;
}

/// What only ranks on devices need.
static bool fillReports(TileRtWorld *world, TileRtError *error) {
  return writeOne(world, error) &&
         tile_rt_world_set_timeout(
             world, TILE_RT_WAIT_SECONDS * INT64_C(1000000000), error);
}

/// The heaps of processes: each fills its own one.
static bool shareHeaps(TileRtWorld *world, TileRtError *error) {
  TileRtComm *comm = world->comm;
  if (!comm->ops->alloc(comm, world->heapBytes, (void **)world->heaps, error))
    return false;
  char *own = world->heaps[comm->rank];
  TileRtDevice *device = comm->device;
  if (!device)
    memset(own, 0, world->heapBytes);
  else if (!device->ops->fill(device, own, 0, world->heapBytes, NULL, error))
    return false;
  return fillTable(world, comm->rank, error) &&
         (!device || fillReports(world, error)) &&
         comm->ops->barrier(comm, error);
}

static bool fillHeaps(TileRtWorld *world, TileRtDevice *const *devices,
                      TileRtError *error) {
  if (devices || (world->comm && world->comm->device)) {
    world->devices = calloc((size_t)world->ranks, sizeof(*world->devices));
    if (!world->devices)
      return tile_rt_fail(error, "no memory for a world of %" PRId32 " ranks",
                          world->ranks);
    for (int32_t i = 0; i < world->ranks; ++i)
      if (isHere(world, i))
        world->devices[i] = devices ? devices[i] : world->comm->device;
  }
  if (world->comm)
    return shareHeaps(world, error);
  for (int32_t i = 0; i < world->ranks; ++i)
    if (!allocHeap(world, i, error))
      return false;
  for (int32_t i = 0; i < world->ranks; ++i)
    if (!fillTable(world, i, error))
      return false;
  return !devices || fillReports(world, error);
}

static bool create(TileRtDevice *const *devices, TileRtComm *comm,
                   int32_t ranks, size_t bytes, TileRtWorld **world,
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
  made->comm = comm;
  made->meetings = table;
  made->used = table + kAlignment;
  made->heapBytes = made->used + roundUp(bytes);
  // Memory of processes is one piece.
  if (comm)
    made->heapBytes = (made->heapBytes + kPage - 1) / kPage * kPage;
  if (!fillHeaps(made, devices, error)) {
    tile_rt_world_free(made);
    return false;
  }
  *world = made;
  return true;
}

bool tile_rt_world_create(int32_t ranks, size_t bytes, TileRtWorld **world,
                          TileRtError *error) {
  return create(NULL, NULL, ranks, bytes, world, error);
}

bool tile_rt_world_create_over(TileRtComm *comm, size_t bytes,
                               TileRtWorld **world, TileRtError *error) {
  return create(NULL, comm, comm->size, bytes, world, error);
}

bool tile_rt_world_create_on(TileRtDevice *const *devices, int32_t ranks,
                             size_t bytes, TileRtWorld **world,
                             TileRtError *error) {
  return create(devices, NULL, ranks, bytes, world, error);
}

bool tile_rt_world_set_timeout(TileRtWorld *world, int64_t nanoseconds,
                               TileRtError *error) {
  int64_t at = countWords(world->ranks) - TILE_RT_REPORT_WORDS;
  for (int32_t i = 0; i < world->ranks; ++i)
    if (isHere(world, i) && !copyWords(world, i, at + TILE_RT_REPORT_TIMEOUT,
                                       &nanoseconds, 1, /*back=*/false, error))
      return false;
  return true;
}

void tile_rt_world_free(TileRtWorld *world) {
  if (!world)
    return;
  if (world->comm)
    world->comm->ops->free(world->comm);
  for (int32_t i = 0; !world->comm && i < world->ranks; ++i)
    if (!world->devices)
      free(world->heaps[i]);
    else if (world->heaps[i])
      world->devices[i]->ops->free(world->devices[i], world->heaps[i], NULL);
  free(world->devices);
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

/// Where another rank has what this one has at an address of its heap.
static char *findPeer(const TileRtWorld *world, int32_t rank, int32_t to,
                      const void *address) {
  return world->heaps[to] + ((const char *)address - world->heaps[rank]);
}

static bool putTo(const TileRtWorld *world, int32_t rank, int32_t to,
                  const void *source, size_t bytes, void *target, void *flag,
                  size_t flagBytes, TileRtStream stream, TileRtError *error) {
  char *there = findPeer(world, rank, to, target);
  void *arrived = findPeer(world, rank, to, flag);
  if (!world->devices) {
    memcpy(there, source, bytes);
    tile_rt_signal_set(arrived, (int64_t)flagBytes * 8, 1);
    return true;
  }
  // Devices of this kind are little-endian: the first bytes of the word are 1.
  TileRtDevice *device = world->devices[rank];
  const int64_t *one = (const int64_t *)(void *)world->heaps[rank] +
                       countWords(world->ranks) - TILE_RT_REPORT_WORDS +
                       TILE_RT_REPORT_ONE;
  return device->ops->copy(device, there, source, bytes,
                           TILE_RT_COPY_ON_DEVICE, stream, error) &&
         device->ops->copy(device, arrived, one, flagBytes,
                           TILE_RT_COPY_ON_DEVICE, stream, error);
}

bool tile_rt_world_put(const TileRtWorld *world, int32_t rank,
                       const void *source, size_t bytes, void *target,
                       void *flag, size_t flagBytes, TileRtStream stream,
                       TileRtError *error) {
  for (int32_t step = 1; step < world->ranks; ++step)
    if (!putTo(world, rank, (rank + world->ranks - step) % world->ranks, source,
               bytes, target, flag, flagBytes, stream, error))
      return false;
  return true;
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

/// Waits for all processes; what they wrote is visible then.
static void meetAll(TileRtWorld *world, const char *where) {
  for (int32_t k = 0; k < world->ranks; ++k)
    tile_rt_signal_add(world->heaps[k] + world->meetings, 64, 1);
  ++world->met;
  tile_rt_wait_ge(world->heaps[world->comm->rank] + world->meetings, 64,
                  world->met * world->ranks, where);
}

/// Runs the rank that this process is, on its device, which reports waits in
/// vain itself.
static bool runOnDevice(TileRtWorld *world, TileRtRankBody body, void *context,
                        TileRtError *error) {
  TileRtComm *comm = world->comm;
  if (!comm->ops->barrier(comm, error))
    return false;
  body(context, comm->rank);
  // The others wait for this one, even where its own waits were in vain.
  TileRtError late;
  bool good = tile_rt_world_check(world, error);
  return comm->ops->barrier(comm, good ? error : &late) && good;
}

/// Runs the rank that this process is.
static bool runHere(TileRtWorld *world, TileRtMeeting *meeting,
                    TileRtRankBody body, void *context, TileRtError *error) {
  meeting->patience = tile_rt_wait_patience();
  tile_rt_meeting_enter(meeting, world->comm->rank);
  tile_rt_run_alone(true);
  meetAll(world, "the begin of the run");
  if (!atomic_load(&meeting->failed))
    body(context, world->comm->rank);
  // One that gave up has no more to say to the others.
  if (!atomic_load(&meeting->failed))
    meetAll(world, "the end of the run");
  tile_rt_run_alone(false);
  tile_rt_meeting_leave();
  return !atomic_load(&meeting->failed) ||
         tile_rt_fail(error, "%s", meeting->report);
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

/// What the words of a report say; the characters that were written.
static size_t describeReport(const int64_t *words, int32_t rank, bool follows,
                             char *text, size_t size) {
  bool equal = words[TILE_RT_REPORT_CONDITION];
  int at = snprintf(text, size,
                    "%srank %" PRId32 " waits at %" PRId64 ":%" PRId64
                    " for a flag %s %" PRId64,
                    follows ? "; " : "", rank, words[TILE_RT_REPORT_LINE],
                    words[TILE_RT_REPORT_COLUMN], equal ? "of" : "of at least",
                    words[TILE_RT_REPORT_WANTED]);
  if (!equal && words[TILE_RT_REPORT_WANTED] < 1)
    return (size_t)at +
           (size_t)snprintf(text + at, size - (size_t)at,
                            ", which it is before anybody signals");
  return (size_t)at + (size_t)snprintf(text + at, size - (size_t)at,
                                       ", which is %" PRId64,
                                       words[TILE_RT_REPORT_GOT]);
}

bool tile_rt_world_check(TileRtWorld *world, TileRtError *error) {
  int64_t at = countWords(world->ranks) - TILE_RT_REPORT_WORDS;
  char text[768] = "";
  const char *end = "";
  size_t used = 0;
  int32_t found = 0;
  for (int32_t i = 0; world->devices && i < world->ranks; ++i) {
    if (!isHere(world, i))
      continue;
    int64_t words[TILE_RT_REPORT_WORDS];
    if (!copyWords(world, i, at, words, TILE_RT_REPORT_WORDS, /*back=*/true,
                   error))
      return false;
    if (!words[TILE_RT_REPORT_CLAIMED])
      continue;
    if (found++ < 2)
      used += describeReport(words, i, used > 0, text + used,
                             sizeof(text) - used);
    if (words[TILE_RT_REPORT_CONDITION] || words[TILE_RT_REPORT_WANTED] > 0)
      end = "; nobody signalled in time";
    words[TILE_RT_REPORT_CLAIMED] = 0;
    if (!copyWords(world, i, at, words, TILE_RT_REPORT_WORDS, /*back=*/false,
                   error))
      return false;
  }
  if (found > 2)
    snprintf(text + used, sizeof(text) - used, "; so do %" PRId32 " others",
             found - 2);
  return !found || tile_rt_fail(error, "%s%s", text, end);
}

bool tile_rt_world_run(TileRtWorld *world, TileRtRankBody body, void *context,
                       TileRtError *error) {
  if (world->comm && world->comm->device)
    return runOnDevice(world, body, context, error);
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
  if (world->comm)
    done = done && runHere(world, &meeting, body, context, error);
  else
    done = done && runAll(ranks, &meeting, error) &&
           tile_rt_world_check(world, error);
  pthread_cond_destroy(&meeting.changed);
  pthread_mutex_destroy(&meeting.mutex);
  free(meeting.waiters);
  free(ranks);
  return done;
}
