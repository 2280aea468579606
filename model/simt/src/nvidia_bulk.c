// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies and their groups. Source: PTX ISA, "cp.async.bulk",
// "cp.async.bulk.commit_group", "cp.async.bulk.wait_group", "st.async".
//
// A load moves its bytes at a moment that the seed chooses, and then tells its
// mbarrier. A store has two such moments: when it has read shared memory, which
// is what wait_group.read waits for, and when it has written global memory.

#include "nvidia_hopper.h"

#include <string.h>

enum { kUnit = 16 };

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

typedef struct Pending {
  uint64_t readEffect, writeEffect;
  struct simt_epoch reader, writer;
  uint32_t group;
  bool read; // waited for
  const struct simt_instruction *instruction;
} Pending;

typedef struct Groups {
  uint32_t open; // the number of the group that the next commit closes
  int count, capacity;
  Pending *pending;
} Groups;

static Groups *lookUpGroups(struct simt_block *block, int thread) {
  static const char key;
  return simt_thread_state(block, thread, &key, sizeof(Groups));
}

static Groups *getGroups(const struct simt_call *call) {
  return lookUpGroups(call->block, call->first);
}

/// Shared memory must outlive what reads it.
static void expectAllRead(struct simt_block *block, int thread) {
  Groups *groups = lookUpGroups(block, thread);
  for (int i = 0; i < groups->count; ++i)
    if (!groups->pending[i].read)
      simt_report(block, thread, groups->pending[i].instruction,
                  "the thread returns, but the bulk store was not waited for, "
                  "which may still read shared memory");
  simt_give(groups->pending);
  *groups = (Groups){0};
}

static Pending *addPending(Groups *groups) {
  if (groups->count == groups->capacity) {
    groups->capacity = groups->count ? 2 * groups->count : 16;
    Pending *more = simt_take(sizeof(*more) * (size_t)groups->capacity);
    if (groups->count)
      memcpy(more, groups->pending, sizeof(*more) * (size_t)groups->count);
    simt_give(groups->pending);
    groups->pending = more;
  }
  return &groups->pending[groups->count++];
}

static void readSource(struct simt_block *block, void *data) {
  (void)block;
  struct nv_store *store;
  memcpy(&store, data, sizeof(store));
  store->read(store);
  simt_actor_end(&store->reader);
}

static void writeTarget(struct simt_block *block, void *data) {
  struct nv_store *store;
  memcpy(&store, data, sizeof(store));
  simt_finish(block, store->readEffect);
  store->write(store);
  simt_actor_end(&store->writer);
  simt_give(store->bytes);
  simt_give(store);
}

void nv_bulk_issue(const struct simt_call *call, size_t bytes,
                   void (*read)(struct nv_store *),
                   void (*write)(struct nv_store *), const void *data,
                   size_t dataBytes) {
  Groups *groups = getGroups(call);
  struct nv_store *store = simt_take(sizeof(*store));
  store->bytes = simt_take(bytes);
  store->read = read;
  store->write = write;
  memcpy(store->data, data, dataBytes);
  // Agents of their own, since one may be waited for without the other.
  store->reader = simt_issue(call, 0, SIMT_BULK, /*async=*/true);
  store->writer = simt_issue(call, 0, SIMT_ASYNC, /*async=*/true);
  Pending *pending = addPending(groups);
  *pending = (Pending){.reader = store->reader.epoch,
                       .writer = store->writer.epoch,
                       .group = groups->open,
                       .instruction = call->instruction};
  simt_at_return(call->block, call->first, expectAllRead);
  pending->readEffect =
      simt_defer(call->block, readSource, &store, sizeof(store));
  store->readEffect = pending->readEffect;
  pending->writeEffect =
      simt_defer(call->block, writeTarget, &store, sizeof(store));
}

void nv_bulk_commit(struct simt_call *call) { ++getGroups(call)->open; }

