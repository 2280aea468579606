// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of single threads. Approximations are the host's functions, which
// are closer to the exact value than hardware: a result that hangs on their
// last bits is not what the model judges.

#include "instruction.h"
#include "numeric.h"

#include <math.h>
#include <string.h>

static float getFloat(const struct simt_call *call, int operand) {
  return simt_as_float(simt_word(call, 0, operand));
}

static void setFloat(struct simt_call *call, float value) {
  if (simt_has(call, "ftz") && fpclassify(value) == FP_SUBNORMAL)
    value = copysignf(0.0f, value);
  simt_set(call, 0, 0, simt_as_bits(value));
}

static void ex2(struct simt_call *call) {
  setFloat(call, exp2f(getFloat(call, 0)));
}
static void lg2(struct simt_call *call) {
  setFloat(call, log2f(getFloat(call, 0)));
}
static void rcp(struct simt_call *call) {
  setFloat(call, 1.0f / getFloat(call, 0));
}
static void rsqrt(struct simt_call *call) {
  setFloat(call, (float)(1.0 / sqrt((double)getFloat(call, 0))));
}
static void root(struct simt_call *call) {
  setFloat(call, sqrtf(getFloat(call, 0)));
}
static void sine(struct simt_call *call) {
  setFloat(call, sinf(getFloat(call, 0)));
}
static void cosine(struct simt_call *call) {
  setFloat(call, cosf(getFloat(call, 0)));
}
static void tangent(struct simt_call *call) {
  setFloat(call, tanhf(getFloat(call, 0)));
}
static void divide(struct simt_call *call) {
  setFloat(call, getFloat(call, 0) / getFloat(call, 1));
}

/// Bit 4a + 2b + c of the last operand is the result for bits a, b and c.
static void lop3(struct simt_call *call) {
  uint32_t table = simt_word(call, 0, 3), result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    uint32_t row = 0;
    for (int operand = 0; operand < 3; ++operand)
      row = row << 1 | (simt_word(call, 0, operand) >> bit & 1);
    result |= (table >> row & 1) << bit;
  }
  simt_set(call, 0, 0, result);
}

/// [ptx] "prmt": each byte of the result is one of the eight of both words, by
/// 4 bits of the last operand, of which the highest asks for copies of its
/// sign.
static void permute(struct simt_call *call) {
  uint64_t both = (uint64_t)simt_word(call, 0, 1) << 32 | simt_word(call, 0, 0);
  uint32_t selector = simt_word(call, 0, 2), result = 0;
  for (int byte = 0; byte < 4; ++byte) {
    uint32_t choice = selector >> 4 * byte & 15;
    uint32_t value = both >> 8 * (choice & 7) & 0xFF;
    if (choice & 8)
      value = value & 0x80 ? 0xFF : 0;
    result |= value << 8 * byte;
  }
  simt_set(call, 0, 0, result);
}

//===----------------------------------------------------------------------===//
// Pairs of 8-bit floats
//===----------------------------------------------------------------------===//

static const struct simt_format *getFloat8(const struct simt_call *call) {
  return simt_has(call, "e4m3x2") ? &simt_e4m3 : &simt_e5m2;
}

/// [ptx] "cvt": always with .satfinite; infinities become the largest number,
/// too, and NaN stays.
static uint32_t narrow(const struct simt_call *call, float value) {
  if (simt_has(call, "relu") && !(value > 0) && !isnan(value))
    value = 0;
  return simt_narrow(getFloat8(call), (double)value, true);
}

/// The first source becomes the upper half.
static void toFloat8(struct simt_call *call) {
  simt_set(call, 0, 0,
           narrow(call, getFloat(call, 0)) << 8 |
               narrow(call, getFloat(call, 1)));
}

static void halvesToFloat8(struct simt_call *call) {
  uint32_t both = simt_word(call, 0, 0);
  simt_set(call, 0, 0,
           narrow(call, simt_widen(&simt_f16, both >> 16)) << 8 |
               narrow(call, simt_widen(&simt_f16, both & 0xFFFF)));
}

static void fromFloat8(struct simt_call *call) {
  uint32_t result = 0;
  for (int i = 0; i < 2; ++i) {
    float value =
        simt_widen(getFloat8(call), simt_word(call, 0, 0) >> 8 * i & 0xFF);
    if (simt_has(call, "relu") && !(value > 0) && !isnan(value))
      value = 0;
    result |= simt_narrow(&simt_f16, (double)value, false) << 16 * i;
  }
  simt_set(call, 0, 0, result);
}

const struct simt_function simt_nvidia_math[] = {
    {"llvm.nvvm.ff.to.e4m3x2.*", SIMT_THREAD, toFloat8, 0, 0, 0},
    {"llvm.nvvm.ff.to.e5m2x2.*", SIMT_THREAD, toFloat8, 0, 0, 0},
    {"llvm.nvvm.f16x2.to.e4m3x2.*", SIMT_THREAD, halvesToFloat8, 0, 0, 0},
    {"llvm.nvvm.f16x2.to.e5m2x2.*", SIMT_THREAD, halvesToFloat8, 0, 0, 0},
    {"llvm.nvvm.e4m3x2.to.f16x2.*", SIMT_THREAD, fromFloat8, 0, 0, 0},
    {"llvm.nvvm.e5m2x2.to.f16x2.*", SIMT_THREAD, fromFloat8, 0, 0, 0},
    {"llvm.nvvm.ex2.approx.*", SIMT_THREAD, ex2, 0, 0, 0},
    {"ex2.approx.*", SIMT_THREAD, ex2, 1, 0, 0},
    {"llvm.nvvm.lg2.approx.*", SIMT_THREAD, lg2, 0, 0, 0},
    {"lg2.approx.*", SIMT_THREAD, lg2, 1, 0, 0},
    {"llvm.nvvm.rcp.*", SIMT_THREAD, rcp, 0, 0, 0},
    {"rcp.approx.*", SIMT_THREAD, rcp, 1, 0, 0},
    {"llvm.nvvm.rsqrt.approx.*", SIMT_THREAD, rsqrt, 0, 0, 0},
    {"rsqrt.approx.*", SIMT_THREAD, rsqrt, 1, 0, 0},
    {"llvm.nvvm.sqrt.*", SIMT_THREAD, root, 0, 0, 0},
    {"sqrt.*", SIMT_THREAD, root, 1, 0, 0},
    {"llvm.nvvm.sin.approx.*", SIMT_THREAD, sine, 0, 0, 0},
    {"sin.approx.*", SIMT_THREAD, sine, 1, 0, 0},
    {"llvm.nvvm.cos.approx.*", SIMT_THREAD, cosine, 0, 0, 0},
    {"cos.approx.*", SIMT_THREAD, cosine, 1, 0, 0},
    {"llvm.nvvm.tanh.approx.*", SIMT_THREAD, tangent, 0, 0, 0},
    {"tanh.approx.*", SIMT_THREAD, tangent, 1, 0, 0},
    {"llvm.nvvm.div.*", SIMT_THREAD, divide, 0, 0, 0},
    {"div.full.*", SIMT_THREAD, divide, 1, 0, 0},
    {"div.approx.*", SIMT_THREAD, divide, 1, 0, 0},
    {"lop3.b32", SIMT_THREAD, lop3, 1, 0, 0},
    {"llvm.nvvm.prmt", SIMT_THREAD, permute, 0, 0, 0},
    {0},
};
