// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync and mma.sp. Fragments from the PTX ISA, "Matrix Fragments for mma.m16n8k16 ..."
// and its neighbours, which share one pattern: with group = lane / 4, t = lane
// % 4 and e elements in a 32-bit register,
//   A: register r has row group + 8 * (r % 2), columns e * t + 4 * e * (r / 2)
//   ... B: register r has column group, rows e * t + 4 * e * r ... C: element i
//   has row group + 8 * (i / 2), column 2 * t + i % 2
// A sparse A has the fragment of its stored elements, B that of twice as many
// rows; the metadata are described in nvidia_matrix.h.
// Products are exact; their sum is that of doubles, rounded once when it is
// added to the accumulator. Hardware rounds between, in an order that is not
// documented.

#include "instruction.h"
#include "numeric.h"
#include "nvidia_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type {
  kNone,
  kF16,
  kBF16,
  kTF32,
  kF32,
  kF64,
  kE4M3,
  kE5M2,
  kE2M3,
  kE3M2,
  kE2M1,
  kS8,
  kU8,
  kS4,
  kU4,
  kS32
};

static const struct {
  const char *name;
  enum type type;
  int bits;
} types[] = {{"f16", kF16, 16},  {"bf16", kBF16, 16}, {"tf32", kTF32, 32},
             {"f32", kF32, 32},  {"f64", kF64, 64},   {"e4m3", kE4M3, 8},
             {"e5m2", kE5M2, 8}, {"e2m3", kE2M3, 8},  {"e3m2", kE3M2, 8},
             {"e2m1", kE2M1, 8}, {"s8", kS8, 8},      {"u8", kU8, 8},
             {"s4", kS4, 4},     {"u4", kU4, 4},      {"s32", kS32, 32}};

enum { kMostK = 64, kM = 16, kN = 8 };

/// What a name says: d = a * b + c.
struct shape {
  int m, n, k;
  bool sparse;
  enum type d, a, b, c;
  int abits, bbits, dbits, cbits;
};

static enum type findType(const char *name, int *bits) {
  for (size_t i = 0; i < sizeof(types) / sizeof(*types); ++i)
    if (strcmp(types[i].name, name) == 0) {
      *bits = types[i].bits;
      return types[i].type;
    }
  return kNone;
}

static void parseName(const struct simt_call *call, struct shape *s) {
  memset(s, 0, sizeof(*s));
  int next = 0;
  for (int i = 0; i < call->instruction->tokenCount; ++i) {
    const char *token = simt_token(call, i);
    int bits = 0;
    if (token[0] == 'm' && token[1] >= '0' && token[1] <= '9') {
      char *end;
      s->m = (int)strtol(token + 1, &end, 10);
      s->n = (int)strtol(end + 1, &end, 10);
      s->k = (int)strtol(end + 1, &end, 10);
    }
    enum type type = s->m ? findType(token, &bits) : kNone;
    if (type == kNone)
      continue;
    if (next == 0)
      s->d = type, s->dbits = bits;
    else if (next == 1)
      s->a = type, s->abits = bits;
    else if (next == 2)
      s->b = type, s->bbits = bits;
    else
      s->c = type, s->cbits = bits;
    ++next;
  }
  bool f8f6f4 = simt_has(call, "kind::f8f6f4");
  s->sparse =
      simt_has(call, "sp") || simt_has(call, "sp::ordered_metadata");
  // Of 256 bits of stored elements in a row.
  bool isOther = s->sparse && (s->abits < 8 || s->k * s->abits != 512);
  if (isOther || s->m != kM || s->n != kN || s->k > kMostK || next != 4 ||
      s->d == kF64 || simt_has(call, "block_scale") ||
      !simt_has(call, "row") || !simt_has(call, "col") ||
      (!f8f6f4 && (s->a == kE2M3 || s->a == kE3M2 || s->a == kE2M1)))
    simt_fail(call, -1, "this matrix product is not modelled");
}

