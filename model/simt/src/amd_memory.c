// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers with a range, loads that go to LDS, loads of LDS that transpose.
//
// Sources: [isa] CDNA3 and CDNA4 instruction set architecture, "Buffer
// Addressing", "Memory Buffer Load to LDS", "DS_READ_B64_TR_B16"; [llvm]
// llvm/IR/IntrinsicsAMDGPU.td, and "Relaxed Buffer OOB Mode" of the User Guide
// for AMDGPU Backend.

#include "amd.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 4 };

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// make.buffer.rsrc: (base, stride, bytes, flags). Here 48 bits of the base, 16
/// of the stride, and 32 each of the others.
static void run_make_buffer(struct simt_call *call) {
  uint64_t base = simt_number(call, 0, 0), bytes = simt_number(call, 0, 2);
  uint32_t stride = simt_word(call, 0, 1) & 0xffff;
  uint32_t *result = simt_result(call, 0, 0);
  if (stride)
    simt_fail(call, 0, "the model has no buffers of a stride, got %u", stride);
  if (call->instruction->results[0].words != MAX_WORDS)
    simt_fail(call, 0, "the model has no pointers with an offset and a range");
  result[0] = (uint32_t)base;
  result[1] = (uint32_t)(base >> 32) & 0xffff;
  result[2] = bytes > 0xffffffff ? 0xffffffff : (uint32_t)bytes;
  result[3] = simt_word(call, 0, 3);
}

struct range {
  uint64_t address; ///< of the offset 0
  uint32_t offset, bytes;
};

/// Operands from `first` on: (resource, offset, offset that is not checked).
static struct range get_range(const struct simt_call *call, int lane, int first,
                              int offset) {
  const uint32_t *resource = simt_words(call, lane, first);
  uint64_t base = resource[0] | (uint64_t)resource[1] << 32;
  return (struct range){base + simt_word(call, lane, offset + 1),
                        simt_word(call, lane, offset), resource[2]};
}

/// Words have a check each.
static bool is_inside(const struct range *range, uint32_t at, uint32_t bytes) {
  return (uint64_t)range->offset + at + bytes <= range->bytes;
}

static uint32_t get_bytes(const struct simt_operand *value) {
  return value->elements * (uint32_t)value->bits / 8;
}

static void run_buffer_load(struct simt_call *call) {
  struct simt_actor self = simt_self(call, 0);
  struct range range = get_range(call, 0, 0, 1);
  uint32_t bytes = get_bytes(&call->instruction->results[0]);
  uint32_t *result = simt_result(call, 0, 0);
  memset(result, 0, 4u * call->instruction->results[0].words);
  for (uint32_t at = 0; at < bytes; at += 4) {
    uint32_t part = bytes - at < 4 ? bytes - at : 4;
    if (is_inside(&range, at, part))
      simt_read(&self, range.address + range.offset + at, part, part,
                (char *)result + at);
  }
}

static void run_buffer_store(struct simt_call *call) {
  struct simt_actor self = simt_self(call, 0);
  struct range range = get_range(call, 0, 1, 2);
  uint32_t bytes = get_bytes(&call->instruction->operands[0]);
  const uint32_t *value = simt_words(call, 0, 0);
  for (uint32_t at = 0; at < bytes; at += 4) {
    uint32_t part = bytes - at < 4 ? bytes - at : 4;
    if (is_inside(&range, at, part))
      simt_write(&self, range.address + range.offset + at, part, part,
                 (const char *)value + at);
  }
}

static uint32_t combine(const struct simt_call *call, const char *name,
                        uint32_t old, uint32_t value) {
  float x, y;
  memcpy(&x, &old, sizeof x);
  memcpy(&y, &value, sizeof y);
  if (!strcmp(name, "fadd")) {
    x += y;
    memcpy(&old, &x, sizeof old);
    return old;
  }
  if (!strcmp(name, "fmin"))
    return y < x || x != x ? value : old;
  if (!strcmp(name, "fmax"))
    return y > x || x != x ? value : old;
  if (!strcmp(name, "swap"))
    return value;
  if (!strcmp(name, "add"))
    return old + value;
  if (!strcmp(name, "sub"))
    return old - value;
  if (!strcmp(name, "and"))
    return old & value;
  if (!strcmp(name, "or"))
    return old | value;
  if (!strcmp(name, "xor"))
    return old ^ value;
  if (!strcmp(name, "umin") || !strcmp(name, "umax"))
    return (name[2] == 'i') == (value < old) ? value : old;
  if (!strcmp(name, "smin") || !strcmp(name, "smax"))
    return (name[2] == 'i') == ((int32_t)value < (int32_t)old) ? value : old;
  simt_fail(call, 0, "the model has no '%s'", call->instruction->name);
}

