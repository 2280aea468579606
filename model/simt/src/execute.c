// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs call, and groups of lanes that execute an instruction together.

#include "model.h"

#include <string.h>

_Thread_local struct simt_run *simt_running;

static struct simt_thread *self(void) { return simt_running->current; }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static struct simt_actor makeActor(struct simt_thread *thread, uint32_t site) {
  return (struct simt_actor){
      .block = thread->block,
      .thread = thread->index,
      .instruction = &simt_running->program->sites[site].instruction,
      .epoch = {thread->component, thread->own[SIMT_SELF]}};
}

/// The access that the flags of an atomic stand for.
static int getAtomic(uint32_t flags) {
  enum simt_scope scope = simt_scope_of(simt_running, flags);
  return SIMT_ATOMIC | (scope == SIMT_OF_BLOCK    ? SIMT_BLOCK
                        : scope == SIMT_OF_DEVICE ? SIMT_DEVICE
                                                  : 0);
}

static bool isSkipped(const struct simt_instruction *instruction) {
  bool *reached = simt_running->program->reached;
  if (reached)
    reached[instruction->id] = true;
  return simt_running->skip == instruction;
}

/// Of several ranks, signals and waits are left out, too.
static bool isLeftOut(const struct simt_actor *actor, uint32_t order) {
  return order && simt_running->rankCount > 1 && isSkipped(actor->instruction);
}

uint64_t tile_simt_shared(void) { return self()->block->shared->base; }

/// A thread that asks the same again and again lets others run.
static void poll(struct simt_thread *thread) {
  enum { kPolls = 16 };
  if (++thread->polls % kPolls == 0)
    simt_park(thread);
}

void tile_simt_load(uint64_t address, uint32_t bytes, uint32_t align,
                    uint32_t flags, uint32_t site) {
  struct simt_thread *thread = self();
  struct simt_actor actor = makeActor(thread, site);
  if (flags & TILE_SIMT_POLL) {
    thread->at = actor.instruction;
    poll(thread);
    actor = makeActor(thread, site);
  }
  bool atomic = (flags & TILE_SIMT_ATOMIC) != 0;
  simt_touch(&actor, address, bytes, align,
             SIMT_READ | (atomic ? getAtomic(flags) : 0), NULL);
  // A wait that is left out orders nothing.
  if (atomic && !isLeftOut(&actor, flags & TILE_SIMT_ACQUIRE))
    simt_order(&actor, address, flags & ~(uint32_t)TILE_SIMT_RELEASE, false);
}

/// Reports words that stand for results which are not there yet.
static void checkLate(struct simt_thread *thread,
                      const struct simt_instruction *instruction,
                      const void *words, size_t bytes) {
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word;
    memcpy(&word, (const char *)words + i, sizeof(word));
    if (thread->late(thread->block, thread->index, word))
      simt_report(thread->block, thread->index, instruction,
                  "uses a register whose value is still on its way; wait for "
                  "the instruction that writes it");
  }
}

void tile_simt_store(uint64_t address, uint32_t bytes, uint32_t align,
                     uint32_t flags, uint32_t site, const void *value) {
  struct simt_actor actor = makeActor(self(), site);
  if (self()->late)
    checkLate(self(), actor.instruction, value, bytes);
  if (!(flags & TILE_SIMT_ATOMIC)) {
    memcpy(simt_touch(&actor, address, bytes, align, SIMT_WRITE, value), value,
           bytes);
    return;
  }
  if (isLeftOut(&actor, flags & TILE_SIMT_RELEASE))
    return;
  flags &= ~(uint32_t)TILE_SIMT_ACQUIRE;
  if (bytes <= sizeof(uint64_t)) {
    uint64_t number = 0;
    memcpy(&number, value, bytes);
    simt_touch(&actor, address, bytes, align, SIMT_WRITE | getAtomic(flags),
               value);
    simt_signal(&actor, address, bytes, flags, /*add=*/false, number);
    return;
  }
  void *to = simt_touch(&actor, address, bytes, align,
                        SIMT_WRITE | getAtomic(flags), value);
  simt_order(&actor, address, flags, true);
  memcpy(to, value, bytes);
}

void tile_simt_atomic(uint64_t address, uint32_t bytes, uint32_t align,
                      uint32_t flags, uint32_t site) {
  struct simt_actor actor = makeActor(self(), site);
  poll(self());
  simt_touch(&actor, address, bytes, align,
             SIMT_READ | SIMT_WRITE | getAtomic(flags), NULL);
  simt_order(&actor, address, flags, true);
}