/// A value of small floats. Elements of 4 and 6 bits of kind::f8f6f4 have a
/// byte each, the bits of e2m1 at 2 to 5.
static double widen(enum type type, uint32_t bits) {
  static float halves[1 << 16], e4m3[1 << 8], e5m2[1 << 8];
  static bool filled;
  if (!filled) {
    for (uint32_t i = 0; i < 1 << 16; ++i)
      halves[i] = simt_widen(&simt_f16, i);
    for (uint32_t i = 0; i < 1 << 8; ++i) {
      e4m3[i] = simt_widen(&simt_e4m3, i);
      e5m2[i] = simt_widen(&simt_e5m2, i);
    }
    filled = true;
  }
  switch (type) {
  case kF16:
    return (double)halves[bits];
  case kBF16:
    return (double)simt_as_float(bits << 16);
  case kTF32:
    return (double)simt_as_float(bits & ~UINT32_C(0x1FFF));
  case kE4M3:
    return (double)e4m3[bits];
  case kE5M2:
    return (double)e5m2[bits];
  case kE2M3:
    return (double)simt_widen(&simt_e2m3, bits & 63);
  case kE3M2:
    return (double)simt_widen(&simt_e3m2, bits & 63);
  case kE2M1:
    return (double)simt_widen(&simt_e2m1, bits >> 2 & 15);
  case kS8:
    return (double)(int8_t)bits;
  case kU8:
    return (double)(uint8_t)bits;
  case kS4:
    return (double)((int32_t)(bits << 28) >> 28);
  case kU4:
    return (double)(bits & 15);
  default:
    return 0;
  }
}

static uint32_t getElement(const uint32_t *words, int bits, int index) {
  int perWord = 32 / bits;
  uint32_t mask = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
  return words[index / perWord] >> index % perWord * bits & mask;
}

/// Spreads the stored elements of the rows, and says where they are. Places that
/// do not ascend are undefined behaviour.
static void expand(struct simt_call *call, const struct shape *s,
                   double a[kM][kMostK], bool isStored[kM][kMostK]) {
  int selector = (int)simt_words(call, 0, 4)[0];
  if (selector < 0 || selector > (s->abits == 8 ? 0 : 1))
    simt_fail(call, -1, "a sparsity selector of %d", selector);
  unsigned bytes = (unsigned)s->abits / 8;
  int size = s->abits == 32 ? 2 : 4;
  for (unsigned row = 0; row < kM; ++row) {
    float stored[kMostK], dense[kMostK];
    uint8_t places[kMostK];
    for (int i = 0; i < s->k / 2; ++i)
      stored[i] = (float)a[row][i];
    for (unsigned group = 0; (int)group < s->k / size; ++group) {
      int lane = (int)nv_metadata_lane(row, group, bytes, (unsigned)selector);
      places[group] = simt_words(call, lane, 3)[0] >>
                          nv_metadata_shift(row, group, bytes) &
                      15;
      if (!nv_metadata_legal(places[group], bytes))
        simt_fail(call, lane,
                  "metadata %u of group %u of row %u, whose places do not "
                  "ascend",
                  places[group], group, row);
    }
    nv_metadata_spread(places, (unsigned)(s->k / size), bytes, stored, dense,
                       isStored[row]);
    for (int i = 0; i < s->k; ++i)
      a[row][i] = (double)dense[i];
  }
}

