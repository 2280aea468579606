// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: which thread runs when. Blocks that must run together do; the
// others run one after the other, unless all that run wait for one.

#define _GNU_SOURCE 1
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static void stop(struct simt_run *run) {
  run->failed = true;
  if (run->current)
    simt_fiber_end(run->scheduler);
  longjmp(run->stop, 1);
}

static _Noreturn void vreport(struct simt_block *block, int thread,
                              const struct simt_instruction *instruction,
                              const char *format, va_list arguments) {
  struct simt_run *run = block ? block->cohort->run : simt_running;
  char text[800], who[96] = "", rank[24] = "";
  vsnprintf(text, sizeof(text), format, arguments);
  run->failedRank = block ? block->cohort->grid->rank : 0;
  if (run->rankCount > 1)
    snprintf(rank, sizeof(rank), "rank %d, ", run->failedRank);
  if (block && thread >= 0)
    snprintf(who, sizeof(who), " (%sblock %u %u %u, thread %d)", rank,
             block->index.x, block->index.y, block->index.z, thread);
  else if (block)
    snprintf(who, sizeof(who), " (%sblock %u %u %u)", rank, block->index.x,
             block->index.y, block->index.z);
  if (instruction)
    snprintf(run->report, run->size, "%s: %s: %s%s", instruction->place,
             instruction->name, text, who);
  else
    snprintf(run->report, run->size, "%s%s", text, who);
  stop(run);
  abort();
}

void simt_report(struct simt_block *block, int thread,
                 const struct simt_instruction *instruction, const char *format,
                 ...) {
  va_list arguments;
  va_start(arguments, format);
  vreport(block, thread, instruction, format, arguments);
}

void simt_fail(const struct simt_call *call, int lane, const char *format,
               ...) {
  va_list arguments;
  va_start(arguments, format);
  vreport(call->block, lane < 0 ? -1 : call->first + lane, call->instruction,
          format, arguments);
}

//===----------------------------------------------------------------------===//
// Late effects
//===----------------------------------------------------------------------===//

uint64_t simt_defer(struct simt_block *block,
                    void (*effect)(struct simt_block *block, void *data),
                    const void *data, size_t bytes) {
  struct simt_run *run = block->cohort->run;
  struct simt_effect *one = simt_take(sizeof(*one) + bytes);
  one->number = ++run->effectCount;
  one->block = block;
  one->run = effect;
  one->next = NULL;
  memcpy(one->data, data, bytes);
  *run->lastEffect = one;
  run->lastEffect = &one->next;
  return one->number;
}

void simt_run_effect(struct simt_run *run, struct simt_effect **at) {
  struct simt_effect *one = *at;
  *at = one->next;
  if (run->lastEffect == &one->next)
    run->lastEffect = at;
  ++run->progress;
  one->run(one->block, one->data);
  simt_give(one);
}

static struct simt_effect **findEffect(const struct simt_run *run,
                                       uint64_t number) {
  struct simt_effect **at = (struct simt_effect **)&run->effects;
  while (*at && (*at)->number != number)
    at = &(*at)->next;
  return at;
}

void simt_finish(struct simt_block *block, uint64_t effect) {
  struct simt_run *run = block->cohort->run;
  struct simt_effect **at = findEffect(run, effect);
  if (*at)
    simt_run_effect(run, at);
}

bool simt_finished(const struct simt_block *block, uint64_t effect) {
  return !*findEffect(block->cohort->run, effect);
}

//===----------------------------------------------------------------------===//
// Cohorts
//===----------------------------------------------------------------------===//

static struct simt_dim unfold(uint32_t index, struct simt_dim size) {
  return (struct simt_dim){index % size.x, index / size.x % size.y,
                           index / size.x / size.y};
}