/// raw.ptr.buffer.atomic.NAME.TYPE of 32 bits: (value, resource, offset, ...),
/// which returns what was there; outside 0.
static void run_buffer_atomic(struct simt_call *call) {
  const struct simt_operand *value = &call->instruction->operands[0];
  const char *type = simt_token(call, call->instruction->tokenCount - 1);
  struct simt_actor self = simt_self(call, 0);
  struct range range = get_range(call, 0, 1, 2);
  if (value->words != 1 || value->bits != 32 || *type == 'v')
    simt_fail(call, 0, "the model has no '%s'", call->instruction->name);
  simt_set(call, 0, 0, 0);
  if (!is_inside(&range, 0, 4))
    return;
  uint32_t *at = simt_access(&self, range.address + range.offset, 4, 4,
                             SIMT_READ | SIMT_WRITE | SIMT_ATOMIC);
  uint32_t old = *at;
  *at = combine(call, simt_token(call, 6), old, simt_word(call, 0, 0));
  simt_set(call, 0, 0, old);
}

//===----------------------------------------------------------------------===//
// Loads to LDS
//===----------------------------------------------------------------------===//

// Their data are in LDS when the thread has waited for the load, and other
// threads may read them behind a barrier after that. What is counted are the
// instructions of a wave: those in which a lane takes no part count for it, too.

enum { MAX_LOADS = 64 }; // the counter has six bits: a further load waits

struct load {
  uint64_t number; ///< of those that the wave has issued, from 1
  uint64_t effect;
  struct simt_epoch epoch;
};

/// Those of a thread that are under way, in a ring.
struct loads {
  unsigned first, count;
  struct load ring[MAX_LOADS];
};

struct transfer {
  struct simt_actor actor;
  uint64_t from, to;
  uint32_t bytes;
  bool inside; ///< of the range of a buffer
};

static struct loads *get_loads(struct simt_call *call, int lane) {
  static const char key;
  return simt_thread_state(call->block, call->first + lane, &key,
                           sizeof(struct loads));
}

/// How many loads the wave has issued.
static uint64_t *get_issued(struct simt_call *call) {
  static const char key;
  int lanes = simt_launch_of(call->block)->warpSize;
  return simt_thread_state(call->block, call->first / lanes * lanes, &key,
                           sizeof(uint64_t));
}

/// Leaves at most `count` of the wave's loads under way.
static void finish_loads(struct simt_call *call, int lane, unsigned count) {
  struct loads *loads = get_loads(call, lane);
  uint64_t issued = *get_issued(call);
  for (; loads->count > 0; --loads->count) {
    struct load *load = &loads->ring[loads->first];
    if (load->number + count > issued)
      break;
    simt_finish(call->block, load->effect);
    simt_join(call->block, call->first + lane, load->epoch);
    loads->first = (loads->first + 1) % MAX_LOADS;
  }
}

void simt_amd_wait_loads(struct simt_call *call, int lane, unsigned count) {
  finish_loads(call, lane, count);
}

static void run_transfer(struct simt_block *block, void *data) {
  struct transfer *transfer = data;
  uint32_t words[MAX_WORDS] = {0}, bytes = transfer->bytes;
  uint32_t align = bytes < 4 ? bytes : 4;
  (void)block;
  if (transfer->inside)
    simt_read(&transfer->actor, transfer->from, bytes, align, words);
  // Bytes and halves fill a word.
  simt_write(&transfer->actor, transfer->to, bytes < 4 ? 4 : bytes, 4, words);
  simt_actor_end(&transfer->actor);
}

/// The first lane names the place in LDS, lanes follow each other. 12 and 16
/// bytes came with gfx950 ([isa] CDNA4, "BUFFER_LOAD_DWORDX4 ... LDS").
static uint64_t get_target(const struct simt_call *call, uint32_t bytes) {
  uint64_t target = 0;
  int first = -1;
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    uint64_t other = simt_number(call, lane, 1);
    if (first >= 0 && other != target)
      simt_fail(call, lane,
                "expected lanes to name the same place in LDS, where the wave "
                "begins, got 0x%llx and 0x%llx",
                (unsigned long long)target, (unsigned long long)other);
    first = lane;
    target = other;
  }
  bool wide = strcmp(simt_launch_of(call->block)->chip, "gfx950") == 0;
  if (bytes != 1 && bytes != 2 && bytes != 4 &&
      !(wide && (bytes == 12 || bytes == 16)))
    simt_fail(call, first, "expected 1, 2%s bytes of a lane, got %u",
              wide ? ", 4, 12 or 16" : " or 4", bytes);
  return target;
}

