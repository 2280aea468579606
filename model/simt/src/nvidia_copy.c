// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async (PTX ISA, "Data Movement and Conversion Instructions: Non-bulk
// copy"), ldmatrix and stmatrix ("Warp-level matrix load/store").

#include "nvidia_hopper.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

enum { kGroups = 64 };

/// What a thread has issued. A group is known by its last copy.
struct copies {
  struct simt_epoch last;
  uint64_t lastEffect; ///< 0: none
  int count, first;    ///< groups that have been committed
  struct simt_epoch epochs[kGroups];
  uint64_t effects[kGroups]; ///< the last of each group
  uint64_t finished;         ///< effects up to this one are
  uint64_t pending[kGroups * 4];
  int pendingCount;
};

struct copy {
  struct simt_actor actor;
  uint64_t to, from;
  uint32_t bytes, wanted; ///< beyond `wanted`, zeros
};

static const char kCopies;

static void runCopy(struct simt_block *block, void *data) {
  (void)block;
  struct copy *copy = data;
  uint8_t bytes[16] = {0};
  if (copy->wanted)
    simt_read(&copy->actor, copy->from, copy->wanted, 1, bytes);
  simt_write(&copy->actor, copy->to, copy->bytes, copy->bytes, bytes);
  simt_actor_end(&copy->actor);
}

static struct copies *findCopies(struct simt_call *call) {
  return simt_thread_state(call->block, call->first, &kCopies,
                           sizeof(struct copies));
}

static void finishUntil(struct simt_block *block, struct copies *c,
                        uint64_t effect) {
  int kept = 0;
  for (int i = 0; i < c->pendingCount; ++i)
    if (c->pending[i] <= effect)
      simt_finish(block, c->pending[i]);
    else
      c->pending[kept++] = c->pending[i];
  c->pendingCount = kept;
}

/// The number of a token, as 16 in "llvm.nvvm.cp.async.cg.shared.global.16".
static uint32_t getBytes(const struct simt_call *call) {
  for (int i = 0; i < call->instruction->tokenCount; ++i) {
    const char *token = simt_token(call, i);
    if (strcmp(token, "4") == 0 || strcmp(token, "8") == 0)
      return (uint32_t)(*token - '0');
    if (strcmp(token, "16") == 0)
      return 16;
  }
  return (uint32_t)simt_number(call, 0, 2);
}

static void issueCopy(struct simt_call *call) {
  struct copies *c = findCopies(call);
  bool intrinsic = simt_token(call, 0)[0] == 'l';
  int sizeAt = intrinsic ? 2 : 3;
  struct copy copy = {.to = simt_number(call, 0, 0),
                      .from = simt_number(call, 0, 1),
                      .bytes = getBytes(call)};
  copy.wanted = copy.bytes;
  if (call->instruction->operandCount > sizeAt)
    copy.wanted = simt_word(call, 0, sizeAt);
  if (copy.wanted > copy.bytes)
    simt_fail(call, 0, "expected to read at most %u bytes, got %u", copy.bytes,
              copy.wanted);
  struct simt_actor self = simt_self(call, 0);
  simt_check_space(&self, copy.to, SIMT_SHARED);
  if (copy.wanted && copy.from % copy.bytes)
    simt_fail(call, 0,
              "misaligned: expected a source that is a multiple of "
              "%u, got 0x%llx",
              copy.bytes, (unsigned long long)copy.from);
  copy.actor = simt_issue(call, 0, SIMT_ASYNC, false);
  c->last = copy.actor.epoch;
  if (c->pendingCount == (int)(sizeof(c->pending) / sizeof(*c->pending)))
    finishUntil(call->block, c, c->pending[c->pendingCount / 2]);
  c->lastEffect = simt_defer(call->block, runCopy, &copy, sizeof(copy));
  c->pending[c->pendingCount++] = c->lastEffect;
}

static void commitCopies(struct simt_call *call) {
  struct copies *c = findCopies(call);
  if (c->count == kGroups)
    simt_fail(call, 0,
              "expected at most %d groups that have not been waited "
              "for",
              (int)kGroups);
  int at = (c->first + c->count++) % kGroups;
  c->epochs[at] = c->last;
  c->effects[at] = c->lastEffect;
}

static void waitFor(struct simt_call *call, struct copies *c, int allowed) {
  for (; c->count > allowed; --c->count) {
    int at = c->first;
    c->first = (c->first + 1) % kGroups;
    if (!c->effects[at])
      continue;
    finishUntil(call->block, c, c->effects[at]);
    simt_join(call->block, call->first, c->epochs[at]);
  }
}

static void waitGroup(struct simt_call *call) {
  waitFor(call, findCopies(call), (int)simt_number(call, 0, 0));
}

static void waitAll(struct simt_call *call) {
  commitCopies(call);
  waitFor(call, findCopies(call), 0);
}

struct arrival {
  struct simt_actor actor;
  struct copies *copies;
  uint64_t lastEffect, barrier;
};

/// Behind the copies that were issued before.
static void runArrival(struct simt_block *block, void *data) {
  struct arrival *arrival = data;
  finishUntil(block, arrival->copies, arrival->lastEffect);
  nv_mbarrier_copied(&arrival->actor, arrival->barrier);
  simt_actor_end(&arrival->actor);
}

