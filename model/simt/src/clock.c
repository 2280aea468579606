// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks. Threads behind a barrier share one; what a thread knows of its
// own agents is kept beside it.

#include "model.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

static struct simt_part *makePart(uint32_t base, uint32_t count) {
  struct simt_part *part =
      simt_take(sizeof(*part) + count * sizeof(part->times[0]));
  part->uses = 1;
  part->base = base;
  part->count = count;
  return part;
}

static void dropPart(struct simt_part *part) {
  if (--part->uses == 0)
    simt_give(part);
}

struct simt_clock *simt_clock_use(struct simt_clock *clock) {
  if (clock)
    ++clock->uses;
  return clock;
}

void simt_clock_drop(struct simt_clock *clock) {
  if (!clock || --clock->uses)
    return;
  for (int i = 0; i < clock->count; ++i)
    dropPart(clock->parts[i]);
  simt_give(clock);
}

static struct simt_clock *makeClock(int count) {
  struct simt_clock *clock =
      simt_take(sizeof(*clock) + (size_t)count * sizeof(clock->parts[0]));
  clock->uses = 1;
  clock->count = count;
  return clock;
}

uint32_t simt_clock_time(const struct simt_clock *clock, uint32_t component) {
  for (int i = 0; clock && i < clock->count; ++i) {
    const struct simt_part *part = clock->parts[i];
    if (component - part->base < part->count)
      return part->times[component - part->base];
  }
  return 0;
}

/// A part of its own at `index`, which may be changed.
static struct simt_part *ownPart(struct simt_clock *clock, int index) {
  struct simt_part *part = clock->parts[index];
  if (part->uses == 1)
    return part;
  struct simt_part *copy = makePart(part->base, part->count);
  memcpy(copy->times, part->times, part->count * sizeof(part->times[0]));
  --part->uses;
  return clock->parts[index] = copy;
}

/// Makes a clock that may be changed of `*clock`, with room for `more` parts.
static void makeOwn(struct simt_clock **clock, int more) {
  struct simt_clock *old = *clock;
  if (old && old->uses == 1 && more == 0)
    return;
  int count = old ? old->count : 0;
  struct simt_clock *copy = makeClock(count + more);
  copy->count = count;
  for (int i = 0; i < count; ++i) {
    copy->parts[i] = old->parts[i];
    ++copy->parts[i]->uses;
  }
  simt_clock_drop(old);
  *clock = copy;
}

/// The index of the part of `base`, which may be new and null.
static int findPart(struct simt_clock **clock, uint32_t base) {
  int count = *clock ? (*clock)->count : 0, at = 0;
  while (at < count && (*clock)->parts[at]->base < base)
    ++at;
  bool found = at < count && (*clock)->parts[at]->base == base;
  makeOwn(clock, !found);
  if (found)
    return at;
  struct simt_part **parts = (*clock)->parts;
  memmove(parts + at + 1, parts + at, (size_t)(count - at) * sizeof(*parts));
  parts[at] = NULL;
  ++(*clock)->count;
  return at;
}

static bool covers(const struct simt_clock *clock, const struct simt_part *part,
                   int *index) {
  for (*index = 0; *index < clock->count; ++*index)
    if (clock->parts[*index]->base == part->base) {
      const struct simt_part *own = clock->parts[*index];
      if (own == part)
        return true;
      for (uint32_t i = 0; i < part->count; ++i)
        if (own->times[i] < part->times[i])
          return false;
      return true;
    }
  return false;
}

void simt_clock_join(struct simt_clock **clock,
                     const struct simt_clock *other) {
  if (!other || *clock == other)
    return;
  if (!*clock) {
    *clock = simt_clock_use((struct simt_clock *)other);
    return;
  }
  for (int i = 0; i < other->count; ++i) {
    struct simt_part *part = other->parts[i];
    int index;
    if (covers(*clock, part, &index))
      continue;
    index = findPart(clock, part->base);
    if (!(*clock)->parts[index]) {
      (*clock)->parts[index] = part;
      ++part->uses;
      continue;
    }
    struct simt_part *own = ownPart(*clock, index);
    for (uint32_t c = 0; c < part->count; ++c)
      if (own->times[c] < part->times[c])
        own->times[c] = part->times[c];
  }
}

void simt_clock_set(struct simt_clock **clock, uint32_t base, uint32_t count,
                    struct simt_epoch epoch) {
  if (simt_clock_time(*clock, epoch.component) >= epoch.time)
    return;
  int index = findPart(clock, base);
  if (!(*clock)->parts[index])
    (*clock)->parts[index] = makePart(base, count);
  ownPart(*clock, index)->times[epoch.component - base] = epoch.time;
}

