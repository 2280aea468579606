// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals between ranks. What a thread writes atomically for all devices is a
// message: others see it some turns later, and not in the order in which it was
// sent, but for those to the same address. Whoever knows of it, by another
// signal, sees it at once. Plain writes need no delay: whoever reads one that
// it does not know of is reported as a race.

#include "model.h"

#include <stdlib.h>
#include <string.h>

struct simt_message {
  uint64_t address, value, due; ///< the turn
  size_t bytes;
  bool add; ///< else it is a store
  struct simt_epoch epoch;
  uint32_t block;
  int rank;
  struct simt_sync left[SIMT_SCOPES];
  struct simt_message *next;
};

static void apply(uint64_t address, size_t bytes, bool add, uint64_t value) {
  void *at = (void *)(uintptr_t)address;
  uint64_t before = 0;
  memcpy(&before, at, bytes);
  value += add ? before : 0;
  memcpy(at, &value, bytes);
}

/// Of most messages short, of some long.
static uint64_t chooseDelay(struct simt_block *block) {
  uint32_t range = UINT32_C(1) << simt_random(block) % 9;
  return simt_random(block) % range;
}

void simt_signal(const struct simt_actor *actor, uint64_t address, size_t bytes,
                 uint32_t flags, bool add, uint64_t value) {
  struct simt_block *block = actor->block;
  struct simt_run *run = block->cohort->run;
  if (run->rankCount == 1 || !run->seed || address >> 32 == 0 ||
      simt_scope_of(run, flags) != SIMT_OF_SYSTEM) {
    simt_order(actor, address, flags, true);
    apply(address, bytes, add, value);
    return;
  }
  struct simt_message *one = calloc(1, sizeof(*one));
  if (!one)
    abort();
  *one = (struct simt_message){.address = address,
                               .value = value,
                               .due = run->turn + chooseDelay(block),
                               .bytes = bytes,
                               .add = add,
                               .epoch = actor->epoch,
                               .block = block->lone,
                               .rank = block->cohort->grid->rank};
  simt_order_collect(actor, flags, one->left);
  *run->lastMessage = one;
  run->lastMessage = &one->next;
}

static void deliver(struct simt_run *run, struct simt_message **at) {
  struct simt_message *one = *at;
  *at = one->next;
  if (run->lastMessage == &one->next)
    run->lastMessage = at;
  ++run->progress;
  apply(one->address, one->bytes, one->add, one->value);
  simt_order_leave(run, one->address, one->block, one->rank, one->left);
  free(one);
}

static bool overlaps(const struct simt_message *one, uint64_t address,
                     size_t bytes) {
  return one->address < address + bytes && address < one->address + one->bytes;
}

/// Delivers the messages up to `last` that are for the same bytes, in order.
static void deliverUntil(struct simt_run *run,
                         const struct simt_message *last) {
  uint64_t address = last->address;
  size_t bytes = last->bytes;
  for (struct simt_message **at = &run->messages;;) {
    bool isLast = *at == last;
    if (overlaps(*at, address, bytes))
      deliver(run, at);
    else
      at = &(*at)->next;
    if (isLast)
      return;
  }
}

void simt_deliver_known(const struct simt_actor *actor, uint64_t address,
                        size_t bytes) {
  struct simt_run *run = actor->block->cohort->run;
  const struct simt_message *last = NULL;
  for (const struct simt_message *at = run->messages; at; at = at->next)
    if (overlaps(at, address, bytes) &&
        simt_is_known(actor, at->epoch.component, at->epoch.time))
      last = at;
  if (last)
    deliverUntil(run, last);
}

/// The first that is due, or null.
static const struct simt_message *findDue(const struct simt_run *run) {
  const struct simt_message *at = run->messages;
  while (at && at->due > run->turn)
    at = at->next;
  return at;
}

void simt_deliver_due(struct simt_run *run) {
  // Others may go with it.
  for (const struct simt_message *at; (at = findDue(run));)
    deliverUntil(run, at);
}

bool simt_deliver_next(struct simt_run *run) {
  const struct simt_message *next = run->messages;
  for (const struct simt_message *at = next; at; at = at->next)
    if (at->due < next->due)
      next = at;
  if (next)
    deliverUntil(run, next);
  return next != NULL;
}

void simt_drop_messages(struct simt_run *run) {
  while (run->messages) {
    struct simt_message *one = run->messages;
    run->messages = one->next;
    for (int scope = 0; scope < SIMT_SCOPES; ++scope)
      simt_sync_clear(&one->left[scope]);
    free(one);
  }
  run->lastMessage = &run->messages;
}
