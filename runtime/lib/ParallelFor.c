// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread pool behind tile_rt_parallel_for.
//
// A loop is a slot in a fixed table, so that a worker may look at a slot at any
// time without asking whether it still exists. A worker joins by raising the
// count in the slot's state word while the slot is open; the caller closes the
// slot and returns when the count is back to zero. The caller alone can finish
// the loop: workers that are slow to wake up cost nothing but their help.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/ParallelFor.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
  kJobs = 16,
  kMaxThreads = 1024,
  kSpinNs = 40000,
  kWorkerStackBytes = 8 << 20,
};

// The state word of a job. Zero is a free slot.
#define JOB_TAKEN (1u << 31)
#define JOB_OPEN (1u << 30)
#define JOB_WAITED (1u << 29)
#define JOB_WORKERS (JOB_WAITED - 1)

// The two atomics are written by all threads, at different times: each has a
// cache line (and its prefetched neighbour) of its own.
typedef struct Job {
  _Alignas(128) atomic_uint state;
  TileRtBody body;
  void *context;
  int64_t count;
  int64_t grain;
  int64_t chunks;
  _Alignas(128) _Atomic int64_t nextChunk;
} Job;

enum Phase { kIdle, kRunning, kStopped };

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t wake; // epoch has changed
  pthread_cond_t done; // a job that is waited for has lost its last worker
  atomic_int phase;    // enum Phase
  int workers;         // threads[0 .. workers), guarded by mutex
  bool forkHandlers;   // guarded by mutex
  bool spins;          // written before the workers start
  pthread_t threads[kMaxThreads];
  _Alignas(128) atomic_uint epoch; // raised after a job has been opened
  atomic_int sleepers;             // workers that wait on `wake`
  Job jobs[kJobs];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static _Atomic(TileRtParallelFor) userParallelFor;
static _Atomic int64_t cachedNumThreads;
static _Thread_local bool insideBody, runsAlone;

//===----------------------------------------------------------------------===//
// Number of threads
//===----------------------------------------------------------------------===//

static int64_t usableCpus(void) {
  // The kernel refuses a set smaller than its own, whose size it does not tell.
  for (int bits = CPU_SETSIZE; bits <= (1 << 20); bits *= 2) {
    cpu_set_t *set = CPU_ALLOC((size_t)bits);
    if (!set)
      return 1;
    size_t bytes = CPU_ALLOC_SIZE((size_t)bits);
    int rc = sched_getaffinity(0, bytes, set);
    int error = errno;
    int cpus = rc == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (rc == 0)
      return cpus < 1 ? 1 : cpus > kMaxThreads ? kMaxThreads : cpus;
    if (error != EINVAL)
      return 1;
  }
  return 1;
}

int64_t tile_rt_num_threads(void) {
  int64_t threads = atomic_load(&cachedNumThreads);
  if (threads)
    return threads;
  threads = usableCpus();
  const char *text = getenv("TILE_NUM_THREADS");
  if (text && *text) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end || value < 1 || value > kMaxThreads)
      fprintf(stderr,
              "TILE_NUM_THREADS: expected an integer from 1 to %d, got '%s'; "
              "using %lld\n",
              kMaxThreads, text, (long long)threads);
    else
      threads = value;
  }
  // Threads that get here together must agree.
  int64_t none = 0;
  if (!atomic_compare_exchange_strong(&cachedNumThreads, &none, threads))
    return none;
  return threads;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

static int64_t nowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

typedef struct Spin {
  unsigned turns;
  int64_t deadline;
} Spin;

/// Passes a few nanoseconds; false when it is time to sleep instead.
static bool spinMore(Spin *spin) {
  if (!pool.spins)
    return false;
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
  if (spin->turns++ % 64)
    return true;
  int64_t now = nowNs();
  if (!spin->deadline)
    spin->deadline = now + kSpinNs;
  return now < spin->deadline;
}

