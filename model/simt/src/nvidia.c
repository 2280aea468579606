// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of all NVIDIA GPUs: special registers, barriers, fences, and
// what the lanes of a warp exchange. PTX ISA, sections 9.7.13 (barriers,
// fences, votes, red) and 9.7.9.6 (shfl.sync); the intrinsics are those of
// LLVM's NVPTX usage guide.

#include "debug.h"
#include "instruction.h"
#include "numeric.h"
#include "tile_simt_model.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

static uint32_t getAxis(struct simt_dim dim, char axis) {
  return axis == 'x' ? dim.x : axis == 'y' ? dim.y : dim.z;
}

/// The register of `llvm.nvvm.read.ptx.sreg.tid.x` or `%tid.x`.
static uint64_t readRegister(struct simt_call *call, const char *name,
                             char axis) {
  const struct simt_launch *l = simt_launch_of(call->block);
  int thread = call->first;
  if (strcmp(name, "tid") == 0)
    return getAxis(simt_thread_index(call->block, thread), axis);
  if (strcmp(name, "ctaid") == 0)
    return getAxis(simt_block_index(call->block), axis);
  if (strcmp(name, "ntid") == 0)
    return getAxis(l->block, axis);
  if (strcmp(name, "nctaid") == 0)
    return getAxis(l->grid, axis);
  if (strcmp(name, "laneid") == 0)
    return (uint32_t)(thread % l->warpSize);
  if (strcmp(name, "warpid") == 0)
    return (uint32_t)(thread / l->warpSize);
  if (strcmp(name, "warpsize") == 0)
    return (uint32_t)l->warpSize;
  if (strncmp(name, "clock", 5) == 0)
    return simt_random(call->block);
  if (strcmp(name, "globaltimer") == 0)
    return simt_time(call->block);
  simt_fail(call, 0, "the special register is not modelled");
}

static void specialRegister(struct simt_call *call) {
  const char *first = simt_token(call, 0);
  bool intrinsic = *first != '%';
  const char *name = intrinsic ? simt_token(call, 5) : first + 1;
  const char *axis = simt_token(call, intrinsic ? 6 : 1);
  simt_set(call, 0, 0, readRegister(call, name, *axis));
}

/// %lanemask_eq, _lt, _le, _gt, _ge; llvm.nvvm.read.ptx.sreg.lanemask.eq ...
static void laneMask(struct simt_call *call) {
  const char *name = simt_token(call, 0);
  const char *which =
      *name == '%' ? strrchr(name, '_') + 1 : simt_token(call, 6);
  uint32_t self = UINT32_C(1) << call->first % 32, below = self - 1;
  simt_set(call, 0, 0,
           strcmp(which, "eq") == 0   ? self
           : strcmp(which, "lt") == 0 ? below
           : strcmp(which, "le") == 0 ? below | self
           : strcmp(which, "gt") == 0 ? ~(below | self)
                                      : ~below);
}

//===----------------------------------------------------------------------===//
// Barriers of a block
//===----------------------------------------------------------------------===//

enum { kBarriers = 16 };

struct barrier {
  struct simt_block *block;
  uint32_t phase;
  int arrived, expected; ///< expected 0: all threads
  int waiting;           ///< of those that have arrived
  int votes, result;     ///< how many brought true; in the phase before
  bool combines;         ///< whether this phase is one of bar.red
  int threads[SIMT_BLOCK_THREADS];
  const struct simt_instruction *at[SIMT_BLOCK_THREADS]; ///< by thread
  struct simt_sync sync; ///< of those that do not wait
};

struct arrival {
  struct barrier *barrier;
  uint32_t phase;
};

static const char kState;

/// All lanes of a warp must be at the same instruction where it says so.
static void checkAligned(const struct barrier *b, int thread) {
  int size = simt_launch_of(b->block)->warpSize;
  const struct simt_instruction *at = b->at[thread];
  for (int i = 0; i < b->waiting; ++i) {
    int other = b->threads[i];
    if (other / size == thread / size && b->at[other] != at)
      simt_report(b->block, thread, at,
                  "expected all lanes of a warp at the same barrier, got "
                  "thread %d at the one at %s",
                  other, b->at[other]->place);
  }
}

