// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD GPUs: where a thread is, barriers and waits, arithmetic.
//
// Sources: [isa] CDNA3, RDNA3 and CDNA4 instruction set architecture, the
// entries of the instructions that the comments name; [llvm] User Guide for
// AMDGPU Backend; llvm/IR/IntrinsicsAMDGPU.td.

#include "amd.h"
#include "amd_number.h"
#include "debug.h"

#include <math.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Where a thread is
//===----------------------------------------------------------------------===//

/// workitem.id.x, workgroup.id.y ...
static uint32_t get_component(const struct simt_call *call,
                              struct simt_dim dim) {
  char name = *simt_token(call, call->instruction->tokenCount - 1);
  return name == 'x' ? dim.x : name == 'y' ? dim.y : dim.z;
}

static void run_workitem_id(struct simt_call *call) {
  simt_set(call, 0, 0,
           get_component(call, simt_thread_index(call->block, call->first)));
}

static void run_workgroup_id(struct simt_call *call) {
  simt_set(call, 0, 0, get_component(call, simt_block_index(call->block)));
}

static void run_wavefrontsize(struct simt_call *call) {
  simt_set(call, 0, 0, (uint32_t)simt_launch_of(call->block)->warpSize);
}

/// [llvm] "Code Object V5 Kernel Argument Metadata": what a dispatch adds
/// behind the arguments.
struct implicit_arguments {
  uint32_t blockCount[3];
  uint16_t groupSize[3], remainder[3];
  uint8_t rest[232];
};

static void run_implicitarg(struct simt_call *call) {
  static const char key;
  const struct simt_launch *launch = simt_launch_of(call->block);
  struct implicit_arguments *arguments =
      simt_state(call->block, &key, sizeof *arguments, NULL);
  struct simt_dim grid = launch->grid, block = launch->block;
  memcpy(arguments->blockCount, &grid, sizeof arguments->blockCount);
  arguments->groupSize[0] = (uint16_t)block.x;
  arguments->groupSize[1] = (uint16_t)block.y;
  arguments->groupSize[2] = (uint16_t)block.z;
  simt_set(call, 0, 0, (uint64_t)(uintptr_t)arguments);
}

//===----------------------------------------------------------------------===//
// Barriers and waits
//===----------------------------------------------------------------------===//

enum { MAX_WAVES = 32 };

struct barrier {
  uint64_t generation;
  /// Where the lanes of each wave are.
  const struct simt_instruction *at[MAX_WAVES];
  int arrived;
  int threads[]; ///< that have arrived
};

struct arrival {
  struct simt_block *block;
  struct barrier *barrier;
  uint64_t generation;
};

/// Opens the barrier when the last thread has arrived, or returned.
static bool is_open(void *argument) {
  struct arrival *arrival = argument;
  struct barrier *barrier = arrival->barrier;
  if (barrier->generation != arrival->generation)
    return true;
  if (barrier->arrived < simt_live_threads(arrival->block))
    return false;
  struct simt_sync all = {0};
  for (int i = 0; i < barrier->arrived; ++i)
    simt_leave_fenced(arrival->block, barrier->threads[i], &all);
  for (int i = 0; i < barrier->arrived; ++i)
    simt_take_at_fence(arrival->block, barrier->threads[i], &all);
  simt_sync_clear(&all);
  memset(barrier->at, 0, sizeof barrier->at);
  barrier->arrived = 0;
  ++barrier->generation;
  return true;
}

/// S_BARRIER orders no memory: the fences around it do, for which LLVM waits.
/// It is one of waves: what a part of a wave does at another barrier would
/// count twice.
static void run_barrier(struct simt_call *call) {
  static const char key;
  const struct simt_launch *launch = simt_launch_of(call->block);
  struct barrier *barrier =
      simt_state(call->block, &key,
                 sizeof *barrier + sizeof(int) * (size_t)launch->threads, NULL);
  int wave = call->first / launch->warpSize;
  if (barrier->at[wave] && barrier->at[wave] != call->instruction)
    simt_fail(call, 0,
              "expected all lanes of wave %d at one barrier, but others are at "
              "that of %s",
              wave, barrier->at[wave]->place);
  barrier->at[wave] = call->instruction;
  barrier->threads[barrier->arrived++] = call->first;
  struct arrival arrival = {call->block, barrier, barrier->generation};
  if (!is_open(&arrival))
    simt_wait(call, is_open, &arrival, "s_barrier");
}

/// S_WAITCNT: how many loads, and how many accesses of LDS, may be under way
/// still. [isa] "S_WAITCNT". Without accesses of LDS under way, the waves of
/// the block have seen what this one wrote: that is what a fence of the
/// workgroup waits for ([llvm] "Memory Model GFX942").
static void run_waitcnt(struct simt_call *call) {
  const char *chip = simt_launch_of(call->block)->chip;
  uint32_t counts = simt_word(call, simt_amd_first(call), 0);
  bool isGfx11 = strncmp(chip, "gfx11", 5) == 0;
  unsigned loads =
      isGfx11 ? counts >> 10 & 63 : (counts & 15) | (counts >> 14 & 3) << 4;
  unsigned accesses = isGfx11 ? counts >> 4 & 63 : counts >> 8 & 15;
  for (int lane = 0; lane < call->lanes; ++lane) {
    if (!call->active[lane])
      continue;
    simt_amd_wait_loads(call, lane, loads);
    if (accesses == 0)
      simt_fence(call->block, call->first + lane,
                 TILE_SIMT_RELEASE | TILE_SIMT_BLOCK);
  }
}