static void waitForEpochAfter(unsigned seen) {
  Spin spin = {0};
  while (atomic_load(&pool.epoch) == seen)
    if (!spinMore(&spin))
      break;
  if (atomic_load(&pool.epoch) != seen)
    return;
  pthread_mutex_lock(&pool.mutex);
  // Sequentially consistent with the opener, which raises epoch and then reads
  // sleepers: one of the two sees the other.
  atomic_fetch_add(&pool.sleepers, 1);
  while (atomic_load(&pool.epoch) == seen)
    pthread_cond_wait(&pool.wake, &pool.mutex);
  atomic_fetch_sub(&pool.sleepers, 1);
  pthread_mutex_unlock(&pool.mutex);
}

static void wakeWorkers(int64_t wanted) {
  if (wanted <= 0 || atomic_load(&pool.sleepers) == 0)
    return;
  // A sleeper that has been counted but does not wait yet holds the mutex.
  pthread_mutex_lock(&pool.mutex);
  pthread_mutex_unlock(&pool.mutex);
  for (int64_t i = 0; i < wanted; ++i)
    pthread_cond_signal(&pool.wake);
}

static void waitForWorkers(Job *job) {
  Spin spin = {0};
  while (atomic_load(&job->state) & JOB_WORKERS)
    if (!spinMore(&spin))
      break;
  if (!(atomic_load(&job->state) & JOB_WORKERS))
    return;
  pthread_mutex_lock(&pool.mutex);
  atomic_fetch_or(&job->state, JOB_WAITED);
  while (atomic_load(&job->state) & JOB_WORKERS)
    pthread_cond_wait(&pool.done, &pool.mutex);
  pthread_mutex_unlock(&pool.mutex);
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

/// Runs chunks until none is left, closes the job to newcomers, and returns
/// whether there was one to run.
static bool runChunks(Job *job) {
  bool any = false;
  for (;;) {
    int64_t chunk =
        atomic_fetch_add_explicit(&job->nextChunk, 1, memory_order_relaxed);
    if (chunk >= job->chunks)
      break;
    any = true;
    int64_t begin = chunk * job->grain;
    int64_t left = job->count - begin;
    int64_t end = left < job->grain ? job->count : begin + job->grain;
    job->body(job->context, begin, end);
  }
  atomic_fetch_and(&job->state, ~JOB_OPEN);
  return any;
}

static bool joinJob(Job *job) {
  unsigned state = atomic_load(&job->state);
  while (state & JOB_OPEN)
    if (atomic_compare_exchange_weak(&job->state, &state, state + 1))
      return true;
  return false;
}

static void leaveJob(Job *job) {
  // The slot may be reused as soon as the count is zero: no look at it after.
  unsigned state = atomic_fetch_sub(&job->state, 1) - 1;
  if (!(state & JOB_WAITED) || (state & JOB_WORKERS))
    return;
  pthread_mutex_lock(&pool.mutex);
  pthread_cond_broadcast(&pool.done);
  pthread_mutex_unlock(&pool.mutex);
}

static bool helpWithAnyJob(void) {
  bool helped = false;
  for (int i = 0; i < kJobs; ++i) {
    Job *job = &pool.jobs[i];
    if (!joinJob(job))
      continue;
    // Waking one thread takes a system call; as a tree, no thread makes many.
    int64_t left = job->chunks -
                   atomic_load_explicit(&job->nextChunk, memory_order_relaxed);
    wakeWorkers(left < 2 ? left : 2);
    helped |= runChunks(job);
    leaveJob(job);
  }
  return helped;
}

static void *workerMain(void *unused) {
  (void)unused;
  insideBody = true;
  for (;;) {
    unsigned seen = atomic_load(&pool.epoch);
    if (atomic_load(&pool.phase) == kStopped)
      return NULL;
    while (helpWithAnyJob()) {
    }
    waitForEpochAfter(seen);
  }
}

//===----------------------------------------------------------------------===//
// Start, fork and stop
//===----------------------------------------------------------------------===//

static void lockBeforeFork(void) { pthread_mutex_lock(&pool.mutex); }

static void unlockAfterFork(void) { pthread_mutex_unlock(&pool.mutex); }

/// Only the forking thread exists in the child: forget the workers and the
/// loops of other threads.
static void resetInChild(void) {
  pool.workers = 0;
  if (atomic_load(&pool.phase) == kRunning)
    atomic_store(&pool.phase, kIdle);
  atomic_store(&cachedNumThreads, 0);
  atomic_store(&pool.sleepers, 0);
  for (int i = 0; i < kJobs; ++i)
    atomic_store(&pool.jobs[i].state, 0);
  pthread_cond_init(&pool.wake, NULL);
  pthread_cond_init(&pool.done, NULL);
  pthread_mutex_unlock(&pool.mutex);
}

/// Starts as many workers as the system gives, with all signals blocked so that
/// the application's handlers run on the application's threads.
static void createWorkers(int64_t wanted) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return;
  size_t stack = 0;
  pthread_attr_getstacksize(&attributes, &stack);
  if (stack < kWorkerStackBytes)
    pthread_attr_setstacksize(&attributes, kWorkerStackBytes);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (pool.workers < wanted &&
         pthread_create(&pool.threads[pool.workers], &attributes, workerMain,
                        NULL) == 0)
    ++pool.workers;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
}