/// Where the block is that is `rank` of the cluster `cluster` of the grid.
static struct simt_dim placeBlock(const struct simt_launch *l, uint32_t cluster,
                                  uint32_t rank) {
  struct simt_dim clusters = {l->grid.x / l->cluster.x,
                              l->grid.y / l->cluster.y,
                              l->grid.z / l->cluster.z};
  struct simt_dim outer = unfold(cluster, clusters);
  struct simt_dim inner = unfold(rank, l->cluster);
  return (struct simt_dim){outer.x * l->cluster.x + inner.x,
                           outer.y * l->cluster.y + inner.y,
                           outer.z * l->cluster.z + inner.z};
}

// Stacks of threads that have returned, for the next ones.
static struct simt_fiber *unusedFibers;
static size_t unusedFiberCount, unusedFiberRoom;

static struct simt_fiber takeFiber(void) {
  return unusedFiberCount ? unusedFibers[--unusedFiberCount]
                          : (struct simt_fiber){0};
}

static void giveFiber(struct simt_thread *thread) {
  struct simt_fiber fiber = thread->fiber;
  if (!fiber.stack ||
      (thread->status != SIMT_RETURNED && !simt_fiber_abandon(&fiber)))
    return;
  if (unusedFiberCount == unusedFiberRoom) {
    unusedFiberRoom = 2 * unusedFiberRoom + 64;
    unusedFibers =
        realloc(unusedFibers, unusedFiberRoom * sizeof(*unusedFibers));
    if (!unusedFibers)
      abort();
  }
  unusedFibers[unusedFiberCount++] = fiber;
}

static void runThread(void) {
  simt_fiber_begin();
  struct simt_run *run = simt_running;
  struct simt_thread *thread = run->current;
  const struct simt_grid *grid = thread->block->cohort->grid;
  grid->kernel->run(grid->parameters);
  for (struct simt_check *at = thread->checks; at; at = at->next)
    at->run(thread->block, thread->index);
  thread->status = SIMT_RETURNED;
  ++thread->block->returned;
  run->current = NULL;
  simt_fiber_end(run->scheduler);
}

static bool makeThread(struct simt_block *block, int index) {
  struct simt_thread *thread = &block->thread[index];
  int threads = block->cohort->grid->launch.threads;
  *thread = (struct simt_thread){.block = block, .index = index};
  thread->component = block->lone - (uint32_t)(threads - index) * SIMT_AGENTS;
  thread->own[SIMT_SELF] = 1;
  if (!block->cohort->grid->launch.pdl)
    simt_acquire(block, index, &block->cohort->grid->before);
  thread->fiber = takeFiber();
  return simt_fiber_start(&thread->fiber, runThread);
}

/// Shared memory and threads, if there is room.
static bool fillBlock(struct simt_block *block, const struct simt_launch *l) {
  block->thread = calloc((size_t)l->threads, sizeof(*block->thread));
  block->shared = simt_arena_take(l->sharedBytes);
  if (!block->thread || !block->shared)
    return false;
  simt_arena_own(block);
  while (block->threads < l->threads)
    if (!makeThread(block, block->threads++))
      return false;
  return true;
}

static void startCohort(struct simt_run *run, struct simt_grid *grid) {
  const struct simt_launch *l = &grid->launch;
  struct simt_cohort *cohort = calloc(1, sizeof(*cohort));
  if (!cohort)
    abort();
  cohort->next = run->live;
  run->live = cohort;
  ++run->ranks[grid->rank].live;
  uint32_t perCluster = l->cluster.x * l->cluster.y * l->cluster.z;
  cohort->run = run;
  cohort->grid = grid;
  cohort->pool = simt_pool_create();
  cohort->blocks = (int)grid->cohortBlocks;
  // Of each block, those of its threads, and then its own.
  uint32_t own = (uint32_t)l->threads * SIMT_AGENTS;
  cohort->components = (uint32_t)cohort->blocks * (own + SIMT_LONE_AGENTS);
  cohort->base = grid->base + grid->started * cohort->components;
  cohort->block = calloc((size_t)cohort->blocks, sizeof(*cohort->block));
  if (!cohort->block)
    abort();
  uint32_t ordinal = grid->order[grid->started++];
  for (int b = 0; b < cohort->blocks; ++b) {
    struct simt_block *block = &cohort->block[b];
    uint32_t linear = ordinal * (uint32_t)cohort->blocks + (uint32_t)b;
    block->cohort = cohort;
    block->rank = (int)(linear % perCluster);
    block->index = placeBlock(l, linear / perCluster, linear % perCluster);
    block->lone = cohort->base + (uint32_t)b * (own + SIMT_LONE_AGENTS) + own;
    if (!fillBlock(block, l))
      simt_report(NULL, -1, NULL,
                  "no memory for %d blocks of %d threads that run together",
                  cohort->blocks, l->threads);
  }
}