static bool complete(struct barrier *b) {
  int expected = b->expected ? b->expected : simt_live_threads(b->block);
  if (b->arrived < expected)
    return false;
  for (int i = 1; i < b->waiting; ++i)
    checkAligned(b, b->threads[i]);
  simt_join_threads(b->block, b->threads, b->waiting);
  for (int i = 0; i < b->waiting; ++i)
    simt_acquire(b->block, b->threads[i], &b->sync);
  simt_sync_clear(&b->sync);
  b->result = b->votes;
  b->arrived = b->expected = b->waiting = b->votes = 0;
  ++b->phase;
  return true;
}

static bool isThrough(void *argument) {
  struct arrival *arrival = argument;
  struct barrier *b = arrival->barrier;
  return b->phase != arrival->phase || complete(b);
}

static void endBarriers(void *data) {
  struct barrier *barriers = data;
  for (int i = 0; i < kBarriers; ++i)
    simt_sync_clear(&barriers[i].sync);
}

static struct barrier *findBarrier(struct simt_call *call, uint64_t number) {
  if (number >= kBarriers)
    simt_fail(call, 0, "expected a barrier of 0 to 15, got %llu",
              (unsigned long long)number);
  struct barrier *all = simt_state(
      call->block, &kState, kBarriers * sizeof(struct barrier), endBarriers);
  all[number].block = call->block;
  return &all[number];
}

static void arriveAt(struct simt_call *call, uint64_t number, int expected,
                     bool wait) {
  struct barrier *b = findBarrier(call, number);
  int size = simt_launch_of(call->block)->warpSize, thread = call->first;
  if (expected % size)
    simt_fail(call, 0, "expected a multiple of %d threads, got %d", size,
              expected);
  if (b->arrived && expected != b->expected)
    simt_fail(call, 0,
              "expected %d threads at barrier %llu, as the first that arrived, "
              "got %d",
              b->expected, (unsigned long long)number, expected);
  b->expected = expected;
  ++b->arrived;
  if (!wait) {
    simt_release(call->block, thread, &b->sync);
    complete(b);
    return;
  }
  b->at[thread] = call->instruction;
  b->threads[b->waiting++] = thread;
  struct arrival arrival = {b, b->phase};
  if (!isThrough(&arrival))
    simt_wait(call, isThrough, &arrival, "wait at");
}

/// PTX ISA, "bar.red": no other barriers in the same phase.
static void checkKind(struct simt_call *call, uint64_t number, bool combines) {
  struct barrier *b = findBarrier(call, number);
  if (b->arrived && b->combines != combines)
    simt_fail(call, 0,
              "expected all threads at barrier %llu with a predicate, or none",
              (unsigned long long)number);
  b->combines = combines;
}

/// Intrinsics: `...sync.all(number)`, `...sync.count(number, threads)` and
/// `...arrive.count`; assembly: `bar.sync number, threads`.
static void barrier(struct simt_call *call) {
  int count = call->instruction->operandCount;
  int expected = count > 1 ? (int)simt_number(call, 0, 1) : 0;
  uint64_t number = count ? simt_number(call, 0, 0) : 0;
  checkKind(call, number, /*combines=*/false);
  arriveAt(call, number, expected, !simt_has(call, "arrive"));
}