static void startPool(void) {
  int64_t threads = tile_rt_num_threads();
  pthread_mutex_lock(&pool.mutex);
  if (atomic_load(&pool.phase) == kIdle) {
    if (!pool.forkHandlers)
      pthread_atfork(lockBeforeFork, unlockAfterFork, resetInChild);
    pool.forkHandlers = true;
    // With more threads than CPUs, who spins takes the CPU from who works.
    pool.spins = threads <= usableCpus();
    createWorkers(threads - 1);
    atomic_store(&pool.phase, kRunning);
  }
  pthread_mutex_unlock(&pool.mutex);
}

/// Ends the idle workers at exit, so that leak checkers see their memory freed.
/// A loop that still runs is left alone: waiting for it could last forever.
__attribute__((destructor)) static void stopPool(void) {
  if (insideBody)
    return;
  for (int i = 0; i < kJobs; ++i)
    if (atomic_load(&pool.jobs[i].state))
      return;
  pthread_mutex_lock(&pool.mutex);
  atomic_store(&pool.phase, kStopped);
  atomic_fetch_add(&pool.epoch, 1);
  int workers = pool.workers;
  pool.workers = 0;
  pthread_cond_broadcast(&pool.wake);
  pthread_mutex_unlock(&pool.mutex);
  for (int i = 0; i < workers; ++i)
    pthread_join(pool.threads[i], NULL);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

static Job *takeJob(void) {
  for (int i = 0; i < kJobs; ++i) {
    unsigned unused = 0;
    if (atomic_compare_exchange_strong(&pool.jobs[i].state, &unused, JOB_TAKEN))
      return &pool.jobs[i];
  }
  return NULL;
}

void tile_rt_run_alone(bool alone) { runsAlone = alone; }

void tile_rt_set_parallel_for(TileRtParallelFor fn) {
  atomic_store(&userParallelFor, fn);
}

/// Eight ranges a thread: enough that uneven iterations balance, few enough that
/// what a body sets up for a range is paid seldom.
static int64_t automaticGrain(int64_t count) {
  int64_t grain = count / (8 * tile_rt_num_threads());
  return grain < 1 ? 1 : grain;
}

void tile_rt_parallel_for(TileRtBody body, void *context, int64_t count,
                          int64_t grain) {
  if (count <= 0)
    return;
  if (runsAlone) {
    body(context, 0, count);
    return;
  }
  if (grain < 1)
    grain = automaticGrain(count);
  TileRtParallelFor user = atomic_load(&userParallelFor);
  if (user) {
    user(body, context, count, grain);
    return;
  }
  Job *job = NULL;
  if (!insideBody && count > grain && tile_rt_num_threads() > 1) {
    if (atomic_load(&pool.phase) == kIdle)
      startPool();
    job = takeJob();
  }
  if (!job) {
    body(context, 0, count);
    return;
  }
  job->body = body;
  job->context = context;
  job->count = count;
  job->grain = grain;
  job->chunks = count / grain + (count % grain != 0);
  atomic_store_explicit(&job->nextChunk, 0, memory_order_relaxed);
  atomic_store(&job->state, JOB_TAKEN | JOB_OPEN);
  atomic_fetch_add(&pool.epoch, 1);
  wakeWorkers(1);

  insideBody = true;
  runChunks(job);
  insideBody = false;
  waitForWorkers(job);
  atomic_store(&job->state, 0);
}