static void freeCohort(struct simt_cohort *cohort) {
  for (int b = 0; b < cohort->blocks; ++b) {
    struct simt_block *block = &cohort->block[b];
    simt_order_clear(block->places);
    for (struct simt_state *at = block->states; at; at = at->next)
      if (at->end)
        at->end(at->data);
    for (int t = 0; t < block->threads; ++t) {
      struct simt_thread *thread = &block->thread[t];
      simt_clock_drop(thread->knows);
      simt_clock_drop(thread->sees);
      simt_clock_drop(thread->snapshot);
      for (int scope = 0; scope < SIMT_SCOPES; ++scope) {
        simt_sync_clear(&thread->fenced[scope]);
        simt_sync_clear(&thread->read[scope]);
      }
      giveFiber(thread);
    }
    if (block->shared)
      simt_arena_give(block->shared);
    free(block->thread);
  }
  simt_pool_free(cohort->pool);
  free(cohort->block);
  free(cohort);
}

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

void simt_park(struct simt_thread *thread) {
  struct simt_run *run = simt_running;
  run->current = NULL;
  simt_fiber_suspend(&thread->fiber.top, run->scheduler);
}

static void resume(struct simt_run *run, struct simt_thread *thread) {
  run->current = thread;
  run->program = thread->block->cohort->grid->program;
  simt_fiber_resume(&run->scheduler, &thread->fiber);
  if (run->failed) {
    run->current = NULL;
    longjmp(run->stop, 1);
  }
}

/// Runs a thread if it can; whether it did.
static bool step(struct simt_run *run, struct simt_thread *thread) {
  if (thread->status == SIMT_WAITING && thread->ready(thread->argument)) {
    thread->status = SIMT_READY;
    ++run->progress;
  }
  if (thread->status != SIMT_READY)
    return false;
  resume(run, thread);
  if (thread->status != SIMT_READY)
    ++run->progress;
  return true;
}

/// Runs one of the first late effects, at times.
static void mayFinish(struct simt_run *run) {
  enum { kOften = 4, kMost = 4 };
  if (!run->effects || !run->seed)
    return;
  uint32_t chance = simt_random(run->live->block);
  if (chance % kOften)
    return;
  struct simt_effect **at = &run->effects;
  for (uint32_t skip = chance / kOften % kMost; skip && (*at)->next; --skip)
    at = &(*at)->next;
  simt_run_effect(run, at);
}

/// Gives each thread of a block a turn; whether any ran.
static bool stepBlock(struct simt_run *run, struct simt_block *block) {
  bool any = false;
  uint32_t count = (uint32_t)block->threads;
  uint32_t start = 0, stride = 1;
  if (run->seed) {
    // Warps in another order, forwards or backwards.
    start = simt_random(block) % count;
    stride = simt_random(block) % 2 ? 1 : count - 1;
  }
  for (uint32_t i = 0; i < count; ++i)
    any |= step(run, &block->thread[(start + i * stride) % count]);
  mayFinish(run);
  return any;
}

/// Executes instructions whose lanes are as many as will ever come.
static bool collectStalled(struct simt_run *run) {
  for (struct simt_cohort *c = run->live; c; c = c->next)
    for (int b = 0; b < c->blocks; ++b)
      for (int t = 0; t < c->block[b].threads; ++t) {
        struct simt_thread *thread = &c->block[b].thread[t];
        if (thread->status != SIMT_COLLECTING)
          continue;
        // Functions find out who runs.
        run->current = NULL;
        if (simt_collect(thread, true))
          return true;
      }
  return false;
}

