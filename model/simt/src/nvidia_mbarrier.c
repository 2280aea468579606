// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier. Source: PTX ISA, "Parallel Synchronization and Communication
// Instructions: mbarrier": contents, phases, transaction counts.
//
// The object's bytes hold a mark, so that code that overwrites them is found;
// its state stands beside. A phase is complete when no arrival and no byte is
// missing. Whoever waits for a phase knows what those knew who arrived in it.

#include "nvidia_hopper.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  kMaxObjects = 256, // of a block
  kMaxCount = (1 << 20) - 1,
  kObjectBytes = 8,
};

typedef struct Object {
  uint64_t address;         // 0: none
  struct simt_block *block; // of the thread that initialised it
  int initialiser;
  bool visible; // to the async proxy
  uint32_t expected, pending;
  int64_t bytes; // that are still to come; those that came early are negative
  uint64_t phase;
  struct simt_sync arrived[2]; // of even and of odd phases
} Object;

typedef struct Objects {
  int count; // of those in use and of gaps between them
  Object at[kMaxObjects];
} Objects;

static void endObjects(void *data) {
  Objects *objects = data;
  for (int i = 0; i < objects->count; ++i)
    for (int parity = 0; parity < 2; ++parity)
      simt_sync_clear(&objects->at[i].arrived[parity]);
}

static Objects *getObjects(struct simt_block *block) {
  static const char key;
  return simt_state(block, &key, sizeof(Objects), endObjects);
}

static Object *lookUp(struct simt_block *block, uint64_t address) {
  struct simt_block *home = simt_block_at(block, address);
  if (!home)
    return NULL;
  Objects *objects = getObjects(home);
  for (int i = 0; i < objects->count; ++i)
    if (objects->at[i].address == address)
      return &objects->at[i];
  return NULL;
}

static uint64_t markOf(uint64_t address) {
  return UINT64_C(0x6D62617272696572) ^ address;
}

/// The object at an address, for a thread or an operation that it issued.
static Object *expectObject(const struct simt_actor *actor, uint64_t address,
                            const void *bytes) {
  Object *object = lookUp(actor->block, address);
  uint64_t mark = markOf(address);
  if (!object)
    simt_report(actor->block, actor->thread, actor->instruction,
                "expected an mbarrier at 0x%" PRIx64
                ", got memory that mbarrier.init was not called for",
                address);
  if (memcmp(bytes, &mark, sizeof(mark)) != 0)
    simt_report(actor->block, actor->thread, actor->instruction,
                "expected an mbarrier at 0x%" PRIx64
                ", got one that a store has overwritten",
                address);
  return object;
}

