// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atomics and fences order. An atomic that releases leaves the thread's
// clock at its address, one that acquires takes it; relaxed ones do the same
// together with a fence, before or after.

#include "model.h"

#include <stdlib.h>

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

static struct simt_sync *findPlace(struct simt_run *run, uint64_t address) {
  if (!run->places)
    run->places = simt_pool_take(run->pool, sizeof(*run->places));
  struct place **bucket =
      &run->places->buckets[(address / 4 * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
  for (struct place *at = *bucket; at; at = at->next)
    if (at->address == address)
      return &at->sync;
  struct place *one = simt_pool_take(run->pool, sizeof(*one));
  one->address = address;
  one->next = *bucket;
  *bucket = one;
  return &one->sync;
}

static void join(struct simt_sync *to, const struct simt_sync *from) {
  simt_clock_join(&to->clock, from->clock);
  simt_clock_join(&to->async, from->async);
}

void simt_order(const struct simt_actor *actor, uint64_t address,
                uint32_t flags, bool write) {
  struct simt_block *block = actor->block;
  struct simt_thread *thread = &block->thread[actor->thread];
  struct simt_sync *place = findPlace(block->cohort->run, address);
  if (flags & TILE_SIMT_ACQUIRE)
    simt_acquire(block, actor->thread, place);
  else
    join(&thread->read, place);
  if (!write)
    return;
  if (flags & TILE_SIMT_RELEASE)
    simt_release(block, actor->thread, place);
  else
    join(place, &thread->fenced);
}

void simt_fence(struct simt_block *block, int index, uint32_t flags) {
  struct simt_thread *thread = &block->thread[index];
  if (flags & TILE_SIMT_ACQUIRE)
    simt_acquire(block, index, &thread->read);
  if (flags & TILE_SIMT_RELEASE)
    simt_release(block, index, &thread->fenced);
}

void simt_leave_fenced(struct simt_block *block, int index,
                       struct simt_sync *sync) {
  join(sync, &block->thread[index].fenced);
}

void simt_take_at_fence(struct simt_block *block, int index,
                        const struct simt_sync *sync) {
  join(&block->thread[index].read, sync);
}

void simt_order_clear(struct simt_run *run) {
  for (int i = 0; run->places && i < kBuckets; ++i)
    for (struct place *at = run->places->buckets[i]; at; at = at->next)
      simt_sync_clear(&at->sync);
}
