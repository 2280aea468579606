// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals and waits of compiled code. A wait that nobody can end any more is
// found at once: all ranks that have not ended wait, and no flag is as one of
// them wants it.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/Signal.h"

#include "Meeting.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  kSpins = 64,
  kPollNs = 1000000, // of a rank that sleeps: others may not know of it
  kPatience = 60     // seconds of a thread that is no rank of a world
};

static _Thread_local TileRtMeeting *current;
static _Thread_local int32_t currentRank;

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static int64_t load(const void *flag, int64_t bits) {
  if (bits == 32)
    return atomic_load_explicit((const _Atomic int32_t *)flag,
                                memory_order_acquire);
  return atomic_load_explicit((const _Atomic int64_t *)flag,
                              memory_order_acquire);
}

static bool hasArrived(const TileRtWaiter *waiter) {
  int64_t value = load(waiter->flag, waiter->bits);
  return waiter->equal ? value == waiter->value : value >= waiter->value;
}

/// Those who sleep look again.
static void wake(void) {
  if (!current || atomic_load(&current->waiting) == 0)
    return;
  pthread_mutex_lock(&current->mutex);
  pthread_cond_broadcast(&current->changed);
  pthread_mutex_unlock(&current->mutex);
}

void tile_rt_signal_add(void *flag, int64_t bits, int64_t value) {
  // Unsigned: a counter wraps.
  if (bits == 32)
    atomic_fetch_add_explicit((_Atomic uint32_t *)flag, (uint32_t)value,
                              memory_order_release);
  else
    atomic_fetch_add_explicit((_Atomic uint64_t *)flag, (uint64_t)value,
                              memory_order_release);
  wake();
}

void tile_rt_signal_set(void *flag, int64_t bits, int64_t value) {
  if (bits == 32)
    atomic_store_explicit((_Atomic uint32_t *)flag, (uint32_t)value,
                          memory_order_release);
  else
    atomic_store_explicit((_Atomic uint64_t *)flag, (uint64_t)value,
                          memory_order_release);
  wake();
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

static void describe(const TileRtMeeting *meeting, int32_t rank, char *text,
                     size_t size) {
  const TileRtWaiter *waiter = &meeting->waiters[rank];
  snprintf(text, size,
           "rank %" PRId32 " waits at %.160s for a flag %s %" PRId64
           ", which is %" PRId64,
           rank, waiter->where, waiter->equal ? "of" : "of at least",
           waiter->value, load(waiter->flag, waiter->bits));
}

/// With the mutex: all ranks are let go.
static void failAll(TileRtMeeting *meeting) {
  atomic_store(&meeting->failed, true);
  pthread_cond_broadcast(&meeting->changed);
}

/// With the mutex: whether no rank that is left can go on.
static bool isStuck(const TileRtMeeting *meeting) {
  int32_t stuck = 0;
  for (int32_t i = 0; i < meeting->ranks; ++i)
    stuck += meeting->waiters[i].active && !hasArrived(&meeting->waiters[i]);
  return stuck > 0 && stuck == meeting->live;
}

/// With the mutex: reports a deadlock if there is one.
static void findDeadlock(TileRtMeeting *meeting) {
  if (atomic_load(&meeting->failed) || !isStuck(meeting))
    return;
  size_t at = 0;
  int32_t named = 0, stuck = meeting->live;
  for (int32_t i = 0; i < meeting->ranks; ++i) {
    if (!meeting->waiters[i].active || named == 2)
      continue;
    char one[320];
    describe(meeting, i, one, sizeof(one));
    at += (size_t)snprintf(meeting->report + at, sizeof(meeting->report) - at,
                           "%s%s", named++ ? "; " : "", one);
  }
  if (stuck > named)
    snprintf(meeting->report + at, sizeof(meeting->report) - at,
             "; so do %" PRId32 " others", stuck - named);
  strncat(meeting->report, "; nobody is left to signal",
          sizeof(meeting->report) - strlen(meeting->report) - 1);
  failAll(meeting);
}

static void sleepUntilChange(TileRtMeeting *meeting) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += kPollNs;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    ++until.tv_sec;
  }
  pthread_cond_timedwait(&meeting->changed, &meeting->mutex, &until);
}