/// Intrinsics: `...red.{and,or,popc}.aligned.all(number, predicate)` and
/// `...count(number, threads, predicate)`.
static void barrierVote(struct simt_call *call) {
  int count = call->instruction->operandCount;
  int expected = count > 2 ? (int)simt_number(call, 0, 1) : 0;
  uint64_t number = simt_number(call, 0, 0);
  checkKind(call, number, /*combines=*/true);
  struct barrier *b = findBarrier(call, number);
  int threads = expected ? expected : simt_live_threads(call->block);
  b->votes += simt_number(call, 0, count - 1) & 1;
  arriveAt(call, number, expected, /*wait=*/true);
  int result = b->result;
  simt_set(call, 0, 0,
           simt_has(call, "popc")  ? (uint32_t)result
           : simt_has(call, "and") ? result == threads
                                   : result != 0);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

static void syncWarp(struct simt_call *call) {
  int threads[32], count = 0;
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      threads[count++] = call->first + lane;
  simt_join_threads(call->block, threads, count);
}

struct shuffle {
  uint32_t value, distance, clamp;
};

/// PTX ISA, shfl.sync: the lane that is read, and whether it is in range.
static int findSource(const char *mode, int lane, const struct shuffle *s,
                      bool *inRange) {
  int bval = (int)(s->distance & 31), cval = (int)(s->clamp & 31);
  int segment = (int)(s->clamp >> 8 & 31);
  int most = (lane & segment) | (cval & ~segment), least = lane & segment;
  int source;
  if (strcmp(mode, "up") == 0) {
    source = lane - bval;
    *inRange = source >= most;
  } else if (strcmp(mode, "down") == 0) {
    source = lane + bval;
    *inRange = source <= most;
  } else if (strcmp(mode, "bfly") == 0) {
    source = lane ^ bval;
    *inRange = source <= most;
  } else {
    source = least | (bval & ~segment);
    *inRange = source <= most;
  }
  return *inRange ? source : lane;
}

static void shuffleLanes(struct simt_call *call, const char *mode, int value,
                         int distance, int clamp) {
  uint32_t got[32];
  bool inRange[32];
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    struct shuffle s = {simt_word(call, lane, value),
                        simt_word(call, lane, distance),
                        simt_word(call, lane, clamp)};
    int source = findSource(mode, lane, &s, &inRange[lane]);
    if (!call->active[source])
      simt_fail(call, lane,
                "reads lane %d, which is not in the mask of the instruction",
                source);
    got[lane] = simt_word(call, source, value);
  }
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    uint32_t *result = simt_result(call, lane, 0);
    // An intrinsic returns both as one struct; assembly has two results.
    result[0] = got[lane];
    if (call->instruction->resultWords > 1)
      result[1] = inRange[lane];
  }
}

/// llvm.nvvm.shfl.sync.MODE.TYPE(mask, value, distance, clamp)
static void shuffleIntrinsic(struct simt_call *call) {
  shuffleLanes(call, simt_token(call, 4), 1, 2, 3);
}

/// shfl.sync.MODE.b32 d|p, value, distance, clamp, mask
static void shuffleAssembly(struct simt_call *call) {
  shuffleLanes(call, simt_token(call, 2), 0, 1, 2);
}

static void setAll(struct simt_call *call, uint64_t value) {
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane])
      simt_set(call, lane, 0, value);
}

/// The predicate comes behind the mask in intrinsics, before it in assembly.
static void vote(struct simt_call *call) {
  int operand = strcmp(simt_token(call, 0), "llvm") == 0 ? 1 : 0;
  uint32_t ballot = 0, active = 0;
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane]) {
      active |= UINT32_C(1) << lane;
      ballot |= (simt_word(call, lane, operand) & 1) << lane;
    }
  setAll(call, simt_has(call, "all")   ? ballot == active
               : simt_has(call, "any") ? ballot != 0
               : simt_has(call, "uni") ? ballot == 0 || ballot == active
                                       : ballot);
}

/// llvm.nvvm.match.any.sync.TYPE(mask, value): the lanes with the same value.
static void matchAny(struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane) {
    uint32_t same = 0;
    for (int other = 0; call->active[lane] && other < call->lanes; ++other)
      if (call->active[other] &&
          simt_number(call, other, 1) == simt_number(call, lane, 1))
        same |= UINT32_C(1) << other;
    if (call->active[lane])
      simt_set(call, lane, 0, same);
  }
}

static uint32_t reduceTwo(const struct simt_call *call, uint32_t a,
                          uint32_t b) {
  bool less = (int32_t)a < (int32_t)b;
  if (simt_has(call, "add"))
    return a + b;
  if (simt_has(call, "and"))
    return a & b;
  if (simt_has(call, "or"))
    return a | b;
  if (simt_has(call, "xor"))
    return a ^ b;
  if (simt_has(call, "umin"))
    return a < b ? a : b;
  if (simt_has(call, "umax"))
    return a < b ? b : a;
  return simt_has(call, "min") == less ? a : b;
}

/// llvm.nvvm.redux.sync.OP(value, mask)
static void reduceLanes(struct simt_call *call) {
  bool any = false;
  uint32_t all = 0;
  for (int lane = 0; lane < call->lanes; ++lane)
    if (call->active[lane]) {
      uint32_t value = simt_word(call, lane, 0);
      all = any ? reduceTwo(call, all, value) : value;
      any = true;
    }
  setAll(call, all);
}

