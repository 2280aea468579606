// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by a wave: MFMA of gfx90a, gfx942 and gfx950, WMMA of
// gfx11 and gfx12 in waves of 32.
//
// Which element is in which register: AMD's matrix instruction calculator
// (ROCm/amd_matrix_instruction_calculator) for CDNA2, CDNA3, RDNA3 and RDNA4;
// for the longer forms of gfx950, whose lanes have twice as many consecutive
// elements, and for f8f6f4, "Matrix Core Programming on AMD CDNA3 and CDNA4
// architecture" (ROCm blogs, 2025), sections 5.4 and 5.5.
//
// Arithmetic: products are exact, the sum along K is one of doubles, and is
// rounded once together with the accumulator. Hardware rounds more often.
// gfx90a takes subnormal f16 and bf16 for zero, and flushes the sums: PyTorch's
// "Reduced Precision FP16 and BF16 GEMMs and Convolutions on AMD Instinct MI200
// devices".

#include "amd_number.h"
#include "instruction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVE = 64, MAX_PART = 2048 };

enum family { MFMA, WMMA_GFX11, WMMA_GFX12 };

/// D = A x B + C, in each of `blocks` products of m x n x k.
struct matrix {
  enum family family;
  int lanes, m, n, k, blocks;
  enum amd_number a, b;
  enum { SUM_F32, SUM_F64, SUM_I32 } sum;
  double smallest; ///< what is smaller is zero
};

/// Places of operands.
struct places {
  int a, b, c;
};

/// The elements of a wave; too large for the stack of a thread.
static _Thread_local struct {
  double a[MAX_PART], b[MAX_PART]; ///< [block][row][k], [block][k][column]
  double d[MAX_PART];              ///< [block][row][column]
} wave;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Elements of A or B in a lane.
static int elements_of_lane(const struct matrix *x) {
  return x->family == WMMA_GFX11 ? x->k : x->k * x->m * x->blocks / x->lanes;
}

/// The place along K of an element of a lane, of which `group` is the number
/// among those with the same row.
static int get_depth(const struct matrix *x, int bits, int group, int element) {
  // Lanes of both halves have the same.
  if (x->family == WMMA_GFX11)
    return element;
  int each = elements_of_lane(x);
  // Two runs of 16 bytes.
  if (x->family == MFMA && bits == 8 && each == 32)
    return element / 16 * (x->k / 2) + group * 16 + element % 16;
  if (x->family == WMMA_GFX12 && bits == 16)
    return element / 4 * 8 + group * 4 + element % 4;
  return group * each + element;
}

struct place {
  int block, row, column;
};

