// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Processes.h"
#include "Meeting.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

bool tile_rt_processes_load(const TileRtLibrary *library,
                            TileRtLibraryOnce *once, void *table,
                            const char *provider, TileRtError *error) {
  TileRtError inner;
  return tile_rt_library_once(library, once, table, &inner) ||
         tile_rt_fail(error,
                      "%s; name its file by %s. Without the provider '%s', "
                      "ranks are the GPUs of one process",
                      inner.message, library->variable, provider);
}

static bool readNumber(const char *name, int32_t low, int32_t high,
                       int32_t *value, TileRtError *error) {
  const char *text = getenv(name);
  if (!text || !*text)
    return tile_rt_fail(error,
                        "no %s in the environment: expected processes of a "
                        "torchrun, with RANK, WORLD_SIZE and LOCAL_RANK",
                        name);
  char *end;
  long number = strtol(text, &end, 10);
  *value = (int32_t)number;
  return (!*end && number >= low && number <= high) ||
         tile_rt_fail(error,
                      "%s: expected a number of %" PRId32 " to %" PRId32
                      ", got '%s'",
                      name, low, high, text);
}

/// Where the first process waits for the others: libraries read it while they
/// begin.
static bool namePlace(TileRtProcesses *processes, TileRtError *error) {
  enum { kMaxPort = 65534 };
  const char *given = getenv(processes->variable),
             *host = getenv("MASTER_ADDR");
  char place[300];
  int32_t port;
  if (given && *given)
    return true;
  if (!host || !*host)
    return tile_rt_fail(error,
                        "no MASTER_ADDR in the environment: expected where the "
                        "processes meet, or %s",
                        processes->variable);
  if (!readNumber("MASTER_PORT", 1, kMaxPort, &port, error))
    return false;
  snprintf(place, sizeof(place), "%.250s:%" PRId32, host, port + 1);
  processes->namesPlace = setenv(processes->variable, place, 1) == 0;
  return processes->namesPlace ||
         tile_rt_fail(error, "no memory for a communicator");
}

bool tile_rt_processes_find(TileRtProcesses *processes, const char *variable,
                            TileRtError *error) {
  enum { kMaxRanks = 1024 };
  processes->variable = variable;
  processes->namesPlace = false;
  return readNumber("WORLD_SIZE", 1, kMaxRanks, &processes->size, error) &&
         readNumber("RANK", 0, processes->size - 1, &processes->rank, error) &&
         readNumber("LOCAL_RANK", 0, kMaxRanks, &processes->ordinal, error) &&
         namePlace(processes, error);
}

void tile_rt_processes_forget_place(TileRtProcesses *processes) {
  if (processes->namesPlace)
    unsetenv(processes->variable);
  processes->namesPlace = false;
}

/// The caller frees it, or the thread has it for ever.
typedef struct Call {
  TileRtTogether call;
  void *context;
  TileRtError error;
  bool good;
} Call;

static void *run(void *argument) {
  Call *call = argument;
  call->good = call->call(call->context, &call->error);
  return NULL;
}

bool tile_rt_processes_call(TileRtProcesses *processes, TileRtTogether function,
                            void *context, TileRtError *error) {
  Call *call = calloc(1, sizeof(*call));
  pthread_t thread;
  struct timespec end;
  if (!call)
    return tile_rt_fail(error, "no memory for a communicator");
  call->call = function;
  call->context = context;
  if (pthread_create(&thread, NULL, run, call) != 0) {
    free(call);
    return tile_rt_fail(error, "no thread for a communicator");
  }
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += tile_rt_wait_patience();
  if (pthread_timedjoin_np(thread, NULL, &end) != 0) {
    const char *place =
        processes->variable ? getenv(processes->variable) : NULL;
    processes->isStuck = true; // the thread keeps the call
    return tile_rt_fail(error,
                        "rank %" PRId32 " of %" PRId32
                        " waits for the other processes%s%s; they did not "
                        "come in %" PRId64 " s",
                        processes->rank, processes->size, place ? " at " : "",
                        place ? place : "", tile_rt_wait_patience());
  }
  bool good = call->good || tile_rt_fail(error, "%s", call->error.message);
  free(call);
  return good;
}