static void issue_load(struct simt_call *call, int lane, uint64_t from,
                       uint64_t target, uint32_t bytes, bool inside) {
  struct loads *loads = get_loads(call, lane);
  finish_loads(call, lane, MAX_LOADS);
  struct transfer transfer = {simt_issue(call, lane, SIMT_ASYNC, false), from,
                              target + (uint64_t)lane * (bytes < 4 ? 4 : bytes),
                              bytes, inside};
  struct load *load = &loads->ring[(loads->first + loads->count++) % MAX_LOADS];
  load->number = *get_issued(call);
  load->epoch = transfer.actor.epoch;
  load->effect =
      simt_defer(call->block, run_transfer, &transfer, sizeof transfer);
}

/// (global, LDS, bytes, offset of both, ...)
static void run_global_load_lds(struct simt_call *call) {
  int first = simt_amd_first(call);
  uint32_t bytes = simt_word(call, first, 2);
  uint64_t offset = simt_word(call, first, 3);
  uint64_t target = get_target(call, bytes) + offset;
  ++*get_issued(call);
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      issue_load(call, lane, simt_number(call, lane, 0) + offset, target, bytes,
                 true);
}

/// (resource, LDS, bytes, offset, offset that is not checked, offset of both,
/// ...); outside of the range zeros are written.
static void run_buffer_load_lds(struct simt_call *call) {
  int first = simt_amd_first(call);
  uint32_t bytes = simt_word(call, first, 2);
  uint32_t offset = simt_word(call, first, 5);
  uint64_t target = get_target(call, bytes) + offset;
  ++*get_issued(call);
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    struct range range = get_range(call, lane, 0, 3);
    issue_load(call, lane, range.address + range.offset + offset, target, bytes,
               is_inside(&range, offset, bytes));
  }
}

//===----------------------------------------------------------------------===//
// Transposing loads
//===----------------------------------------------------------------------===//

/// DS_READ_B64_TR_B16 and its like: 16 lanes read vectors of `each` elements,
/// which are the rows of a matrix with 16 / each vectors in a row; lane l gets
/// column l. The lanes: ROCm/rocm-systems, pull requests 10175 and 10589.
static void run_read_transposed(struct simt_call *call) {
  const char *kind = simt_token(call, 4);
  int bits = atoi(kind + 2), total = atoi(simt_token(call, 5) + 1);
  int each = total / bits;
  uint8_t rows[SIMT_MAX_GROUP][16];
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      simt_fail(call, lane,
                "expected all lanes of the wave, but lane %d is "
                "not here",
                lane);
    struct simt_actor self = simt_self(call, lane);
    memset(rows[lane], 0, sizeof rows[lane]);
    simt_read(&self, simt_number(call, lane, 0), (size_t)total / 8, 8,
              rows[lane]);
  }
  for (int lane = 0; lane < call->lanes; ++lane) {
    uint8_t *result = (uint8_t *)simt_result(call, lane, 0);
    memset(result, 0, (size_t)total / 8);
    for (int i = 0; i < each; ++i) {
      const uint8_t *row =
          rows[lane / 16 * 16 + lane % 16 / each + 16 / each * i];
      for (int bit = 0; bit < bits; ++bit) {
        int from = lane % each * bits + bit, to = i * bits + bit;
        result[to / 8] |= (uint8_t)((row[from / 8] >> from % 8 & 1) << to % 8);
      }
    }
  }
}

const struct simt_function simt_amd_memory[] = {
    {"llvm.amdgcn.make.buffer.rsrc.*", SIMT_THREAD, run_make_buffer, 0, 0, 0},
    {"llvm.amdgcn.raw.ptr.buffer.load.*", SIMT_THREAD, run_buffer_load, 0, 0,
     0},
    {"llvm.amdgcn.raw.ptr.buffer.store.*", SIMT_THREAD, run_buffer_store, 0, 0,
     0},
    {"llvm.amdgcn.raw.ptr.buffer.atomic.*", SIMT_THREAD, run_buffer_atomic, 0,
     0, 0},
    {"llvm.amdgcn.raw.ptr.buffer.load.lds", SIMT_ACTIVE, run_buffer_load_lds, 0,
     0, 0},
    {"llvm.amdgcn.global.load.lds", SIMT_ACTIVE, run_global_load_lds, 0, 0, 0},
    {"llvm.amdgcn.load.to.lds.*", SIMT_ACTIVE, run_global_load_lds, 0, 0, 0},
    {"llvm.amdgcn.ds.read.tr4.b64.*", SIMT_ACTIVE, run_read_transposed, 0, 0,
     0},
    {"llvm.amdgcn.ds.read.tr6.b96.*", SIMT_ACTIVE, run_read_transposed, 0, 0,
     0},
    {"llvm.amdgcn.ds.read.tr8.b64.*", SIMT_ACTIVE, run_read_transposed, 0, 0,
     0},
    {"llvm.amdgcn.ds.read.tr16.b64.*", SIMT_ACTIVE, run_read_transposed, 0, 0,
     0},
    {0},
};