/// What register `index` of a lane has of C and D.
static struct place get_sum_place(const struct matrix *x, int lane, int index) {
  if (x->family == WMMA_GFX11)
    return (struct place){0, index * 2 + lane / 16, lane % 16};
  if (x->family == WMMA_GFX12)
    return (struct place){0, lane / 16 * 8 + index, lane % 16};
  if (x->m == 4)
    return x->sum == SUM_F64 ? (struct place){lane / 4 % 4, lane / 16, lane % 4}
                             : (struct place){lane / 4, index, lane % 4};
  if (x->sum == SUM_F64)
    return (struct place){0, index * 4 + lane / 16, lane % 16};
  if (x->m == 16)
    return (struct place){index / 4, lane / 16 * 4 + index % 4, lane % 16};
  return (struct place){
      index / 16, index / 4 % 4 * 8 + lane / 32 * 4 + index % 4, lane % 32};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static double flush(const struct matrix *x, double value) {
  return fabs(value) < x->smallest ? 0 : value;
}

static bool is_narrow_float(enum amd_number type) {
  return type == AMD_F16 || type == AMD_BF16;
}

/// A or B: lanes have vectors along K.
static void load_operand(const struct simt_call *call, const struct matrix *x,
                         int operand, bool isA) {
  enum amd_number type = isA ? x->a : x->b;
  int side = isA ? x->m : x->n, each = elements_of_lane(x);
  int bits = amd_number_bits(type);
  double limit = !x->smallest || !is_narrow_float(type) ? 0
                 : type == AMD_F16                      ? 0x1p-14
                                                        : x->smallest;
  for (int lane = 0; lane < x->lanes; ++lane) {
    const uint32_t *words = simt_words(call, lane, operand);
    int outer = lane % side, block = lane / side % x->blocks;
    int group = lane / (side * x->blocks);
    if (x->family == WMMA_GFX11 && group)
      for (int word = 0; word < each * bits / 32; ++word)
        if (words[word] != simt_words(call, outer, operand)[word])
          simt_fail(call, lane,
                    "expected lanes %d and %d to hold the same row, got "
                    "0x%08x and 0x%08x in register %d of operand %d",
                    outer, lane, simt_words(call, outer, operand)[word],
                    words[word], word, operand);
    for (int i = 0; i < each; ++i) {
      int depth = get_depth(x, bits, group, i);
      double value = amd_number_read(type, words, i);
      if (fabs(value) < limit)
        value = 0;
      if (isA)
        wave.a[(block * x->m + outer) * x->k + depth] = value;
      else
        wave.b[(block * x->k + depth) * x->n + outer] = value;
    }
  }
}

static void multiply(const struct matrix *x) {
  memset(wave.d, 0, sizeof wave.d);
  for (int row = 0; row < x->blocks * x->m; ++row) {
    double *d = wave.d + row * x->n;
    const double *b = wave.b + row / x->m * x->k * x->n;
    for (int depth = 0; depth < x->k; ++depth, b += x->n) {
      double a = wave.a[row * x->k + depth];
      for (int column = 0; column < x->n; ++column)
        d[column] += a * b[column];
    }
  }
}

static void store_sums(const struct simt_call *call, const struct matrix *x,
                       int operand) {
  int each = x->m * x->n * x->blocks / x->lanes;
  for (int lane = 0; lane < x->lanes; ++lane) {
    const uint32_t *c = simt_words(call, lane, operand);
    uint32_t *d = simt_result(call, lane, 0);
    for (int i = 0; i < each; ++i) {
      struct place at = get_sum_place(x, lane, i);
      double product = wave.d[(at.block * x->m + at.row) * x->n + at.column];
      if (x->sum == SUM_I32) {
        d[i] = c[i] + (uint32_t)(int64_t)product;
      } else if (x->sum == SUM_F64) {
        product += amd_number_read(AMD_F64, c, i);
        memcpy(d + 2 * i, &product, sizeof product);
      } else {
        double start = flush(x, amd_number_read(AMD_F32, c, i));
        float sum = (float)flush(x, (float)(start + product));
        memcpy(d + i, &sum, sizeof sum);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool has_fnuz(const char *chip) { return !strncmp(chip, "gfx94", 5); }

/// The element type that a part of a name says, without the numbers before it.
static bool parse_type(const char *text, const char *chip,
                       enum amd_number *type) {
  static const struct {
    const char *name;
    enum amd_number type, fnuz;
  } types[] = {{"f64", AMD_F64, AMD_F64},     {"f32", AMD_F32, AMD_F32},
               {"xf32", AMD_XF32, AMD_XF32},  {"f16", AMD_F16, AMD_F16},
               {"bf16", AMD_BF16, AMD_BF16},  {"i8", AMD_I8, AMD_I8},
               {"iu8", AMD_U8, AMD_U8},       {"fp8", AMD_FP8, AMD_FP8_FNUZ},
               {"bf8", AMD_BF8, AMD_BF8_FNUZ}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (!strcmp(text, types[i].name)) {
      *type = has_fnuz(chip) ? types[i].fnuz : types[i].type;
      return true;
    }
  return false;
}

/// [scale.] sum . MxNxK [type] [. type [. type]]: from the part at `first` on.
static bool parse_name(const struct simt_call *call, int first,
                       struct matrix *x) {
  const char *chip = simt_launch_of(call->block)->chip;
  const char *sum = simt_token(call, first);
  const char *sizes = simt_token(call, first + 1);
  int used = 0;
  if (sscanf(sizes, "%dx%dx%d%n", &x->m, &x->n, &x->k, &used) != 3)
    return false;
  x->sum = !strcmp(sum, "i32")   ? SUM_I32
           : !strcmp(sum, "f64") ? SUM_F64
                                 : SUM_F32;
  if (x->sum == SUM_F32 && strcmp(sum, "f32"))
    return false;
  const char *a = sizes[used] ? sizes + used : simt_token(call, first + 2);
  const char *b = simt_token(call, first + 3);
  if (!strcmp(a, "f8f6f4"))
    return true;
  if (!parse_type(a, chip, &x->a))
    return false;
  if (!parse_type(b, chip, &x->b))
    x->b = x->a;
  return true;
}

static bool get_matrix(const struct simt_call *call, int first,
                       struct matrix *x) {
  const char *chip = simt_launch_of(call->block)->chip;
  x->lanes = call->lanes;
  if (!parse_name(call, first, x))
    return false;
  const struct simt_operand *result = &call->instruction->results[0];
  int sums = result->words / (x->sum == SUM_F64 ? 2 : 1);
  x->blocks = sums * x->lanes / (x->m * x->n);
  x->smallest = !strcmp(chip, "gfx90a") && is_narrow_float(x->a) ? 0x1p-126 : 0;
  return true;
}

/// Products take the whole wave; a lane that is missing has no registers.
static void expect_all_lanes(const struct simt_call *call) {
  for (int lane = 0; lane < call->lanes; ++lane)
    if (!call->active[lane])
      simt_fail(call, lane,
                "expected all lanes of the wave, but lane %d is "
                "not here",
                lane);
}

static void run_product(const struct simt_call *call, const struct matrix *x,
                        struct places places) {
  load_operand(call, x, places.a, true);
  load_operand(call, x, places.b, false);
  multiply(x);
  store_sums(call, x, places.c);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static void run_mfma(struct simt_call *call) {
  struct matrix x = {.family = MFMA};
  expect_all_lanes(call);
  if (call->lanes != WAVE || !get_matrix(call, 3, &x))
    simt_fail(call, -1, "the model has no '%s'", call->instruction->name);
  for (int operand = 3; operand < 6; ++operand)
    if (simt_word(call, 0, operand))
      simt_fail(call, -1,
                "the model has no broadcast, permutation or negation of "
                "operands in '%s', got %u in operand %d",
                call->instruction->name, simt_word(call, 0, operand), operand);
  run_product(call, &x, (struct places){0, 1, 2});
}

/// Multiplies 32 elements along K by a power of two: each lane has the exponent
/// of its row, or column, and of the block of its number among these lanes.
static void scale_operand(const struct simt_call *call, const struct matrix *x,
                          int select, bool isA) {
  int side = isA ? x->m : x->n;
  unsigned byte = simt_word(call, 0, select) & 3;
  for (int lane = 0; lane < x->lanes; ++lane) {
    int outer = lane % side, first = lane / side * 32;
    uint32_t code = simt_word(call, lane, select + 1) >> (8 * byte) & 0xff;
    double scale = code == 0xff ? NAN : ldexp(1, (int)code - 127);
    for (int depth = first; depth < first + 32; ++depth)
      if (isA)
        wave.a[outer * x->k + depth] *= scale;
      else
        wave.b[depth * x->n + outer] *= scale;
  }
}

/// Scales that are constants of zero select the form without scales.
static bool is_scaled(const struct simt_call *call) {
  for (int operand = 5; operand < 9; ++operand)
    for (int lane = 0; lane < call->lanes; ++lane)
      if (simt_word(call, lane, operand))
        return true;
  return false;
}

static void run_scaled_mfma(struct simt_call *call) {
  static const enum amd_number types[] = {AMD_FP8, AMD_BF8, AMD_FP6, AMD_BF6,
                                          AMD_FP4};
  struct matrix x = {.family = MFMA};
  expect_all_lanes(call);
  if (call->lanes != WAVE || !get_matrix(call, 4, &x))
    simt_fail(call, -1, "the model has no '%s'", call->instruction->name);
  for (int i = 0; i < 2; ++i) {
    uint32_t code = simt_word(call, 0, 3 + i);
    if (code > 4)
      simt_fail(call, -1,
                "expected a type of elements from 0 to 4, got %u in "
                "operand %d",
                code, 3 + i);
    *(i ? &x.b : &x.a) = types[code];
    int expected = 32 * amd_number_bits(types[code]) / 32;
    int words = call->instruction->operands[i].words;
    if (words < expected)
      simt_fail(call, -1, "expected %d registers in operand %d, got %d",
                expected, i, words);
  }
  load_operand(call, &x, 0, true);
  load_operand(call, &x, 1, false);
  if (is_scaled(call)) {
    scale_operand(call, &x, 5, true);
    scale_operand(call, &x, 7, false);
  }
  multiply(&x);
  store_sums(call, &x, 2);
}

static void run_wmma(struct simt_call *call) {
  const char *chip = simt_launch_of(call->block)->chip;
  struct matrix x = {.family =
                         strncmp(chip, "gfx11", 5) ? WMMA_GFX12 : WMMA_GFX11};
  expect_all_lanes(call);
  if (call->lanes != 32 || !get_matrix(call, 3, &x))
    simt_fail(call, -1, "the model has no '%s'", call->instruction->name);
  bool integers = x.sum == SUM_I32;
  if (integers) {
    if (simt_word(call, 0, 5))
      simt_fail(call, -1, "the model has no saturating '%s'",
                call->instruction->name);
    x.a = simt_word(call, 0, 0) ? AMD_I8 : AMD_U8;
    x.b = simt_word(call, 0, 2) ? AMD_I8 : AMD_U8;
  }
  run_product(call, &x,
              integers ? (struct places){1, 3, 4} : (struct places){0, 1, 2});
}

const struct simt_function simt_amd_mfma[] = {
    {"llvm.amdgcn.mfma.*", SIMT_ACTIVE, run_mfma, 0, 0, 0},
    {"llvm.amdgcn.mfma.scale.*", SIMT_ACTIVE, run_scaled_mfma, 0, 0, 0},
    {"llvm.amdgcn.wmma.*", SIMT_ACTIVE, run_wmma, 0, 0, 0},
    {0},
};
