// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atomics and fences order. An atomic that releases leaves the thread's
// clock at its address, one that acquires takes it; relaxed ones do the same
// together with a fence, before or after. Of global memory, each block and each
// rank have places of their own besides, where all their threads leave their
// clocks: those whose scope is narrower than the system use these alone. Shared
// memory has places of its block, for the next one gets the same addresses.

#include "model.h"

/// The clocks left at an address.
struct place {
  uint64_t address;
  struct simt_sync sync;
  struct place *next;
};

enum { kBuckets = 256 };

struct simt_places {
  struct place *buckets[kBuckets];
};

static struct simt_sync *findPlace(struct simt_places **places,
                                   struct simt_pool *pool, uint64_t address) {
  if (!*places)
    *places = simt_pool_take(pool, sizeof(**places));
  struct place **bucket =
      &(*places)->buckets[(address / 4 * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
  for (struct place *at = *bucket; at; at = at->next)
    if (at->address == address)
      return &at->sync;
  struct place *one = simt_pool_take(pool, sizeof(*one));
  one->address = address;
  one->next = *bucket;
  *bucket = one;
  return &one->sync;
}

static void join(struct simt_sync *to, const struct simt_sync *from) {
  simt_clock_join(&to->clock, from->clock);
  simt_clock_join(&to->async, from->async);
}

static struct simt_sync *findPlaceOfBlock(struct simt_block *block,
                                          uint64_t address) {
  return findPlace(&block->places, block->cohort->pool, address);
}

static struct simt_sync *findWidePlace(struct simt_run *run, int scope,
                                       int rank, uint64_t address) {
  return findPlace(scope == SIMT_OF_DEVICE ? &run->ranks[rank].places
                                           : &run->places,
                   run->pool, address);
}

/// By the component of its lone agents; null where it has ended.
static struct simt_block *findBlock(struct simt_run *run, uint32_t lone) {
  for (struct simt_cohort *c = run->live; c; c = c->next)
    for (int b = 0; b < c->blocks; ++b)
      if (c->block[b].lone == lone)
        return &c->block[b];
  return NULL;
}

/// With one rank, the device is the system.
static bool isUsed(const struct simt_run *run, int scope) {
  return scope != SIMT_OF_DEVICE || run->rankCount > 1;
}

enum simt_scope simt_scope_of(const struct simt_run *run, uint32_t flags) {
  return flags & TILE_SIMT_BLOCK                          ? SIMT_OF_BLOCK
         : flags & TILE_SIMT_DEVICE && run->rankCount > 1 ? SIMT_OF_DEVICE
                                                          : SIMT_OF_SYSTEM;
}

/// At one place, with what fences of that scope have released and will acquire.
static void orderAt(struct simt_thread *thread, struct simt_sync *place,
                    int scope, uint32_t flags, bool write) {
  if (flags & TILE_SIMT_ACQUIRE)
    simt_acquire(thread->block, thread->index, place);
  else
    join(&thread->read[scope], place);
  if (!write)
    return;
  if (flags & TILE_SIMT_RELEASE)
    simt_release(thread->block, thread->index, place);
  else
    join(place, &thread->fenced[scope]);
}

void simt_order(const struct simt_actor *actor, uint64_t address,
                uint32_t flags, bool write) {
  struct simt_block *block = actor->block;
  struct simt_run *run = block->cohort->run;
  struct simt_thread *thread = &block->thread[actor->thread];
  if (address >> 32 == 0) {
    struct simt_block *home = simt_block_at(block, address);
    orderAt(thread, findPlaceOfBlock(home ? home : block, address),
            SIMT_OF_BLOCK, flags, write);
    return;
  }
  int rank = block->cohort->grid->rank, widest = (int)simt_scope_of(run, flags);
  for (int scope = 0; scope <= widest; ++scope)
    if (isUsed(run, scope))
      orderAt(thread,
              scope == SIMT_OF_BLOCK ? findPlaceOfBlock(block, address)
                                     : findWidePlace(run, scope, rank, address),
              scope, flags, write);
}

void simt_order_collect(const struct simt_actor *actor, uint32_t flags,
                        struct simt_sync left[SIMT_SCOPES]) {
  struct simt_block *block = actor->block;
  struct simt_run *run = block->cohort->run;
  struct simt_thread *thread = &block->thread[actor->thread];
  int widest = (int)simt_scope_of(run, flags);
  for (int scope = 0; scope <= widest; ++scope)
    if (!(flags & TILE_SIMT_RELEASE))
      join(&left[scope], &thread->fenced[scope]);
    else if (scope)
      join(&left[scope], &left[0]);
    else
      simt_release(block, actor->thread, &left[0]);
}

void simt_order_leave(struct simt_run *run, uint64_t address, uint32_t block,
                      int rank, struct simt_sync left[SIMT_SCOPES]) {
  struct simt_block *home = findBlock(run, block);
  for (int scope = 0; scope < SIMT_SCOPES; ++scope) {
    bool any = left[scope].clock || left[scope].async;
    if (any && scope == SIMT_OF_BLOCK && home)
      join(findPlaceOfBlock(home, address), &left[scope]);
    else if (any && scope != SIMT_OF_BLOCK && isUsed(run, scope))
      join(findWidePlace(run, scope, rank, address), &left[scope]);
    simt_sync_clear(&left[scope]);
  }
}

void simt_fence(struct simt_block *block, int index, uint32_t flags) {
  struct simt_thread *thread = &block->thread[index];
  int widest = (int)simt_scope_of(block->cohort->run, flags);
  for (int scope = 0; scope <= widest && flags & TILE_SIMT_ACQUIRE; ++scope)
    simt_acquire(block, index, &thread->read[scope]);
  for (int scope = 0; scope <= widest && flags & TILE_SIMT_RELEASE; ++scope)
    simt_release(block, index, &thread->fenced[scope]);
}

void simt_leave_fenced(struct simt_block *block, int index,
                       struct simt_sync *sync) {
  join(sync, &block->thread[index].fenced[SIMT_OF_BLOCK]);
}

void simt_take_at_fence(struct simt_block *block, int index,
                        const struct simt_sync *sync) {
  join(&block->thread[index].read[SIMT_OF_BLOCK], sync);
}

void simt_order_clear(struct simt_places *places) {
  for (int i = 0; places && i < kBuckets; ++i)
    for (struct place *at = places->buckets[i]; at; at = at->next)
      simt_sync_clear(&at->sync);
}