void nv_bulk_wait(struct simt_call *call) {
  Groups *groups = getGroups(call);
  bool readOnly = simt_has(call, "read");
  uint32_t keep = simt_word(call, 0, 0);
  uint32_t end = groups->open > keep ? groups->open - keep : 0;
  int done = 0;
  for (; done < groups->count && groups->pending[done].group < end; ++done) {
    Pending *pending = &groups->pending[done];
    simt_finish(call->block, pending->readEffect);
    simt_join(call->block, call->first, pending->reader);
    pending->read = true;
    if (readOnly)
      continue;
    simt_finish(call->block, pending->writeEffect);
    simt_join(call->block, call->first, pending->writer);
  }
  if (readOnly)
    return;
  groups->count -= done;
  if (groups->count)
    memmove(groups->pending, groups->pending + done,
            sizeof(*groups->pending) * (size_t)groups->count);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

typedef struct Copy {
  struct simt_actor actor;
  uint64_t to, from, barrier;
  uint32_t bytes;
  uint16_t ranks; // of the blocks that get it; 0: that of `to`
} Copy;

static void checkUnits(const struct simt_call *call, uint64_t to, uint64_t from,
                       uint32_t bytes) {
  if (to % kUnit || from % kUnit || bytes % kUnit || !bytes)
    simt_fail(call, 0,
              "expected addresses and a size in units of %d bytes, got 0x%llx "
              "and 0x%llx, %u bytes",
              kUnit, (unsigned long long)to, (unsigned long long)from, bytes);
}

/// An address of this block's shared memory, in that of the block `rank`.
static uint64_t inBlock(struct simt_block *block, uint64_t address, int rank) {
  return address - simt_shared_base(simt_block_at(block, address)) +
         simt_shared_base(simt_cluster_block(block, rank));
}

static void moveBytes(const Copy *copy, uint64_t to, uint64_t barrier) {
  for (uint32_t i = 0; i < copy->bytes; i += kUnit) {
    uint8_t unit[kUnit];
    simt_read(&copy->actor, copy->from + i, kUnit, kUnit, unit);
    simt_write(&copy->actor, to + i, kUnit, kUnit, unit);
  }
  nv_mbarrier_moved(&copy->actor, barrier, copy->bytes);
}

static void executeCopy(struct simt_block *block, void *data) {
  Copy *copy = data;
  if (!copy->ranks)
    moveBytes(copy, copy->to, copy->barrier);
  for (int rank = 0; rank < simt_cluster_size(block); ++rank)
    if (copy->ranks >> rank & 1)
      moveBytes(copy, inBlock(block, copy->to, rank),
                inBlock(block, copy->barrier, rank));
  simt_actor_end(&copy->actor);
}

static void issueCopy(struct simt_call *call, Copy copy) {
  checkUnits(call, copy.to, copy.from, copy.bytes);
  nv_mbarrier_check(call, 0, copy.barrier);
  copy.actor = simt_issue_alone(call, 0, /*async=*/true);
  simt_check_space(&copy.actor, copy.to, SIMT_SHARED);
  simt_defer(call->block, executeCopy, &copy, sizeof(copy));
}

/// cp.async.bulk.global.to.shared.{cluster,cta} to, barrier, from, bytes[,
/// ranks, hint, whether there are ranks ...]
void nv_bulk_load(struct simt_call *call) {
  Copy copy = {.to = simt_number(call, 0, 0),
               .barrier = simt_number(call, 0, 1),
               .from = simt_number(call, 0, 2),
               .bytes = simt_word(call, 0, 3)};
  if (simt_has(call, "cluster") && simt_word(call, 0, 6))
    copy.ranks = (uint16_t)simt_word(call, 0, 4);
  struct simt_actor self = simt_self(call, 0);
  simt_check_space(&self, copy.from, SIMT_GLOBAL);
  issueCopy(call, copy);
}

/// cp.async.bulk.shared.cta.to.cluster to, barrier, from, bytes
void nv_bulk_to_cluster(struct simt_call *call) {
  issueCopy(call, (Copy){.to = simt_number(call, 0, 0),
                         .barrier = simt_number(call, 0, 1),
                         .from = simt_number(call, 0, 2),
                         .bytes = simt_word(call, 0, 3)});
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

typedef struct Store {
  uint64_t to, from;
  uint32_t bytes;
} Store;

static void readStore(struct nv_store *store) {
  const Store *s = (const Store *)store->data;
  for (uint32_t i = 0; i < s->bytes; i += kUnit)
    simt_read(&store->reader, s->from + i, kUnit, kUnit, store->bytes + i);
}

static void writeStore(struct nv_store *store) {
  const Store *s = (const Store *)store->data;
  for (uint32_t i = 0; i < s->bytes; i += kUnit)
    simt_write(&store->writer, s->to + i, kUnit, kUnit, store->bytes + i);
}

/// cp.async.bulk.shared.cta.to.global to, from, bytes, hint ...
void nv_bulk_store(struct simt_call *call) {
  Store store = {simt_number(call, 0, 0), simt_number(call, 0, 1),
                 simt_word(call, 0, 2)};
  struct simt_actor self = simt_self(call, 0);
  checkUnits(call, store.to, store.from, store.bytes);
  simt_check_space(&self, store.to, SIMT_GLOBAL);
  simt_check_space(&self, store.from, SIMT_SHARED);
  nv_bulk_issue(call, store.bytes, readStore, writeStore, &store,
                sizeof(store));
}

typedef struct AsyncWord {
  struct simt_actor actor;
  uint64_t to, barrier;
  uint32_t bytes;
  uint32_t words[4];
} AsyncWord;

static void executeStoreAsync(struct simt_block *block, void *data) {
  (void)block;
  AsyncWord *store = data;
  simt_write(&store->actor, store->to, store->bytes, store->bytes,
             store->words);
  nv_mbarrier_moved(&store->actor, store->barrier, store->bytes);
  simt_actor_end(&store->actor);
}

/// st.async...type [to], value, [barrier]
void nv_store_async(struct simt_call *call) {
  const struct simt_operand *value = &call->instruction->operands[1];
  AsyncWord store = {.to = simt_number(call, 0, 0),
                     .barrier = simt_number(call, 0, 2),
                     .bytes = value->words * 4u};
  if (store.bytes > sizeof(store.words))
    simt_fail(call, 0, "expected up to 16 bytes, got %u", store.bytes);
  memcpy(store.words, simt_words(call, 0, 1), store.bytes);
  nv_mbarrier_check(call, 0, store.barrier);
  // The only one of these that is not of the async proxy.
  store.actor = simt_issue_alone(call, 0, /*async=*/false);
  simt_check_space(&store.actor, store.to, SIMT_SHARED);
  simt_defer(call->block, executeStoreAsync, &store, sizeof(store));
}
