// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who waits for what among the ranks of a world.

#ifndef TILERUNTIME_LIB_MEETING_H
#define TILERUNTIME_LIB_MEETING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// A wait that has not ended.
typedef struct TileRtWaiter {
  bool active;
  const void *flag;
  int64_t bits, value;
  bool equal; ///< else at least
  const char *where;
} TileRtWaiter;

/// Shared by the ranks that run. All but the atomics belong to the mutex.
typedef struct TileRtMeeting {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  atomic_int waiting;
  atomic_bool failed;
  int32_t ranks, live;
  int64_t patience; ///< seconds of a wait for other processes; 0: none do
  TileRtWaiter *waiters; ///< one for each rank
  char report[768];      ///< if failed
} TileRtMeeting;

/// The calling thread is a rank until it leaves.
__attribute__((visibility("hidden"))) void
tile_rt_meeting_enter(TileRtMeeting *meeting, int32_t rank);
__attribute__((visibility("hidden"))) void tile_rt_meeting_leave(void);
/// The seconds that a wait has whose end nobody can foresee.
__attribute__((visibility("hidden"))) int64_t tile_rt_wait_patience(void);

#endif // TILERUNTIME_LIB_MEETING_H