/// What the threads of a block wait for, as far as there is room.
static void describeWaits(const struct simt_block *block, char *text,
                          size_t size) {
  size_t at = 0;
  for (int t = 0; t < block->threads && at + 160 < size;) {
    const struct simt_thread *first = &block->thread[t];
    int end = t + 1;
    while (end < block->threads && block->thread[end].status == first->status &&
           block->thread[end].at == first->at)
      ++end;
    if (first->status != SIMT_RETURNED)
      at += (size_t)snprintf(
          text + at, size - at, "%sthreads %d to %d %s %.60s at %.80s",
          at ? ", " : "", t, end - 1,
          first->status == SIMT_COLLECTING ? "wait for other lanes of"
          : first->status == SIMT_WAITING  ? first->what
                                           : "poll after",
          first->at ? first->at->name : "?",
          first->at ? first->at->place : "?");
    else
      at += (size_t)snprintf(text + at, size - at,
                             "%sthreads %d to %d have returned", at ? ", " : "",
                             t, end - 1);
    t = end;
  }
}

static _Noreturn void reportDeadlock(struct simt_run *run, const char *what) {
  struct simt_block *block = run->live->block;
  for (struct simt_cohort *c = run->live; c; c = c->next)
    for (int b = 0; b < c->blocks; ++b)
      if (c->block[b].returned < c->block[b].threads)
        block = &c->block[b];
  char waits[640] = "";
  describeWaits(block, waits, sizeof(waits));
  const struct simt_instruction *at = NULL;
  for (int t = 0; t < block->threads && !at; ++t)
    if (block->thread[t].status != SIMT_RETURNED)
      at = block->thread[t].at;
  simt_report(block, -1, at, "%s: %s", what, waits);
}

/// What the threads of a cohort leave to the next grid of their rank.
static void leaveToNext(struct simt_cohort *cohort) {
  struct simt_grid *grid = cohort->grid;
  const struct simt_rank *rank = &cohort->run->ranks[grid->rank];
  if (rank->at + 1 == rank->count)
    return;
  simt_clock_cover(&grid->after.clock, cohort->base, cohort->components);
  for (int b = 0; b < cohort->blocks; ++b)
    for (int t = 0; t < cohort->block[b].threads; ++t)
      simt_clock_join(&grid->after.clock, cohort->block[b].thread[t].knows);
}

/// What its threads have not waited for happens all the same.
static void runEffects(struct simt_run *run, const struct simt_cohort *cohort) {
  for (struct simt_effect **at = &run->effects; *at;)
    if ((*at)->block->cohort == cohort)
      simt_run_effect(run, at);
    else
      at = &(*at)->next;
}

static void removeDone(struct simt_run *run) {
  for (struct simt_cohort **at = &run->live; *at;) {
    struct simt_cohort *cohort = *at;
    int done = 0;
    for (int b = 0; b < cohort->blocks; ++b)
      done += cohort->block[b].returned == cohort->block[b].threads;
    if (done < cohort->blocks) {
      at = &cohort->next;
      continue;
    }
    runEffects(run, cohort);
    leaveToNext(cohort);
    *at = cohort->next;
    run->progress = 0;
    --run->ranks[cohort->grid->rank].live;
    freeCohort(cohort);
  }
}

/// Hands what a grid leaves to the one behind it.
static void nextGrid(struct simt_rank *rank) {
  struct simt_grid *grid = &rank->grids[rank->at++];
  if (rank->at == rank->count)
    return;
  // All proxies see it.
  struct simt_sync *before = &rank->grids[rank->at].before;
  before->clock = grid->after.clock;
  before->async = simt_clock_use(before->clock);
  grid->after = (struct simt_sync){0};
}

/// Sees to it that each rank has a cohort that runs, as long as it has one;
/// false where all have ended.
static bool startAll(struct simt_run *run) {
  bool any = run->live != NULL;
  for (int i = 0; i < run->rankCount; ++i) {
    struct simt_rank *rank = &run->ranks[i];
    while (!rank->live && rank->at < rank->count &&
           rank->grids[rank->at].started == rank->grids[rank->at].cohorts)
      nextGrid(rank);
    if (rank->live || rank->at == rank->count)
      continue;
    if (run->turn >= rank->grids[rank->at].begin)
      startCohort(run, &rank->grids[rank->at]);
    any = true;
  }
  return any;
}

