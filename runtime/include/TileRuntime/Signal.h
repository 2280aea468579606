// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals and waits of code that several ranks run (TileRuntime/World.h).
// Generated code calls these functions.

#ifndef TILERUNTIME_SIGNAL_H
#define TILERUNTIME_SIGNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A flag has 32 or 64 bits, as `bits` says. A signal releases what the thread
/// wrote before; a wait acquires it. `where` is the place in the source that an
/// error names. On a thread that tile_rt_world_run has not started, a wait gives
/// up after 60 seconds, or as many as the environment variable TILE_WAIT_SECONDS
/// says, with a line on stderr.
void tile_rt_signal_add(void *flag, int64_t bits, int64_t value);
void tile_rt_signal_set(void *flag, int64_t bits, int64_t value);
void tile_rt_wait_ge(void *flag, int64_t bits, int64_t value,
                     const char *where);
void tile_rt_wait_eq(void *flag, int64_t bits, int64_t value,
                     const char *where);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_SIGNAL_H