/// S_SLEEP: lets others run.
static void run_sleep(struct simt_call *call) { simt_yield(call); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static float get_float(const struct simt_call *call, int operand) {
  uint32_t bits = simt_word(call, 0, operand);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t to_word(double number) {
  float value = (float)number;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double flush(double value) {
  return fabs(value) < 0x1p-126 ? copysign(0, value) : value;
}

static const double PI = 3.141592653589793;

static double rcp(double x) { return 1 / x; }
static double rsq(double x) { return 1 / sqrt(x); }
static double sin_turns(double x) { return sin(x * 2 * PI); }
static double cos_turns(double x) { return cos(x * 2 * PI); }
static double fract(double x) { return fmin(x - floor(x), 0x1.fffffep-1); }

/// V_EXP_F32 and others: within 1 ULP of the result, which the model rounds to
/// nearest; subnormal numbers are zero before and after.
static void run_function(struct simt_call *call) {
  static const struct {
    const char *name;
    double (*function)(double);
  } functions[] = {{"exp2", exp2},     {"log", log2},   {"rcp", rcp},
                   {"rsq", rsq},       {"sqrt", sqrt},  {"sin", sin_turns},
                   {"cos", cos_turns}, {"fract", fract}};
  const char *name = simt_token(call, 2), *type = simt_token(call, 3);
  size_t i = 0;
  while (strcmp(name, functions[i].name))
    ++i;
  if (!strcmp(type, "f64")) {
    uint64_t bits = simt_number(call, 0, 0);
    double value;
    memcpy(&value, &bits, sizeof value);
    value = functions[i].function(value);
    memcpy(&bits, &value, sizeof bits);
    simt_set(call, 0, 0, bits);
  } else if (!strcmp(type, "f32")) {
    double value = functions[i].function(flush(get_float(call, 0)));
    simt_set(call, 0, 0, to_word(flush(value)));
  } else {
    simt_fail(call, 0, "the model has no '%s'", call->instruction->name);
  }
}

/// V_MED3_F32: the least where one is NaN.
static void run_med3(struct simt_call *call) {
  float a = get_float(call, 0), b = get_float(call, 1), c = get_float(call, 2);
  float low = fminf(a, b), high = fmaxf(a, b);
  float result = isnan(a) || isnan(b) || isnan(c) ? fminf(low, c)
                                                  : fmaxf(low, fminf(high, c));
  simt_set(call, 0, 0, to_word(result));
}

/// V_PERM_B32: each byte of the last operand names one of eight: 0 to 3 of the
/// second operand, 4 to 7 of the first; 8 to 11 repeat a sign, 12 is 0, and
/// what is larger 0xff.
static void run_perm(struct simt_call *call) {
  uint64_t bytes =
      (uint64_t)simt_word(call, 0, 0) << 32 | simt_word(call, 0, 1);
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t select = simt_word(call, 0, 2) >> (8 * i) & 0xff, byte = 0xff;
    if (select < 8)
      byte = (uint32_t)(bytes >> (8 * select)) & 0xff;
    else if (select < 12)
      byte = bytes >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
    else if (select == 12)
      byte = 0;
    result |= byte << (8 * i);
  }
  simt_set(call, 0, 0, result);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// V_CVT_PKRTZ_F16_F32: cuts off what f16 has no bits for.
static uint32_t to_f16_toward_zero(float value) {
  uint32_t bits, sign;
  memcpy(&bits, &value, sizeof bits);
  sign = bits >> 16 & 0x8000;
  if (isnan(value))
    return sign | 0x7e00;
  double size = fabs((double)value);
  if (size >= 65536)
    return sign | (isinf(value) ? 0x7c00 : 0x7bff);
  if (size < 0x1p-14)
    return sign | (uint32_t)(size * 0x1p24);
  return sign | (((bits & 0x7fffffff) - (112u << 23)) >> 13);
}

static void run_pkrtz(struct simt_call *call) {
  simt_set(call, 0, 0,
           to_f16_toward_zero(get_float(call, 0)) |
               to_f16_toward_zero(get_float(call, 1)) << 16);
}

static enum amd_number get_float8(const struct simt_call *call) {
  bool fnuz = !strncmp(simt_launch_of(call->block)->chip, "gfx94", 5);
  if (simt_has(call, "fp8"))
    return fnuz ? AMD_FP8_FNUZ : AMD_FP8;
  return fnuz ? AMD_BF8_FNUZ : AMD_BF8;
}

/// cvt.f32.fp8: (bytes, which)
static void run_cvt_from_float8(struct simt_call *call) {
  uint32_t bytes = simt_word(call, 0, 0);
  simt_set(call, 0, 0,
           to_word(amd_number_read(get_float8(call), &bytes,
                                   (int)(simt_word(call, 0, 1) & 3))));
}

/// cvt.pk.f32.fp8: (bytes, which half)
static void run_cvt_pair_from_float8(struct simt_call *call) {
  uint32_t bytes = simt_word(call, 0, 0);
  int first = simt_word(call, 0, 1) & 1 ? 2 : 0;
  for (int i = 0; i < 2; ++i)
    simt_result(call, 0, 0)[i] =
        to_word(amd_number_read(get_float8(call), &bytes, first + i));
}

/// cvt.pk.fp8.f32: (first, second, old, which half)
static void run_cvt_pair_to_float8(struct simt_call *call) {
  enum amd_number type = get_float8(call);
  uint32_t pair = amd_number_write8(type, get_float(call, 0), NULL) |
                  (uint32_t)amd_number_write8(type, get_float(call, 1), NULL)
                      << 8;
  uint32_t old = simt_word(call, 0, 2);
  bool high = simt_word(call, 0, 3) & 1;
  simt_set(call, 0, 0,
           high ? (old & 0xffff) | pair << 16 : (old & 0xffff0000) | pair);
}

/// cvt.sr.fp8.f32: (value, random bits, old, which byte)
static void run_cvt_stochastic(struct simt_call *call) {
  uint32_t random = simt_word(call, 0, 1), old = simt_word(call, 0, 2);
  unsigned at = 8 * (simt_word(call, 0, 3) & 3);
  uint32_t byte =
      amd_number_write8(get_float8(call), get_float(call, 0), &random);
  simt_set(call, 0, 0, (old & ~(0xffu << at)) | byte << at);
}

const struct simt_function simt_amd[] = {
    {"llvm.trap", SIMT_THREAD, simt_trap, 0, 0, 0},
    {"llvm.amdgcn.workitem.id.*", SIMT_THREAD, run_workitem_id, 0, 0, 0},
    {"llvm.amdgcn.workgroup.id.*", SIMT_THREAD, run_workgroup_id, 0, 0, 0},
    {"llvm.amdgcn.implicitarg.ptr", SIMT_THREAD, run_implicitarg, 0, 0, 0},
    {"llvm.amdgcn.wavefrontsize", SIMT_THREAD, run_wavefrontsize, 0, 0, 0},
    {"llvm.amdgcn.s.barrier", SIMT_THREAD, run_barrier, 0, 0, SIMT_SYNC},
    {"llvm.amdgcn.s.waitcnt", SIMT_ACTIVE, run_waitcnt, 0, 0, SIMT_SYNC},
    {"llvm.amdgcn.s.sleep", SIMT_THREAD, run_sleep, 0, 0, 0},
    // Hints to the scheduler of instructions or of waves.
    {"llvm.amdgcn.s.setprio", SIMT_THREAD, NULL, 0, 0, 0},
    {"llvm.amdgcn.s.nop", SIMT_THREAD, NULL, 0, 0, 0},
    {"llvm.amdgcn.sched.*", SIMT_THREAD, NULL, 0, 0, 0},
    {"llvm.amdgcn.iglp.opt", SIMT_THREAD, NULL, 0, 0, 0},
    {"llvm.amdgcn.wave.barrier", SIMT_THREAD, NULL, 0, 0, 0},
    {"llvm.amdgcn.exp2.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.log.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.rcp.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.rsq.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.sqrt.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.sin.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.cos.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.fract.*", SIMT_THREAD, run_function, 0, 0, 0},
    {"llvm.amdgcn.fmed3.f32", SIMT_THREAD, run_med3, 0, 0, 0},
    {"llvm.amdgcn.perm", SIMT_THREAD, run_perm, 0, 0, 0},
    {"llvm.amdgcn.cvt.pkrtz", SIMT_THREAD, run_pkrtz, 0, 0, 0},
    {"llvm.amdgcn.cvt.f32.fp8", SIMT_THREAD, run_cvt_from_float8, 0, 0, 0},
    {"llvm.amdgcn.cvt.f32.bf8", SIMT_THREAD, run_cvt_from_float8, 0, 0, 0},
    {"llvm.amdgcn.cvt.pk.f32.fp8", SIMT_THREAD, run_cvt_pair_from_float8, 0, 0,
     0},
    {"llvm.amdgcn.cvt.pk.f32.bf8", SIMT_THREAD, run_cvt_pair_from_float8, 0, 0,
     0},
    {"llvm.amdgcn.cvt.pk.fp8.f32", SIMT_THREAD, run_cvt_pair_to_float8, 0, 0,
     0},
    {"llvm.amdgcn.cvt.pk.bf8.f32", SIMT_THREAD, run_cvt_pair_to_float8, 0, 0,
     0},
    {"llvm.amdgcn.cvt.sr.fp8.f32", SIMT_THREAD, run_cvt_stochastic, 0, 0, 0},
    {"llvm.amdgcn.cvt.sr.bf8.f32", SIMT_THREAD, run_cvt_stochastic, 0, 0, 0},
    {0},
};
