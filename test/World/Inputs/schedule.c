// One rank runs at a time, the first one of an order that can go on, so that what ThreadSanitizer sees is the same in each run and on
// each machine: it compares by the order of signals and waits, and so threads need not run side by side. Compiled without it: to hand the
// turn over must not order what the ranks do. The linker's --wrap puts these functions in front of the runtime's.
//
// TILE_SCHEDULE is a number: the rank that comes first, then whether the others follow up or down, then the stop, counted over all ranks,
// at which the rank that runs becomes the last one of the order (0: none does). It may stop in front of signals and waits, and behind waits:
// what a late wait acquires is more than what it waits for, and hides a race. How many stops there were is printed.

#define _GNU_SOURCE 1
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMaxRanks = 64, kNobody = -1 };

typedef struct Rank {
  const void *flag; ///< that it waits for; null: none
  int64_t bits, value;
  bool equal, done;
} Rank;

static Rank ranks[kMaxRanks];
static int order[kMaxRanks], count;
static int64_t step, lastAt;
static _Atomic int turn = kNobody, entered;
static _Thread_local int self = kNobody;

void __real_tile_rt_signal_add(void *flag, int64_t bits, int64_t value);
void __real_tile_rt_signal_set(void *flag, int64_t bits, int64_t value);
void __real_tile_rt_wait_ge(void *flag, int64_t bits, int64_t value, const char *where);
void __real_tile_rt_wait_eq(void *flag, int64_t bits, int64_t value, const char *where);

void schedule_begin(int size) {
  const char *text = getenv("TILE_SCHEDULE");
  int64_t number = text ? strtoll(text, NULL, 10) : 0;
  int first = (int)(number % size), direction = number / size % 2 ? size - 1 : 1;
  lastAt = number / size / 2;
  count = size;
  for (int i = 0; i < size; ++i)
    order[i] = (first + i * direction) % size;
}

static bool canGoOn(const Rank *rank) {
  if (rank->done || !rank->flag)
    return !rank->done;
  int64_t value = rank->bits == 32 ? *(const volatile int32_t *)rank->flag : *(const volatile int64_t *)rank->flag;
  return rank->equal ? value == rank->value : value >= rank->value;
}

/// Gives the turn to the first rank that can go on.
static void chooseNext(void) {
  int next = kNobody, done = 0;
  for (int i = count - 1; i >= 0; --i) {
    done += ranks[order[i]].done;
    if (canGoOn(&ranks[order[i]]))
      next = order[i];
  }
  if (done == count)
    printf("%lld\n", (long long)step);
  if (next == kNobody && done < count) {
    fprintf(stderr, "ranks: gave up waiting: nobody is left to signal\n");
    _exit(1);
  }
  atomic_store(&turn, next);
  syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, kMaxRanks, NULL, NULL, 0);
}

static void awaitTurn(void) {
  for (int now = atomic_load(&turn); now != self; now = atomic_load(&turn))
    syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
}

/// The last one to enter gives the first turn.
void schedule_enter(int rank) {
  self = rank;
  if (atomic_fetch_add(&entered, 1) + 1 == count)
    chooseNext();
  awaitTurn();
}

void schedule_leave(void) {
  ranks[self].done = true;
  chooseNext();
}

static void beLast(void) {
  int i = 0;
  while (order[i] != self)
    ++i;
  memmove(&order[i], &order[i + 1], (size_t)(count - 1 - i) * sizeof(order[0]));
  order[count - 1] = self;
}

static void stop(Rank what) {
  if (self == kNobody)
    return;
  ranks[self] = what;
  if (++step == lastAt)
    beLast();
  chooseNext();
  awaitTurn();
}

void __wrap_tile_rt_signal_add(void *flag, int64_t bits, int64_t value) {
  stop((Rank){0});
  __real_tile_rt_signal_add(flag, bits, value);
}

void __wrap_tile_rt_signal_set(void *flag, int64_t bits, int64_t value) {
  stop((Rank){0});
  __real_tile_rt_signal_set(flag, bits, value);
}

void __wrap_tile_rt_wait_ge(void *flag, int64_t bits, int64_t value, const char *where) {
  stop((Rank){.flag = flag, .bits = bits, .value = value});
  __real_tile_rt_wait_ge(flag, bits, value, where);
  stop((Rank){0});
}

void __wrap_tile_rt_wait_eq(void *flag, int64_t bits, int64_t value, const char *where) {
  stop((Rank){.flag = flag, .bits = bits, .value = value, .equal = true});
  __real_tile_rt_wait_eq(flag, bits, value, where);
  stop((Rank){0});
}
