// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "numeric.h"
#include "tile_simt_model.h"

#include <math.h>

const struct simt_format simt_f16 = {5, 10, false, false},
                         simt_bf16 = {8, 7, false, false},
                         simt_e4m3 = {4, 3, true, false},
                         simt_e5m2 = {5, 2, false, false},
                         simt_e2m3 = {2, 3, true, true},
                         simt_e3m2 = {3, 2, true, true},
                         simt_e2m1 = {2, 1, true, true};

static int biasOf(const struct simt_format *f) {
  return (1 << (f->exponent - 1)) - 1;
}

float simt_widen(const struct simt_format *f, uint32_t bits) {
  uint32_t mask = (1u << f->mantissa) - 1, top = (1u << f->exponent) - 1;
  uint32_t mantissa = bits & mask, exponent = bits >> f->mantissa & top;
  bool negative = bits >> (f->mantissa + f->exponent) & 1;
  float value;
  if (exponent == top && !f->finite)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == top && mantissa == mask && !f->noNaN)
    value = NAN;
  else if (exponent == 0)
    value = ldexpf((float)mantissa, 1 - biasOf(f) - f->mantissa);
  else
    value = ldexpf((float)(mantissa | (1u << f->mantissa)),
                   (int)exponent - biasOf(f) - f->mantissa);
  return negative ? -value : value;
}

/// The bits of the largest number.
static uint32_t getLargest(const struct simt_format *f) {
  uint32_t all = (1u << (f->exponent + f->mantissa)) - 1;
  if (f->noNaN)
    return all;
  return f->finite ? all - 1 : all - (1u << f->mantissa);
}

uint32_t simt_narrow(const struct simt_format *f, double value, bool saturate) {
  uint32_t sign = signbit(value) ? 1u << (f->mantissa + f->exponent) : 0;
  uint32_t infinity = ((1u << f->exponent) - 1) << f->mantissa;
  if (isnan(value)) {
    if (f->noNaN)
      return getLargest(f);
    return f->finite ? infinity | ((1u << f->mantissa) - 1)
                     : infinity | 1u << (f->mantissa - 1);
  }
  if (value == 0)
    return sign;
  double magnitude = fabs(value);
  if (magnitude == 0.0)
    return sign;
  int exponent = 0;
  frexp(magnitude, &exponent); // magnitude is in [0.5, 1) * 2^exponent
  int least = 1 - biasOf(f);
  int unit = (exponent - 1 < least ? least : exponent - 1) - f->mantissa;
  if (isinf(magnitude))
    unit = 0;
  // An integer of at most mantissa + 2 bits, so that the sum below is exact.
  double steps = nearbyint(ldexp(magnitude, -unit));
  uint32_t bits;
  if (isinf(magnitude))
    bits = UINT32_MAX;
  else if (unit > biasOf(f) + 1)
    bits = UINT32_MAX;
  else
    bits = (uint32_t)((int64_t)steps +
                      ((int64_t)(unit + f->mantissa - least) << f->mantissa));
  if (bits > getLargest(f))
    bits = saturate || f->noNaN ? getLargest(f)
           : f->finite          ? infinity | ((1u << f->mantissa) - 1)
                                : infinity;
  return sign | bits;
}

float simt_round_tf32(float value) {
  uint32_t bits = simt_as_bits(value);
  if ((bits >> 23 & 0xFF) != 0xFF)
    bits += 0x1000;
  return simt_as_float(bits & ~UINT32_C(0x1FFF));
}

//===----------------------------------------------------------------------===//
// What compilers call
//===----------------------------------------------------------------------===//

static TILE_SIMT_HALF wrap(uint32_t bits) {
#ifdef __SSE2__
  return simt_as_float(bits);
#else
  return (uint16_t)bits;
#endif
}

TILE_SIMT_HALF tile_simt_to_f16(float value) {
  return wrap(simt_narrow(&simt_f16, (double)value, false));
}

TILE_SIMT_HALF tile_simt_double_to_f16(double value) {
  return wrap(simt_narrow(&simt_f16, value, false));
}

float tile_simt_from_f16(TILE_SIMT_HALF value) {
#ifdef __SSE2__
  return simt_widen(&simt_f16, simt_as_bits(value) & 0xFFFF);
#else
  return simt_widen(&simt_f16, value);
#endif
}

TILE_SIMT_HALF tile_simt_to_bf16(float value) {
  return wrap(simt_narrow(&simt_bf16, (double)value, false));
}

TILE_SIMT_HALF tile_simt_double_to_bf16(double value) {
  return wrap(simt_narrow(&simt_bf16, value, false));
}