void simt_clock_cover(struct simt_clock **clock, uint32_t base,
                      uint32_t count) {
  int index = findPart(clock, base);
  if (!(*clock)->parts[index])
    (*clock)->parts[index] = makePart(base, count);
  struct simt_part *part = ownPart(*clock, index);
  memset(part->times, 0xFF, count * sizeof(part->times[0]));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static void forget(struct simt_thread *thread) {
  simt_clock_drop(thread->snapshot);
  thread->snapshot = NULL;
}

/// The thread's clock with the times of its own agents.
static struct simt_clock *snapshot(struct simt_thread *thread) {
  if (thread->snapshot)
    return thread->snapshot;
  struct simt_cohort *cohort = thread->block->cohort;
  struct simt_clock *clock = simt_clock_use(thread->knows);
  for (uint32_t agent = 0; agent < SIMT_AGENTS; ++agent)
    simt_clock_set(
        &clock, cohort->base, cohort->components,
        (struct simt_epoch){thread->component + agent, thread->own[agent]});
  return thread->snapshot = clock;
}

static void tick(struct simt_thread *thread) {
  ++thread->own[SIMT_SELF];
  thread->accessed = false;
  forget(thread);
}

void simt_release(struct simt_block *block, int index, struct simt_sync *sync) {
  struct simt_thread *thread = &block->thread[index];
  simt_clock_join(&sync->clock, snapshot(thread));
  simt_clock_join(&sync->async, thread->sees);
  tick(thread);
}

void simt_acquire(struct simt_block *block, int index,
                  const struct simt_sync *sync) {
  struct simt_thread *thread = &block->thread[index];
  simt_clock_join(&thread->knows, sync->clock);
  simt_clock_join(&thread->sees, sync->async);
  forget(thread);
}

void simt_sync_clear(struct simt_sync *sync) {
  simt_clock_drop(sync->clock);
  simt_clock_drop(sync->async);
  *sync = (struct simt_sync){0};
}

void simt_release_epoch(struct simt_block *block, struct simt_epoch epoch,
                        struct simt_sync *sync) {
  struct simt_cohort *cohort = block->cohort;
  simt_clock_set(&sync->clock, cohort->base, cohort->components, epoch);
  simt_clock_set(&sync->async, cohort->base, cohort->components, epoch);
}

void simt_join(struct simt_block *block, int index, struct simt_epoch epoch) {
  struct simt_thread *thread = &block->thread[index];
  struct simt_cohort *cohort = block->cohort;
  uint32_t agent = epoch.component - thread->component;
  if (agent >= SIMT_AGENTS)
    simt_clock_set(&thread->knows, cohort->base, cohort->components, epoch);
  else if (thread->own[agent] < epoch.time)
    thread->own[agent] = epoch.time;
  simt_clock_set(&thread->sees, cohort->base, cohort->components, epoch);
  forget(thread);
}

void simt_fence_async(struct simt_block *block, int index) {
  struct simt_thread *thread = &block->thread[index];
  simt_clock_join(&thread->sees, snapshot(thread));
  // What comes after the fence has not been seen.
  tick(thread);
}

void simt_join_threads(struct simt_block *block, const int *threads,
                       int count) {
  struct simt_cohort *cohort = block->cohort;
  struct simt_clock *knows = NULL, *sees = NULL;
  for (int i = 0; i < count; ++i) {
    struct simt_thread *thread = &block->thread[threads[i]];
    simt_clock_join(&knows, thread->knows);
    simt_clock_join(&sees, thread->sees);
  }
  for (int i = 0; i < count; ++i) {
    struct simt_thread *thread = &block->thread[threads[i]];
    for (uint32_t agent = 0; agent < SIMT_AGENTS; ++agent)
      simt_clock_set(
          &knows, cohort->base, cohort->components,
          (struct simt_epoch){thread->component + agent, thread->own[agent]});
  }
  for (int i = 0; i < count; ++i) {
    struct simt_thread *thread = &block->thread[threads[i]];
    simt_clock_drop(thread->knows);
    simt_clock_drop(thread->sees);
    thread->knows = simt_clock_use(knows);
    thread->sees = simt_clock_use(sees);
    tick(thread);
  }
  simt_clock_drop(knows);
  simt_clock_drop(sees);
}

//===----------------------------------------------------------------------===//
// Actors
//===----------------------------------------------------------------------===//

struct simt_actor simt_self(const struct simt_call *call, int lane) {
  struct simt_thread *thread = &call->block->thread[call->first + lane];
  return (struct simt_actor){
      .block = call->block,
      .thread = thread->index,
      .instruction = call->instruction,
      .epoch = {thread->component, thread->own[SIMT_SELF]}};
}

static struct simt_actor issue(const struct simt_call *call, int lane,
                               struct simt_epoch epoch, bool async) {
  struct simt_thread *thread = &call->block->thread[call->first + lane];
  struct simt_actor actor = simt_self(call, lane);
  // What the thread does from here on is not before the operation.
  struct simt_clock *knows = simt_clock_use(snapshot(thread));
  if (thread->accessed)
    tick(thread);
  actor.epoch = epoch;
  actor.knows = knows;
  actor.sees = simt_clock_use(async ? thread->sees : actor.knows);
  if (!actor.sees) // nothing, which is not the same as all
    actor.sees = makeClock(0);
  // Loads of threads that are under way are overtaken by the async proxy, too.
  if (async) {
    simt_clock_drop(actor.knows);
    actor.knows = simt_clock_use(actor.sees);
  }
  return actor;
}

struct simt_actor simt_issue(const struct simt_call *call, int lane,
                             enum simt_agent agent, bool async) {
  struct simt_thread *thread = &call->block->thread[call->first + lane];
  struct simt_epoch epoch = {thread->component + agent,
                             ++thread->issued[agent]};
  return issue(call, lane, epoch, async);
}

struct simt_actor simt_issue_alone(const struct simt_call *call, int lane,
                                   bool async) {
  struct simt_block *block = call->block;
  uint32_t agent = block->loneCount++ % SIMT_LONE_AGENTS;
  struct simt_epoch epoch = {block->lone + agent, ++block->loneTimes[agent]};
  return issue(call, lane, epoch, async);
}

bool simt_is_known(const struct simt_actor *actor, uint32_t component,
                   uint32_t time) {
  if (actor->knows)
    return simt_clock_time(actor->knows, component) >= time;
  const struct simt_thread *thread = &actor->block->thread[actor->thread];
  uint32_t agent = component - thread->component;
  return (agent < SIMT_AGENTS && thread->own[agent] >= time) ||
         simt_clock_time(thread->knows, component) >= time;
}

void simt_actor_end(struct simt_actor *actor) {
  simt_clock_drop(actor->knows);
  simt_clock_drop(actor->sees);
  actor->knows = actor->sees = NULL;
}