void tile_simt_update(uint64_t address, uint32_t bytes, uint32_t align,
                      uint32_t flags, uint32_t site, uint64_t changed) {
  struct simt_actor actor = makeActor(self(), site);
  poll(self());
  simt_touch(&actor, address, bytes, align, 0, NULL);
  for (uint32_t i = 0; i < bytes; ++i)
    if (changed >> 8 * i & 0xFF)
      simt_touch(&actor, address + i, 1, 1,
                 SIMT_READ | SIMT_WRITE | SIMT_ANY | getAtomic(flags), NULL);
  simt_order(&actor, address, flags, true);
}

void tile_simt_fence(uint32_t flags, uint32_t site) {
  struct simt_thread *thread = self();
  if (!isSkipped(&simt_running->program->sites[site].instruction))
    simt_fence(thread->block, thread->index, flags);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The lanes that a thread executes with, and whether all of them are there.
struct group {
  int first, lanes;
  bool active[SIMT_MAX_GROUP];
  bool complete;
};

static bool isThere(const struct simt_thread *thread,
                    const struct simt_thread *other) {
  return other->status == SIMT_COLLECTING && other->at == thread->at;
}

static uint32_t getMask(const struct simt_thread *thread) {
  const struct simt_instruction *in = thread->at;
  return thread->operands[in->operands[in->function->maskOperand].word];
}

static void findGroup(const struct simt_thread *thread, struct group *group) {
  const struct simt_block *block = thread->block;
  enum simt_lanes kind = thread->at->function->lanes;
  int size = kind == SIMT_WARPGROUP ? SIMT_WARPGROUP_LANES
                                    : block->cohort->grid->launch.warpSize;
  group->lanes = size;
  group->first = thread->index / size * size;
  group->complete = true;
  uint32_t mask = kind == SIMT_MASK ? getMask(thread) : ~UINT32_C(0);
  for (int lane = 0; lane < size; ++lane) {
    int index = group->first + lane;
    const struct simt_thread *other = &block->thread[index];
    bool exists = index < block->threads;
    bool wanted = kind != SIMT_MASK || (mask >> lane & 1);
    bool there = exists && isThere(thread, other);
    if (kind == SIMT_MASK && there)
      there = getMask(other) == mask;
    group->active[lane] = there && wanted;
    bool gone = !exists || other->status == SIMT_RETURNED;
    if (kind == SIMT_ACTIVE)
      // Branches meet again where no other lane can go on.
      group->complete &=
          gone || there ||
          (other->status == SIMT_WAITING && !other->ready(other->argument));
    else if (kind == SIMT_MASK)
      group->complete &= !wanted || there;
    else
      group->complete &= gone || there;
  }
}

/// Of lanes that have gone different ways, those first that are first in the
/// program.
static bool isBehind(const struct simt_thread *thread,
                     const struct group *group) {
  const struct simt_block *block = thread->block;
  for (int lane = 0; lane < group->lanes; ++lane) {
    int index = group->first + lane;
    if (index >= block->threads)
      return false;
    const struct simt_thread *other = &block->thread[index];
    if (other->status == SIMT_COLLECTING && other->at->id < thread->at->id)
      return true;
    if (other->status == SIMT_READY)
      return true;
  }
  return false;
}

static void executeGroup(struct simt_thread *thread,
                         const struct group *group) {
  struct simt_call call = {.instruction = thread->at,
                           .block = thread->block,
                           .first = group->first,
                           .lanes = group->lanes};
  for (int lane = 0; lane < group->lanes; ++lane) {
    call.active[lane] = group->active[lane];
    if (!group->active[lane])
      continue;
    struct simt_thread *other = &thread->block->thread[group->first + lane];
    call.operands[lane] = other->operands;
    call.results[lane] = other->results;
    call.registers[lane] = other->registers;
    other->status = SIMT_READY;
  }
  ++simt_running->progress;
  call.instruction->function->execute(&call);
}

bool simt_collect(struct simt_thread *thread, bool stalled) {
  struct group group;
  findGroup(thread, &group);
  if (!group.complete && thread->at->function->lanes == SIMT_ACTIVE && stalled)
    group.complete = !isBehind(thread, &group);
  if (!group.complete)
    return false;
  executeGroup(thread, &group);
  return true;
}

static void executeAlone(struct simt_thread *thread,
                         const struct simt_instruction *instruction) {
  // Most of a call is for groups.
  struct simt_call call;
  call.instruction = instruction;
  call.block = thread->block;
  call.first = thread->index;
  call.lanes = 1;
  call.active[0] = true;
  call.operands[0] = thread->operands;
  call.results[0] = thread->results;
  call.registers[0] = thread->registers;
  instruction->function->execute(&call);
}

/// The results of an instruction that is left out: what waits for it goes on.
static void leaveOut(struct simt_thread *thread,
                     const struct simt_instruction *instruction) {
  for (int i = 0; i < instruction->resultCount; ++i)
    if (instruction->results[i].bits == 1)
      thread->results[instruction->results[i].word] = 1;
}

void simt_dispatch(struct simt_thread *thread,
                   const struct simt_instruction *instruction) {
  if (isSkipped(instruction)) {
    leaveOut(thread, instruction);
    return;
  }
  thread->at = instruction;
  const struct simt_function *function = instruction->function;
  if (!function->execute)
    return;
  if (thread->late)
    checkLate(thread, instruction, thread->operands,
              (size_t)instruction->operandWords * sizeof(uint32_t));
  if (function->lanes == SIMT_THREAD) {
    executeAlone(thread, instruction);
    return;
  }
  if (function->lanes == SIMT_MASK &&
      !(getMask(thread) >>
            thread->index % thread->block->cohort->grid->launch.warpSize &
        1))
    simt_report(thread->block, thread->index, instruction,
                "expected the mask to contain the lane itself, got 0x%08x",
                getMask(thread));
  thread->status = SIMT_COLLECTING;
  if (!simt_collect(thread, false))
    simt_park(thread);
}

void tile_simt_execute(uint32_t site, const uint32_t *operands,
                       uint32_t *results) {
  struct simt_site *at = &simt_running->program->sites[site];
  struct simt_thread *thread = self();
  if (at->statements) {
    simt_assembly_run(thread, at, operands, results);
    return;
  }
  thread->operands = operands;
  thread->results = results;
  thread->registers = NULL;
  simt_dispatch(thread, &at->instruction);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void simt_wait(struct simt_call *call, bool (*ready)(void *argument),
               void *argument, const char *what) {
  struct simt_thread *thread = &call->block->thread[call->first];
  if (ready(argument))
    return;
  thread->ready = ready;
  thread->argument = argument;
  thread->what = what;
  thread->status = SIMT_WAITING;
  simt_park(thread);
}

void simt_yield(struct simt_call *call) {
  simt_park(&call->block->thread[call->first]);
}

int simt_live_threads(const struct simt_block *block) {
  return block->threads - block->returned;
}

void simt_at_return(struct simt_block *block, int index,
                    void (*check)(struct simt_block *block, int thread)) {
  struct simt_thread *thread = &block->thread[index];
  for (struct simt_check *at = thread->checks; at; at = at->next)
    if (at->run == check)
      return;
  struct simt_check *one = simt_pool_take(block->cohort->pool, sizeof(*one));
  *one = (struct simt_check){check, thread->checks};
  thread->checks = one;
}

void simt_watch(struct simt_block *block, int thread,
                bool (*late)(struct simt_block *block, int thread,
                             uint32_t word)) {
  block->thread[thread].late = late;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

const struct simt_launch *simt_launch_of(const struct simt_block *block) {
  return &block->cohort->grid->launch;
}

struct simt_dim simt_block_index(const struct simt_block *block) {
  return block->index;
}

struct simt_dim simt_thread_index(const struct simt_block *block, int thread) {
  struct simt_dim size = block->cohort->grid->launch.block;
  uint32_t t = (uint32_t)thread;
  return (struct simt_dim){t % size.x, t / size.x % size.y,
                           t / size.x / size.y};
}

int simt_cluster_size(const struct simt_block *block) {
  struct simt_dim size = block->cohort->grid->launch.cluster;
  return (int)(size.x * size.y * size.z);
}

int simt_cluster_rank(const struct simt_block *block) { return block->rank; }

struct simt_block *simt_cluster_block(const struct simt_block *block,
                                      int rank) {
  // Blocks of a cluster are neighbours in its cohort.
  const struct simt_block *first = block - block->rank;
  return (struct simt_block *)first + rank;
}

static void *findState(struct simt_pool *pool, struct simt_state **states,
                       const void *key, size_t bytes, void (*end)(void *data)) {
  for (struct simt_state *at = *states; at; at = at->next)
    if (at->key == key)
      return at->data;
  struct simt_state *state = simt_pool_take(pool, sizeof(*state));
  state->key = key;
  state->end = end;
  state->data = simt_pool_take(pool, bytes);
  state->next = *states;
  *states = state;
  return state->data;
}

void *simt_state(struct simt_block *block, const void *key, size_t bytes,
                 void (*end)(void *data)) {
  return findState(block->cohort->pool, &block->states, key, bytes, end);
}

void *simt_thread_state(struct simt_block *block, int thread, const void *key,
                        size_t bytes) {
  return findState(block->cohort->pool, &block->thread[thread].states, key,
                   bytes, NULL);
}

uint32_t simt_random(struct simt_block *block) {
  struct simt_run *run = block->cohort->run;
  // Knuth's MMIX generator; its upper bits.
  run->random = run->random * UINT64_C(6364136223846793005) +
                UINT64_C(1442695040888963407);
  return (uint32_t)(run->random >> 32);
}

uint64_t simt_time(struct simt_block *block) {
  // The steps of hardware.
  return block->cohort->run->timer += 32;
}