/// cp.async.mbarrier.arrive[.noinc] object: without "noinc", the phase takes
/// one arrival more.
static void arriveAfterCopies(struct simt_call *call) {
  struct copies *c = findCopies(call);
  struct arrival arrival = {.copies = c,
                            .lastEffect = c->lastEffect,
                            .barrier = simt_number(call, 0, 0)};
  nv_mbarrier_announce(call, simt_has(call, "noinc"));
  arrival.actor = simt_issue(call, 0, SIMT_ASYNC, false);
  simt_defer(call->block, runArrival, &arrival, sizeof(arrival));
}

//===----------------------------------------------------------------------===//
// Matrices of 8 x 8 elements of 16 bits
//===----------------------------------------------------------------------===//

/// The number of matrices: 4 of "x4".
static int countMatrices(const struct simt_call *call) {
  return simt_has(call, "x4") ? 4 : simt_has(call, "x2") ? 2 : 1;
}

static void checkShape(const struct simt_call *call) {
  if (!simt_has(call, "m8n8") || !simt_has(call, "b16"))
    simt_fail(call, -1, "only matrices m8n8 of b16 are modelled");
}

/// Lane l has row l / 4, elements 2 * (l % 4) and the next; of a transposed
/// matrix, column l / 4 and those rows. Rows of matrix m are at the addresses
/// of lanes 8 * m to 8 * m + 7.
static void loadMatrices(struct simt_call *call) {
  checkShape(call);
  bool transposed = simt_has(call, "trans");
  for (int m = 0; m < countMatrices(call); ++m) {
    uint16_t rows[8][8];
    for (int row = 0; row < 8; ++row) {
      int lane = 8 * m + row;
      struct simt_actor actor = simt_self(call, lane);
      uint64_t address = simt_number(call, lane, 0);
      simt_check_space(&actor, address, SIMT_SHARED);
      simt_read(&actor, address, 16, 16, rows[row]);
    }
    for (int lane = 0; lane < 32; ++lane) {
      int major = lane / 4, minor = lane % 4 * 2;
      uint16_t low = transposed ? rows[minor][major] : rows[major][minor];
      uint16_t high =
          transposed ? rows[minor + 1][major] : rows[major][minor + 1];
      simt_result(call, lane, 0)[m] = low | (uint32_t)high << 16;
    }
  }
}

static void storeMatrices(struct simt_call *call) {
  checkShape(call);
  bool transposed = simt_has(call, "trans");
  const struct simt_operand *address = &call->instruction->operands[0];
  for (int m = 0; m < countMatrices(call); ++m) {
    uint16_t rows[8][8];
    for (int lane = 0; lane < 32; ++lane) {
      int major = lane / 4, minor = lane % 4 * 2;
      uint32_t both = call->operands[lane][address->words + m];
      *(transposed ? &rows[minor][major] : &rows[major][minor]) =
          (uint16_t)both;
      *(transposed ? &rows[minor + 1][major] : &rows[major][minor + 1]) =
          (uint16_t)(both >> 16);
    }
    for (int row = 0; row < 8; ++row) {
      int lane = 8 * m + row;
      struct simt_actor actor = simt_self(call, lane);
      uint64_t to = simt_number(call, lane, 0);
      simt_check_space(&actor, to, SIMT_SHARED);
      simt_write(&actor, to, 16, 16, rows[row]);
    }
  }
}

const struct simt_function simt_nvidia_copy[] = {
    {"llvm.nvvm.cp.async.ca.shared.*", SIMT_THREAD, issueCopy, 0, 0, 0},
    {"llvm.nvvm.cp.async.cg.shared.*", SIMT_THREAD, issueCopy, 0, 0, 0},
    {"cp.async.ca.shared.*", SIMT_THREAD, issueCopy, 0, 0, 0},
    {"cp.async.cg.shared.*", SIMT_THREAD, issueCopy, 0, 0, 0},
    {"llvm.nvvm.cp.async.mbarrier.arrive*", SIMT_THREAD, arriveAfterCopies, 0, 0,
     SIMT_SYNC},
    {"llvm.nvvm.cp.async.commit.group", SIMT_THREAD, commitCopies, 0, 0, 0},
    {"llvm.nvvm.cp.async.wait.group", SIMT_THREAD, waitGroup, 0, 0, SIMT_SYNC},
    {"llvm.nvvm.cp.async.wait.all", SIMT_THREAD, waitAll, 0, 0, SIMT_SYNC},
    {"cp.async.commit_group", SIMT_THREAD, commitCopies, 0, 0, 0},
    {"cp.async.wait_group", SIMT_THREAD, waitGroup, 0, 0, SIMT_SYNC},
    {"cp.async.wait_all", SIMT_THREAD, waitAll, 0, 0, SIMT_SYNC},
    {"llvm.nvvm.ldmatrix.*", SIMT_WARP, loadMatrices, 0, 0, 0},
    {"ldmatrix.sync.*", SIMT_WARP, loadMatrices, 1, 0, 0},
    {"llvm.nvvm.stmatrix.*", SIMT_WARP, storeMatrices, 0, 0, 0},
    {"stmatrix.sync.*", SIMT_WARP, storeMatrices, 0, 0, 0},
    {0},
};
