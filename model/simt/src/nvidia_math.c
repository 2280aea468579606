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

const struct simt_function simt_nvidia_math[] = {
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
    {0},
};