static void multiply(struct simt_call *call) {
  struct shape s;
  parseName(call, &s);
  static double a[kM][kMostK], b[kMostK][kN];
  static bool isStored[kM][kMostK];
  int storedK = s.sparse ? s.k / 2 : s.k;
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, t = lane % 4;
    const uint32_t *words = simt_words(call, lane, 0);
    int e = 32 / s.abits, count = s.m * storedK / 32;
    for (int i = 0; i < count; ++i) {
      int r = i / e, column = e * t + i % e + r / 2 * 4 * e;
      a[group + r % 2 * 8][column] = widen(s.a, getElement(words, s.abits, i));
    }
    words = simt_words(call, lane, 1);
    e = 32 / s.bbits;
    count = s.n * s.k / 32;
    for (int i = 0; i < count; ++i)
      b[e * t + i % e + i / e * 4 * e][group] =
          widen(s.b, getElement(words, s.bbits, i));
  }
  if (s.sparse)
    expand(call, &s, a, isStored);
  for (int lane = 0; lane < 32; ++lane) {
    const uint32_t *in = simt_words(call, lane, 2);
    uint32_t *out = simt_result(call, lane, 0);
    for (int i = 0; i < 4; ++i) {
      int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum = 0;
      for (int k = 0; k < s.k; ++k)
        sum += s.sparse && !isStored[row][k] ? 0 : a[row][k] * b[k][column];
      uint32_t bits = getElement(in, s.cbits, i);
      if (s.d == kS32) {
        double total = sum + (double)(int32_t)bits;
        bool clamp = simt_has(call, "satfinite");
        out[i] = clamp && total > INT32_MAX   ? (uint32_t)INT32_MAX
                 : clamp && total < INT32_MIN ? (uint32_t)INT32_MIN
                                              : (uint32_t)(int64_t)total;
        continue;
      }
      double c = s.c == kF16 ? widen(kF16, bits) : (double)simt_as_float(bits);
      if (s.d == kF32)
        out[i] = simt_as_bits((float)(sum + c));
      else
        // Two in a register; the first clears it.
        out[i / 2] = (i % 2 ? out[i / 2] & 0xFFFF : 0) |
                     simt_narrow(&simt_f16, sum + c, false) << i % 2 * 16;
    }
  }
}

static double getDouble(const uint32_t *words, int index) {
  return simt_as_double(words[2 * index] |
                        (uint64_t)words[2 * index + 1] << 32);
}

/// Of f64: rows lane / 4 and 8 below; columns of A, rows of B lane % 4 and so on
/// in steps of 4.
static void multiplyDouble(struct simt_call *call) {
  int m = 0, n = 0, depth = 0;
  sscanf(simt_token(call, 3), "m%dn%dk%d", &m, &n, &depth);
  int halves = m / 8;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 2 * halves; ++i) {
      int row = lane / 4, column = lane % 4 * 2 + i % 2;
      double sum = getDouble(simt_words(call, lane, 2), i);
      for (int k = 0; k < depth; ++k)
        sum = fma(getDouble(simt_words(call, row * 4 + k % 4, 0),
                            k / 4 * halves + i / 2),
                  getDouble(simt_words(call, column * 4 + k % 4, 1), k / 4),
                  sum);
      uint64_t bits = simt_as_bits64(sum);
      simt_result(call, lane, 0)[2 * i] = (uint32_t)bits;
      simt_result(call, lane, 0)[2 * i + 1] = (uint32_t)(bits >> 32);
    }
}

const struct simt_function simt_nvidia_mma[] = {
    {"mma.sync.aligned.*", SIMT_WARP, multiply, 1, 0, 0},
    {"mma.sp.sync.aligned.*", SIMT_WARP, multiply, 1, 0, 0},
    {"mma.sp::ordered_metadata.sync.aligned.*", SIMT_WARP, multiply, 1, 0, 0},
    {"mma.sync.aligned.m8n8k4.row.col.f64.*", SIMT_WARP, multiplyDouble, 1, 0,
     0},
    {"mma.sync.aligned.m16n8k4.row.col.f64.*", SIMT_WARP, multiplyDouble, 1, 0,
     0},
    {"mma.sync.aligned.m16n8k8.row.col.f64.*", SIMT_WARP, multiplyDouble, 1, 0,
     0},
    {"mma.sync.aligned.m16n8k16.row.col.f64.*", SIMT_WARP, multiplyDouble, 1, 0,
     0},
    {0},
};