/// In seconds.
static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

int64_t tile_rt_wait_patience(void) {
  const char *text = getenv("TILE_WAIT_SECONDS");
  char *end;
  long long seconds = text ? strtoll(text, &end, 10) : 0;
  return text && *text && !*end && seconds > 0 ? seconds : kPatience;
}

/// With the mutex: gives up a wait for another process.
static void giveUp(TileRtMeeting *meeting) {
  char one[320];
  describe(meeting, currentRank, one, sizeof(one));
  snprintf(meeting->report, sizeof(meeting->report),
           "%s; nobody signalled in %" PRId64 " s", one, meeting->patience);
  failAll(meeting);
}

static void waitInMeeting(const TileRtWaiter *wanted) {
  TileRtMeeting *meeting = current;
  TileRtWaiter *waiter = &meeting->waiters[currentRank];
  pthread_mutex_lock(&meeting->mutex);
  *waiter = *wanted;
  waiter->active = true;
  atomic_fetch_add(&meeting->waiting, 1);
  if (!wanted->equal && wanted->value < 1 && !atomic_load(&meeting->failed)) {
    snprintf(meeting->report, sizeof(meeting->report),
             "rank %" PRId32 " waits at %.160s for a flag of at least %" PRId64
             ", which it is before anybody signals",
             currentRank, wanted->where, wanted->value);
    failAll(meeting);
  }
  int64_t begin = now();
  while (!atomic_load(&meeting->failed) && !hasArrived(waiter)) {
    findDeadlock(meeting);
    if (meeting->patience && !atomic_load(&meeting->failed) &&
        now() - begin > meeting->patience)
      giveUp(meeting);
    if (!atomic_load(&meeting->failed))
      sleepUntilChange(meeting);
  }
  atomic_fetch_sub(&meeting->waiting, 1);
  waiter->active = false;
  pthread_mutex_unlock(&meeting->mutex);
}

/// Of a thread that is no rank: nobody knows who could signal.
static void waitAlone(const TileRtWaiter *waiter) {
  int64_t patience = tile_rt_wait_patience(), begin = now();
  while (!hasArrived(waiter)) {
    sched_yield();
    if (now() - begin < patience)
      continue;
    fprintf(stderr, "%s: gave up waiting after %" PRId64 " s\n",
            waiter->where, patience);
    return;
  }
}

static void wait(const TileRtWaiter *waiter) {
  bool isWrong = !waiter->equal && waiter->value < 1;
  for (int spins = 0; !isWrong && spins < kSpins; ++spins) {
    if (hasArrived(waiter))
      return;
    sched_yield();
  }
  if (current)
    waitInMeeting(waiter);
  else
    waitAlone(waiter);
}

void tile_rt_wait_ge(void *flag, int64_t bits, int64_t value,
                     const char *where) {
  TileRtWaiter waiter = {
      .flag = flag, .bits = bits, .value = value, .where = where};
  wait(&waiter);
}

void tile_rt_wait_eq(void *flag, int64_t bits, int64_t value,
                     const char *where) {
  TileRtWaiter waiter = {.flag = flag,
                         .bits = bits,
                         .value = value,
                         .equal = true,
                         .where = where};
  wait(&waiter);
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

void tile_rt_meeting_enter(TileRtMeeting *meeting, int32_t rank) {
  current = meeting;
  currentRank = rank;
}

void tile_rt_meeting_leave(void) {
  TileRtMeeting *meeting = current;
  current = NULL;
  pthread_mutex_lock(&meeting->mutex);
  --meeting->live;
  findDeadlock(meeting);
  pthread_mutex_unlock(&meeting->mutex);
}