/// The object of operand 0, in the name of the lane.
static Object *access(const struct simt_call *call) {
  struct simt_actor self = simt_self(call, 0);
  uint64_t address = simt_number(call, 0, 0);
  void *bytes = simt_access(&self, address, kObjectBytes, kObjectBytes,
                            SIMT_READ | SIMT_WRITE | SIMT_ATOMIC | SIMT_ANY);
  return expectObject(&self, address, bytes);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static void endPhase(Object *object) {
  if (object->pending || object->bytes)
    return;
  ++object->phase;
  object->pending = object->expected;
}

static void expectBytes(const struct simt_call *call, Object *object,
                        int64_t bytes) {
  object->bytes += bytes;
  if (object->bytes > kMaxCount || object->bytes < -kMaxCount)
    simt_fail(call, 0,
              "expected a transaction count of at most %d bytes, got %" PRId64,
              kMaxCount, object->bytes);
}

void nv_mbarrier_check(const struct simt_call *call, int lane,
                       uint64_t address) {
  struct simt_actor self = simt_self(call, lane);
  void *bytes = simt_access(&self, address, kObjectBytes, kObjectBytes,
                            SIMT_READ | SIMT_ATOMIC | SIMT_ANY);
  if (!expectObject(&self, address, bytes)->visible)
    simt_fail(call, lane,
              "expected fence.mbarrier_init or fence.proxy.async between "
              "mbarrier.init and an asynchronous operation on it");
}

void nv_mbarrier_moved(const struct simt_actor *actor, uint64_t address,
                       uint32_t bytes) {
  Object *object = lookUp(actor->block, address);
  if (simt_live_threads(simt_block_at(actor->block, address)) == 0)
    simt_report(actor->block, actor->thread, actor->instruction,
                "the block ended before the copy had arrived");
  if (!object)
    simt_report(actor->block, actor->thread, actor->instruction,
                "the mbarrier at 0x%" PRIx64
                " was invalidated before the copy had arrived",
                address);
  simt_release_epoch(actor->block, actor->epoch,
                     &object->arrived[object->phase & 1]);
  object->bytes -= bytes;
  if (object->bytes < -kMaxCount)
    simt_report(actor->block, actor->thread, actor->instruction,
                "expected a transaction count of at most %d bytes, got more "
                "bytes than mbarrier.expect_tx announced",
                kMaxCount);
  endPhase(object);
}

void nv_mbarrier_announce(const struct simt_call *call, bool isCounted) {
  access(call)->pending += !isCounted;
}

void nv_mbarrier_copied(const struct simt_actor *actor, uint64_t address) {
  Object *object = lookUp(actor->block, address);
  if (!object)
    simt_report(actor->block, actor->thread, actor->instruction,
                "the mbarrier at 0x%" PRIx64
                " was invalidated before the copies were complete",
                address);
  if (!object->pending)
    simt_report(actor->block, actor->thread, actor->instruction,
                "expected at most 0 more arrivals in phase %" PRIu64
                " of an mbarrier of %u, got 1",
                object->phase, object->expected);
  simt_release_epoch(actor->block, actor->epoch,
                     &object->arrived[object->phase & 1]);
  --object->pending;
  endPhase(object);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void nv_mbarrier_init(struct simt_call *call) {
  struct simt_actor self = simt_self(call, 0);
  uint64_t address = simt_number(call, 0, 0), mark = markOf(address);
  uint32_t count = simt_word(call, 0, 1);
  if (count < 1 || count > kMaxCount)
    simt_fail(call, 0, "expected 1 to %d arrivals, got %u", kMaxCount, count);
  simt_check_space(&self, address, SIMT_SHARED);
  if (lookUp(call->block, address))
    simt_fail(call, 0,
              "expected memory without an mbarrier, got one that "
              "mbarrier.inval was not called for");
  simt_write(&self, address, kObjectBytes, kObjectBytes, &mark);
  Objects *objects = getObjects(simt_block_at(call->block, address));
  int i = 0;
  while (i < objects->count && objects->at[i].address)
    ++i;
  if (i == kMaxObjects)
    simt_fail(call, 0, "expected at most %d mbarriers in a block", kMaxObjects);
  objects->count += i == objects->count;
  objects->at[i] = (Object){.address = address,
                            .block = call->block,
                            .initialiser = call->first,
                            .expected = count,
                            .pending = count};
}

void nv_mbarrier_inval(struct simt_call *call) {
  Object *object = access(call);
  struct simt_actor self = simt_self(call, 0);
  uint64_t none = 0;
  simt_write(&self, object->address, kObjectBytes, kObjectBytes, &none);
  for (int i = 0; i < 2; ++i)
    simt_sync_clear(&object->arrived[i]);
  object->address = 0;
}

/// mbarrier.arrive[.drop][.expect.tx][.noComplete] object[, count or bytes]
void nv_mbarrier_arrive(struct simt_call *call) {
  Object *object = access(call);
  bool expects = simt_has(call, "expect");
  uint32_t number =
      call->instruction->operandCount > 1 ? simt_word(call, 0, 1) : 1;
  uint32_t count = expects ? 1 : number;
  uint64_t phase = object->phase;
  if (expects)
    expectBytes(call, object, number);
  if (count < 1 || count > object->pending)
    simt_fail(call, 0,
              "expected at most %u more arrivals in phase %" PRIu64
              " of an mbarrier of %u, got %u",
              object->pending, phase, object->expected, count);
  if (simt_has(call, "noComplete") && count == object->pending)
    simt_fail(call, 0,
              "expected arrivals that leave the phase open, got the last %u",
              count);
  if (!simt_has(call, "relaxed"))
    simt_release(call->block, call->first, &object->arrived[phase & 1]);
  object->pending -= count;
  if (simt_has(call, "drop"))
    object->expected -= count;
  if (call->instruction->resultCount)
    simt_set(call, 0, 0, phase << 32 | object->pending);
  endPhase(object);
}

void nv_mbarrier_expect(struct simt_call *call) {
  expectBytes(call, access(call), simt_word(call, 0, 1));
}

void nv_mbarrier_complete(struct simt_call *call) {
  Object *object = access(call);
  expectBytes(call, object, -(int64_t)simt_word(call, 0, 1));
  endPhase(object);
}

void nv_mbarrier_pending(struct simt_call *call) {
  simt_set(call, 0, 0, simt_number(call, 0, 0) & UINT32_MAX);
}

typedef struct Wait {
  const Object *object;
  uint64_t phase; // of a state; or a parity
  bool parity;
} Wait;

static bool isComplete(void *argument) {
  const Wait *wait = argument;
  return wait->parity ? (wait->object->phase & 1) != wait->phase
                      : wait->object->phase > wait->phase;
}

/// test.wait looks once. try.wait may return before the phase ends, and does so
/// now and then, for programs must repeat it.
void nv_mbarrier_wait(struct simt_call *call) {
  Object *object = access(call);
  bool parity = simt_has(call, "parity");
  uint64_t number = simt_number(call, 0, 1);
  Wait wait = {object, parity ? number : number >> 32, parity};
  if (parity && number > 1)
    simt_fail(call, 0, "expected a parity of 0 or 1, got %" PRIu64, number);
  bool complete = isComplete(&wait);
  if (!complete &&
      (simt_has(call, "test") || simt_random(call->block) % 4 == 0)) {
    simt_yield(call);
  } else if (!complete) {
    char what[96];
    snprintf(what, sizeof(what),
             "the end of phase %" PRIu64 " of the mbarrier at shared byte %u",
             object->phase,
             (uint32_t)object->address -
                 simt_shared_base(simt_block_at(call->block, object->address)));
    simt_wait(call, isComplete, &wait, what);
    complete = true;
  }
  if (complete && !simt_has(call, "relaxed"))
    simt_acquire(call->block, call->first,
                 &object->arrived[(object->phase - 1) & 1]);
  simt_set(call, 0, 0, complete);
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// What the thread has initialised, the async proxy may use.
void nv_fence_mbarrier_init(struct simt_call *call) {
  for (int rank = 0; rank < simt_cluster_size(call->block); ++rank) {
    Objects *objects = getObjects(simt_cluster_block(call->block, rank));
    for (int i = 0; i < objects->count; ++i)
      if (objects->at[i].block == call->block &&
          objects->at[i].initialiser == call->first)
        objects->at[i].visible = true;
  }
}

void nv_fence_proxy_async(struct simt_call *call) {
  simt_fence_async(call->block, call->first);
  nv_fence_mbarrier_init(call);
}