/// Starts one more cohort of each rank that has one; whether any did.
static bool startMore(struct simt_run *run) {
  bool any = false;
  for (int i = 0; i < run->rankCount; ++i) {
    struct simt_rank *rank = &run->ranks[i];
    struct simt_grid *grid = rank->grids + rank->at;
    if (rank->at == rank->count || grid->started == grid->cohorts)
      continue;
    if (run->turn >= grid->begin)
      startCohort(run, grid);
    any = true;
  }
  return any;
}

/// Ranks take a rest from time to time, some of them a long one.
static bool isPaused(struct simt_run *run, struct simt_cohort *cohort) {
  enum { kOften = 128 };
  struct simt_rank *rank = &run->ranks[cohort->grid->rank];
  if (run->rankCount == 1 || !run->seed)
    return false;
  uint32_t chance = simt_random(cohort->block);
  if (run->turn >= rank->pausedUntil && chance % kOften == 0)
    rank->pausedUntil = run->turn + (chance >> 16) % 200;
  return run->turn < rank->pausedUntil;
}

/// Gives all blocks a turn; whether any thread ran or will.
static bool stepAll(struct simt_run *run) {
  bool any = false;
  ++run->turn;
  simt_deliver_due(run);
  for (struct simt_cohort *c = run->live; c; c = c->next) {
    if (isPaused(run, c)) {
      any = true;
      continue;
    }
    for (int b = 0; b < c->blocks; ++b)
      any |= stepBlock(run, &c->block[b]);
  }
  return any;
}

