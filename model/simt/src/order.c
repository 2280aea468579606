// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atomics and fences order. An atomic that releases leaves the thread's
// clock at its address, one that acquires takes it; relaxed ones do the same
// together with a fence, before or after. Of global memory, each address has a
// place for each block besides, where all its threads leave their clocks: those
// whose scope is the block use that place alone.

#include "model.h"

#include <stdlib.h>

/// The clocks left at an address.
struct place {
  uint64_t address;
  uint32_t block; ///< its component; 0: of all blocks
  struct simt_sync sync;
  struct place *next;
};

enum { kBuckets = 256 };

struct simt_places {
  struct place *buckets[kBuckets];
};

static struct simt_sync *findPlace(struct simt_run *run, uint64_t address,
                                   uint32_t block) {
  if (!run->places)
    run->places = simt_pool_take(run->pool, sizeof(*run->places));
  struct place **bucket =
      &run->places->buckets[(address / 4 * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
  for (struct place *at = *bucket; at; at = at->next)
    if (at->address == address && at->block == block)
      return &at->sync;
  struct place *one = simt_pool_take(run->pool, sizeof(*one));
  one->address = address;
  one->block = block;
  one->next = *bucket;
  *bucket = one;
  return &one->sync;
}

static void join(struct simt_sync *to, const struct simt_sync *from) {
  simt_clock_join(&to->clock, from->clock);
  simt_clock_join(&to->async, from->async);
}

/// At one place, with what fences of that scope have released and will acquire.
static void orderAt(struct simt_thread *thread, struct simt_sync *place,
                    struct simt_sync *read, const struct simt_sync *fenced,
                    uint32_t flags, bool write) {
  if (flags & TILE_SIMT_ACQUIRE)
    simt_acquire(thread->block, thread->index, place);
  else
    join(read, place);
  if (!write)
    return;
  if (flags & TILE_SIMT_RELEASE)
    simt_release(thread->block, thread->index, place);
  else
    join(place, fenced);
}

void simt_order(const struct simt_actor *actor, uint64_t address,
                uint32_t flags, bool write) {
  struct simt_block *block = actor->block;
  struct simt_run *run = block->cohort->run;
  struct simt_thread *thread = &block->thread[actor->thread];
  // Nobody else has shared memory.
  bool global = address >> 32 != 0;
  orderAt(thread, findPlace(run, address, global ? block->lone : 0),
          &thread->readInBlock, &thread->fencedInBlock, flags, write);
  if (global && !(flags & TILE_SIMT_BLOCK))
    orderAt(thread, findPlace(run, address, 0), &thread->read, &thread->fenced,
            flags, write);
}

void simt_fence(struct simt_block *block, int index, uint32_t flags) {
  struct simt_thread *thread = &block->thread[index];
  bool wide = !(flags & TILE_SIMT_BLOCK);
  if (flags & TILE_SIMT_ACQUIRE) {
    simt_acquire(block, index, &thread->readInBlock);
    if (wide)
      simt_acquire(block, index, &thread->read);
  }
  if (flags & TILE_SIMT_RELEASE) {
    simt_release(block, index, &thread->fencedInBlock);
    if (wide)
      simt_release(block, index, &thread->fenced);
  }
}

void simt_leave_fenced(struct simt_block *block, int index,
                       struct simt_sync *sync) {
  join(sync, &block->thread[index].fencedInBlock);
}

void simt_take_at_fence(struct simt_block *block, int index,
                        const struct simt_sync *sync) {
  join(&block->thread[index].readInBlock, sync);
}

void simt_order_clear(struct simt_run *run) {
  for (int i = 0; run->places && i < kBuckets; ++i)
    for (struct place *at = run->places->buckets[i]; at; at = at->next)
      simt_sync_clear(&at->sync);
}