static void activeMask(struct simt_call *call) {
  uint32_t mask = 0;
  for (int lane = 0; lane < call->lanes; ++lane)
    mask |= (uint32_t)call->active[lane] << lane;
  setAll(call, mask);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// The last token of the name is the scope; that of a cluster counts as wide.
static void fence(struct simt_call *call) {
  const char *scope = strrchr(call->instruction->name, '.');
  uint32_t narrow = strcmp(scope, ".cta") == 0   ? TILE_SIMT_BLOCK
                    : strcmp(scope, ".sys") == 0 ? 0
                                                 : TILE_SIMT_DEVICE;
  simt_fence(call->block, call->first,
             TILE_SIMT_ACQUIRE | TILE_SIMT_RELEASE | narrow);
}

/// red.add.vN.f32 [address], {values}: each element is atomic by itself.
static void addVector(struct simt_call *call) {
  const struct simt_operand *values = &call->instruction->operands[1];
  const uint32_t *words = simt_words(call, 0, 1);
  uint64_t address = simt_number(call, 0, 0);
  struct simt_actor actor = simt_self(call, 0);
  simt_check_space(&actor, address, SIMT_GLOBAL);
  for (uint16_t i = 0; i < values->elements; ++i) {
    size_t align = i ? sizeof(float) : sizeof(float) * values->elements;
    void *at = simt_access(&actor, address + i * sizeof(float), sizeof(float),
                           align, SIMT_READ | SIMT_WRITE | SIMT_ATOMIC);
    float sum;
    memcpy(&sum, at, sizeof(sum));
    sum += simt_as_float(words[i]);
    memcpy(at, &sum, sizeof(sum));
  }
}

/// red.add.noftz[.vN].{f16,bf16}[x2] [address], registers: each half likewise.
static void addHalves(struct simt_call *call) {
  const struct simt_format *half =
      simt_has(call, "bf16x2") || simt_has(call, "bf16") ? &simt_bf16
                                                         : &simt_f16;
  bool isPair = simt_has(call, "bf16x2") || simt_has(call, "f16x2");
  const uint32_t *words = simt_words(call, 0, 1);
  uint64_t address = simt_number(call, 0, 0);
  size_t count =
      (isPair ? 2 : 1) * (size_t)call->instruction->operands[1].elements;
  struct simt_actor actor = simt_self(call, 0);
  simt_check_space(&actor, address, SIMT_GLOBAL);
  for (size_t i = 0; i < count; ++i) {
    uint16_t sum;
    size_t align = i ? sizeof(sum) : sizeof(sum) * count;
    void *at = simt_access(&actor, address + i * sizeof(sum), sizeof(sum),
                           align, SIMT_READ | SIMT_WRITE | SIMT_ATOMIC);
    memcpy(&sum, at, sizeof(sum));
    uint32_t added = words[i / 2] >> 16 * (i % 2) & 0xFFFF;
    sum = (uint16_t)simt_narrow(
        half, (double)simt_widen(half, sum) + simt_widen(half, added), false);
    memcpy(at, &sum, sizeof(sum));
  }
}

/// red.release.sys.global.add.u64 [address], value and the like.
static void addNumber(struct simt_call *call) {
  uint32_t flags = simt_has(call, "release") ? TILE_SIMT_RELEASE : 0;
  int access = SIMT_READ | SIMT_WRITE | SIMT_ATOMIC;
  size_t bytes = simt_has(call, "u64") ? 8 : 4;
  if (simt_has(call, "cta"))
    flags |= TILE_SIMT_BLOCK, access |= SIMT_BLOCK;
  else if (!simt_has(call, "sys"))
    flags |= TILE_SIMT_DEVICE, access |= SIMT_DEVICE;
  uint64_t address = simt_number(call, 0, 0);
  struct simt_actor actor = simt_self(call, 0);
  simt_check_space(&actor, address, SIMT_GLOBAL);
  simt_access(&actor, address, bytes, bytes, access);
  simt_signal(&actor, address, bytes, flags, /*add=*/true,
              simt_number(call, 0, 1));
}

static void sleepSome(struct simt_call *call) { simt_yield(call); }

static void move(struct simt_call *call) {
  simt_set(call, 0, 0, simt_number(call, 0, 0));
}

const struct simt_function simt_nvidia[] = {
    {"llvm.nvvm.read.ptx.sreg.*", SIMT_THREAD, specialRegister, 0, 0, 0},
    {"llvm.nvvm.read.ptx.sreg.lanemask.*", SIMT_THREAD, laneMask, 0, 0, 0},
    {"%tid*", SIMT_THREAD, specialRegister, 0, 0, 0},
    {"%ntid*", SIMT_THREAD, specialRegister, 0, 0, 0},
    {"%ctaid*", SIMT_THREAD, specialRegister, 0, 0, 0},
    {"%nctaid*", SIMT_THREAD, specialRegister, 0, 0, 0},
    {"%laneid", SIMT_THREAD, specialRegister, 0, 0, 0},
    {"%warpid", SIMT_THREAD, specialRegister, 0, 0, 0},
    {"%lanemask_*", SIMT_THREAD, laneMask, 0, 0, 0},
    {"llvm.nvvm.barrier.cta.red.*", SIMT_THREAD, barrierVote, 0, 0, SIMT_SYNC},
    {"llvm.nvvm.barrier.cta.*", SIMT_THREAD, barrier, 0, 0, SIMT_SYNC},
    {"llvm.nvvm.barrier0", SIMT_THREAD, barrier, 0, 0, SIMT_SYNC},
    {"bar.sync", SIMT_THREAD, barrier, 0, 0, SIMT_SYNC},
    {"bar.arrive", SIMT_THREAD, barrier, 0, 0, SIMT_SYNC},
    {"barrier.sync*", SIMT_THREAD, barrier, 0, 0, SIMT_SYNC},
    {"barrier.arrive*", SIMT_THREAD, barrier, 0, 0, SIMT_SYNC},
    {"barrier.cta.*", SIMT_THREAD, barrier, 0, 0, SIMT_SYNC},
    {"llvm.nvvm.bar.warp.sync", SIMT_MASK, syncWarp, 0, 0, SIMT_SYNC},
    {"bar.warp.sync", SIMT_MASK, syncWarp, 0, 0, SIMT_SYNC},
    {"llvm.nvvm.shfl.sync.*", SIMT_MASK, shuffleIntrinsic, 0, 0, 0},
    {"shfl.sync.*", SIMT_MASK, shuffleAssembly, 1, 3, 0},
    {"llvm.nvvm.vote.*", SIMT_MASK, vote, 0, 0, 0},
    {"vote.sync.*", SIMT_MASK, vote, 1, 1, 0},
    {"llvm.nvvm.match.any.sync.*", SIMT_MASK, matchAny, 0, 0, 0},
    {"llvm.nvvm.redux.sync.*", SIMT_MASK, reduceLanes, 0, 1, 0},
    {"llvm.nvvm.activemask", SIMT_ACTIVE, activeMask, 0, 0, 0},
    {"activemask.b32", SIMT_ACTIVE, activeMask, 1, 0, 0},
    {"llvm.nvvm.membar.*", SIMT_THREAD, fence, 0, 0, SIMT_SYNC},
    {"membar.*", SIMT_THREAD, fence, 0, 0, SIMT_SYNC},
    {"fence.acq_rel.*", SIMT_THREAD, fence, 0, 0, SIMT_SYNC},
    {"fence.sc.*", SIMT_THREAD, fence, 0, 0, SIMT_SYNC},
    {"red.relaxed.gpu.global.add.v*", SIMT_THREAD, addVector, 0, 0, 0},
    {"red.relaxed.gpu.global.add.noftz.*", SIMT_THREAD, addHalves, 0, 0, 0},
    {"red.relaxed.sys.global.add.u*", SIMT_THREAD, addNumber, 0, 0, SIMT_SYNC},
    {"red.release.*", SIMT_THREAD, addNumber, 0, 0, SIMT_SYNC},
    {"llvm.nvvm.nanosleep", SIMT_THREAD, sleepSome, 0, 0, 0},
    {"nanosleep.u32", SIMT_THREAD, sleepSome, 0, 0, 0},
    {"llvm.nvvm.prefetch.*", SIMT_THREAD, NULL, 0, 0, 0},
    {"llvm.trap", SIMT_THREAD, simt_trap, 0, 0, 0},
    {"trap", SIMT_THREAD, simt_trap, 0, 0, 0},
    {"vprintf", SIMT_THREAD, simt_vprintf, 0, 0, 0},
    {"__assertfail", SIMT_THREAD, simt_assertfail, 0, 0, 0},
    {"mov.*", SIMT_THREAD, move, 1, 0, 0},
    {0},
};