void simt_schedule(struct simt_run *run) {
  // Turns in which all only poll, until another block starts and until that is
  // the end.
  enum { kPatience = 64, kIdle = 20000, kRankIdle = 2000 };
  int idle = 0, end = run->rankCount > 1 ? kRankIdle : kIdle;
  while (startAll(run)) {
    uint64_t before = run->progress;
    bool any = stepAll(run);
    bool moved = run->progress != before;
    removeDone(run);
    if (moved) {
      idle = 0;
      continue;
    }
    if (!run->live)
      continue;
    if (run->effects)
      simt_run_effect(run, &run->effects);
    else if (collectStalled(run))
      continue;
    else if (any && ++idle < kPatience)
      continue;
    else if (simt_deliver_next(run) || startMore(run))
      idle = 0;
    else if (!any)
      reportDeadlock(run, "deadlock");
    else if (idle >= end)
      reportDeadlock(run, "no progress");
  }
  while (simt_deliver_next(run))
    ;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static uint32_t nextRandom(struct simt_run *run) {
  run->random = run->random * UINT64_C(6364136223846793005) +
                UINT64_C(1442695040888963407);
  return (uint32_t)(run->random >> 33);
}

static void shuffle(struct simt_run *run, struct simt_grid *grid) {
  for (uint32_t i = 0; i < grid->cohorts; ++i)
    grid->order[i] = i;
  for (uint32_t i = grid->cohorts; run->seed && i > 1; --i) {
    uint32_t j = nextRandom(run) % i;
    uint32_t held = grid->order[i - 1];
    grid->order[i - 1] = grid->order[j];
    grid->order[j] = held;
  }
}

bool simt_is_sync(const struct simt_instruction *instruction) {
  return instruction->function ? instruction->function->flags & SIMT_SYNC
                               : strcmp(instruction->name, "fence") == 0;
}

const struct simt_instruction *simt_find_sync(const TileSimtProgram *program,
                                              int number) {
  for (uint32_t id = 1; id <= program->instructionCount; ++id)
    if (simt_is_sync(program->instructions[id]) && number-- == 0)
      return program->instructions[id];
  return NULL;
}

int tileSimtCountSync(const TileSimtProgram *program) {
  int count = 0;
  while (simt_find_sync(program, count))
    ++count;
  return count;
}

static struct simt_dim dim(const uint32_t size[3]) {
  return (struct simt_dim){size[0], size[1], size[2]};
}

/// Of any numbers: at most 2^64 - 1.
static uint64_t product(const uint32_t size[3]) {
  uint64_t area = (uint64_t)size[0] * size[1];
  return size[2] && area > UINT64_MAX / size[2] ? UINT64_MAX : area * size[2];
}

static bool prepareGrid(struct simt_run *run, struct simt_grid *grid,
                        const TileSimtLaunch *l, const char *kernel) {
  const TileSimtCode *code = grid->program->code;
  for (uint32_t i = 0; i < code->kernelCount; ++i)
    if (strcmp(code->kernels[i].name, kernel) == 0)
      grid->kernel = &code->kernels[i];
  grid->parameters = l->parameters;
  grid->launch = (struct simt_launch){
      .grid = dim(l->grid),
      .block = dim(l->block),
      .cluster = dim(l->cluster),
      .threads = (int)(l->block[0] * l->block[1] * l->block[2]),
      .warpSize = (int)code->warpSize,
      .sharedBytes = code->sharedBytes + l->sharedBytes,
      .chip = code->chip,
      .seed = run->seed,
      .cooperative = l->cooperative,
      .pdl = l->pdl};
  if (!grid->kernel) {
    snprintf(run->report, run->size, "the program has no kernel %s", kernel);
    return false;
  }
  uint64_t shared = (uint64_t)code->sharedBytes + l->sharedBytes;
  if (shared > SIMT_ARENA_BYTES) {
    snprintf(run->report, run->size,
             "expected at most %d bytes of shared memory, got %" PRIu64,
             SIMT_ARENA_BYTES, shared);
    return false;
  }
  return true;
}

/// What a driver would refuse.
static bool checkSizes(struct simt_run *run, const TileSimtLaunch *l) {
  uint64_t threads = product(l->block), cluster = product(l->cluster);
  if (threads < 1 || threads > SIMT_BLOCK_THREADS)
    snprintf(run->report, run->size,
             "expected a block of 1 to %d threads, got %u x %u x %u",
             SIMT_BLOCK_THREADS, l->block[0], l->block[1], l->block[2]);
  else if (cluster < 1 || cluster > SIMT_CLUSTER_BLOCKS)
    snprintf(run->report, run->size,
             "expected a cluster of 1 to %d blocks, got %u x %u x %u",
             SIMT_CLUSTER_BLOCKS, l->cluster[0], l->cluster[1], l->cluster[2]);
  else if (l->grid[0] % l->cluster[0] || l->grid[1] % l->cluster[1] ||
           l->grid[2] % l->cluster[2])
    snprintf(run->report, run->size,
             "expected whole clusters of %u x %u x %u blocks, got a grid of "
             "%u x %u x %u",
             l->cluster[0], l->cluster[1], l->cluster[2], l->grid[0],
             l->grid[1], l->grid[2]);
  else
    return true;
  return false;
}

/// Puts the blocks of a grid in an order, if its threads have components.
static bool placeGrid(struct simt_run *run, struct simt_grid *grid,
                      const TileSimtLaunch *l, uint64_t *components) {
  uint64_t blocks = product(l->grid);
  uint64_t each =
      (uint64_t)grid->launch.threads * SIMT_AGENTS + SIMT_LONE_AGENTS;
  if (blocks > SIMT_COMPONENT / each ||
      *components + blocks * each > SIMT_COMPONENT) {
    snprintf(run->report, run->size,
             "expected at most %u threads in all blocks, with %d for each",
             SIMT_COMPONENT, SIMT_AGENTS);
    return false;
  }
  grid->base = (uint32_t)*components;
  grid->components = (uint32_t)(blocks * each);
  *components += blocks * each;
  grid->cohortBlocks =
      (uint32_t)(l->cooperative ? blocks : product(l->cluster));
  grid->cohorts = blocks ? (uint32_t)blocks / grid->cohortBlocks : 0;
  grid->order = calloc((size_t)grid->cohorts + 1, sizeof(*grid->order));
  if (!grid->order)
    abort();
  shuffle(run, grid);
  return true;
}

/// The clocks have components for all threads of all ranks.
static bool prepareRank(struct simt_run *run, int index,
                        const TileSimtRank *given, uint64_t *components) {
  enum { kLate = 256 };
  struct simt_rank *rank = &run->ranks[index];
  rank->base = (uint32_t)*components;
  rank->grids = calloc((size_t)given->count + 1, sizeof(*rank->grids));
  if (!rank->grids)
    abort();
  rank->count = given->count;
  for (int i = 0; i < given->count; ++i) {
    struct simt_grid *grid = &rank->grids[i];
    grid->rank = index;
    grid->program = given->programs[i];
    if (!checkSizes(run, &given->launches[i]) ||
        !prepareGrid(run, grid, &given->launches[i], given->kernels[i]) ||
        !placeGrid(run, grid, &given->launches[i], components))
      return false;
    // Ranks begin late, by chance.
    if (run->rankCount > 1 && run->seed)
      grid->begin = nextRandom(run) % kLate;
  }
  rank->components = (uint32_t)*components - rank->base;
  return true;
}

static bool prepare(struct simt_run *run, const struct simt_job *job) {
  uint64_t components = 1;
  run->ranks = calloc((size_t)job->count + 1, sizeof(*run->ranks));
  if (!run->ranks)
    abort();
  run->rankCount = job->count;
  run->seed = run->random = job->seed;
  run->skip = job->skip;
  for (int i = 0; i < job->count; ++i)
    if (!prepareRank(run, i, &job->ranks[i], &components))
      return false;
  return true;
}

static void clean(struct simt_run *run) {
  while (run->live) {
    struct simt_cohort *cohort = run->live;
    run->live = cohort->next;
    freeCohort(cohort);
  }
  simt_drop_messages(run);
  simt_order_clear(run->places);
  simt_memory_settle();
  for (int i = 0; i < run->rankCount; ++i) {
    struct simt_rank *rank = &run->ranks[i];
    simt_order_clear(rank->places);
    for (int k = 0; k < rank->count; ++k) {
      simt_sync_clear(&rank->grids[k].before);
      simt_sync_clear(&rank->grids[k].after);
      free(rank->grids[k].order);
    }
    free(rank->grids);
  }
  free(run->ranks);
  simt_pool_free(run->pool);
  // A launch without a report has given all back.
  if (run->failed)
    simt_give_all(run);
}

bool simt_run_job(const struct simt_job *job, int *rank, char *report,
                  size_t size) {
  // Reports jump back to here.
  struct simt_run *run = calloc(1, sizeof(*run));
  if (!run)
    abort();
  run->report = report;
  run->size = size;
  run->lastEffect = &run->effects;
  run->lastMessage = &run->messages;
  run->pool = simt_pool_create();
  *report = 0;
  struct simt_run *before = simt_running;
  simt_running = run;
  bool good = prepare(run, job);
  if (good && setjmp(run->stop) == 0)
    simt_schedule(run);
  good = good && !run->failed;
  *rank = run->failedRank;
  simt_running = run;
  clean(run);
  simt_running = before;
  free(run);
  return good;
}

bool tileSimtLaunch(TileSimtProgram *program, const char *kernel,
                    const TileSimtLaunch *launch, char *report, size_t size) {
  TileSimtRank alone = {&program, &kernel, launch, 1};
  struct simt_job job = {.ranks = &alone,
                         .count = 1,
                         .seed = launch->seed,
                         .skip = launch->skip > 0
                                     ? simt_find_sync(program, launch->skip - 1)
                                     : NULL};
  int rank;
  return simt_run_job(&job, &rank, report, size);
}

bool tileSimtLaunchRanks(const TileSimtRank *ranks, int32_t count,
                         uint64_t seed, int32_t *rank, char *report,
                         size_t size) {
  struct simt_job job = {.ranks = ranks, .count = count, .seed = seed};
  return simt_run_job(&job, rank, report, size);
}
