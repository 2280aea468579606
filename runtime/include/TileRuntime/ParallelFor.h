// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel loops for CPU kernels.
//
// Generated code calls tile_rt_parallel_for; the other functions are for code
// written by hand and for embedders. They live in the shared library tile_cpu_runtime, and in
// the static library TileRuntime for programs that do not load generated code.
// A process that holds both has two pools, which is correct but starts twice
// the threads.

#ifndef TILERUNTIME_PARALLELFOR_H
#define TILERUNTIME_PARALLELFOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One piece of a loop: the iterations [begin, end). Must return normally: no
/// longjmp and no C++ exception may leave it.
typedef void (*TileRtBody)(void *context, int64_t begin, int64_t end);

/// The signature of tile_rt_parallel_for, for embedders with their own pool.
typedef void (*TileRtParallelFor)(TileRtBody body, void *context, int64_t count,
                                  int64_t grain);

/// Calls `body` on disjoint ranges that cover [0, count) exactly once and
/// returns when all calls have returned; their writes are then visible to the
/// caller. `context` is passed through and stays the caller's.
///
/// Ranges are multiples of `grain` iterations (less than 1: about eight ranges
/// a thread; the last range may be shorter), claimed dynamically by the threads of the pool,
/// which starts on the first call that needs it; the caller takes part. One
/// call with the whole range is made, in the caller, when count <= grain, when
/// the pool has one thread, when the caller is itself inside a body, and when
/// 16 other application threads are inside parallel loops. Nothing happens when
/// count <= 0.
///
/// Safe from several threads at once. Safe after fork: the child starts its own
/// pool when it needs one. A child forked inside a body must exec or _exit.
void tile_rt_parallel_for(TileRtBody body, void *context, int64_t count,
                          int64_t grain);

/// Makes tile_rt_parallel_for hand loops with count > 0 to `fn`, with
/// grain >= 1; null restores the built-in pool. Loops already running are not
/// affected. `fn` must not call tile_rt_parallel_for with the same loop, must
/// accept nested and concurrent calls, and must return after the last body has.
void tile_rt_set_parallel_for(TileRtParallelFor fn);

/// While `alone`, loops of the calling thread run on it alone, in order: for
/// threads that wait for each other in loops.
void tile_rt_run_alone(bool alone);

/// The number of threads of the built-in pool, the caller included: the
/// environment variable TILE_NUM_THREADS (1 to 1024) or else the CPUs that the
/// first asking thread may run on. At least 1. Fixed after the first call.
int64_t tile_rt_num_threads(void);

/// A 64-byte-aligned buffer of at least `bytes` bytes that belongs to the
/// calling thread; null when memory is exhausted. The content is undefined. The
/// runtime frees it at thread exit.
///
/// There is one buffer a thread. The next call on the same thread returns the
/// same memory, or frees it if it has to grow. So a kernel asks once, for all
/// it needs, and does not ask again from a loop nested in its body.
void *tile_rt_scratch(size_t bytes);

/// Compiled code lacked memory for its buffers, as many bytes as this (-1: more
/// than can be counted), and left out what needs them. The calling thread keeps
/// the number.
void tile_rt_note_missing_memory(int64_t bytes);

/// That number of the calling thread, or 0, which it is from now on
/// (tile_rt_had_memory in Device.h makes an error of it).
int64_t tile_rt_take_missing_memory(void);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_PARALLELFOR_H
