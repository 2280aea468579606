// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats: [isa] CDNA3 and CDNA4, "Data Types"; OCP 8-bit Floating Point
// Specification; OCP Microscaling Formats Specification.

#include "amd_number.h"

#include <math.h>
#include <string.h>

/// What the codes that are no plain numbers mean.
enum specials {
  ALL_FINITE,
  IEEE,    ///< the highest exponent: infinities and NaNs
  ONE_NAN, ///< the highest code is NaN, and there is no infinity
  NEGATIVE_ZERO_IS_NAN
};

struct format {
  uint8_t bits, mantissa;
  int8_t bias;
  uint8_t specials;
};

static const struct format formats[AMD_NUMBERS] = {
    [AMD_F64] = {64, 52, 0, IEEE},
    [AMD_F32] = {32, 23, 127, IEEE},
    [AMD_XF32] = {32, 23, 127, IEEE},
    [AMD_F16] = {16, 10, 15, IEEE},
    [AMD_BF16] = {16, 7, 127, IEEE},
    [AMD_I8] = {8, 0, 0, ALL_FINITE},
    [AMD_U8] = {8, 0, 0, ALL_FINITE},
    [AMD_FP8_FNUZ] = {8, 3, 8, NEGATIVE_ZERO_IS_NAN},
    [AMD_BF8_FNUZ] = {8, 2, 16, NEGATIVE_ZERO_IS_NAN},
    [AMD_FP8] = {8, 3, 7, ONE_NAN},
    [AMD_BF8] = {8, 2, 15, IEEE},
    [AMD_FP6] = {6, 3, 1, ALL_FINITE},
    [AMD_BF6] = {6, 2, 3, ALL_FINITE},
    [AMD_FP4] = {4, 1, 1, ALL_FINITE},
};

int amd_number_bits(enum amd_number type) { return formats[type].bits; }

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// The value of a code without its sign.
static double magnitude(const struct format *format, uint32_t code) {
  uint32_t fraction = code & ((1u << format->mantissa) - 1);
  int exponent = (int)(code >> format->mantissa);
  uint32_t highest = (1u << (format->bits - 1)) - 1;
  if (format->specials == ONE_NAN && code == highest)
    return NAN;
  if (format->specials == IEEE &&
      exponent == (int)(highest >> format->mantissa))
    return fraction ? NAN : INFINITY;
  if (exponent == 0)
    return ldexp(fraction, 1 - format->bias - format->mantissa);
  return ldexp(fraction | 1u << format->mantissa,
               exponent - format->bias - format->mantissa);
}

static double decode(const struct format *format, uint32_t code) {
  uint32_t sign = 1u << (format->bits - 1);
  if (format->specials == NEGATIVE_ZERO_IS_NAN && code == sign)
    return NAN;
  double value = magnitude(format, code & (sign - 1));
  return code & sign ? -value : value;
}

/// Where the exponent is that of f32, subnormals are normal.
static double decode_f16(uint32_t code) {
  double value = from_bits((code & 0x7fff) << 13) * 0x1p112;
  if ((code & 0x7c00) == 0x7c00)
    value = code & 0x3ff ? NAN : INFINITY;
  return code & 0x8000 ? -value : value;
}

/// To nearest even.
static double decode_xf32(uint32_t code) {
  float whole = from_bits(code);
  if (!isfinite(whole))
    return whole;
  return from_bits((code + 0xfff + (code >> 13 & 1)) & ~0x1fffu);
}

double amd_number_read(enum amd_number type, const uint32_t *words, int index) {
  const struct format *format = &formats[type];
  if (type == AMD_F64) {
    double value;
    memcpy(&value, words + 2 * index, sizeof value);
    return value;
  }
  if (type == AMD_F32 || type == AMD_XF32)
    return type == AMD_F32 ? from_bits(words[index])
                           : decode_xf32(words[index]);
  // Elements of six bits cross words.
  int bits = format->bits, first = index * bits, at = first % 32;
  uint64_t pair = words[first / 32];
  if (at + bits > 32)
    pair |= (uint64_t)words[first / 32 + 1] << 32;
  uint32_t code = (uint32_t)(pair >> at) & ((1u << bits) - 1);
  switch (type) {
  case AMD_I8:
    return (int8_t)code;
  case AMD_U8:
    return code;
  case AMD_F16:
    return decode_f16(code);
  case AMD_BF16:
    return from_bits(code << 16);
  default:
    return decode(format, code);
  }
}

uint8_t amd_number_write8(enum amd_number type, float value,
                          const uint32_t *random) {
  const struct format *format = &formats[type];
  uint8_t sign = signbit(value) ? 0x80 : 0;
  bool fnuz = format->specials == NEGATIVE_ZERO_IS_NAN;
  uint8_t nan = fnuz ? 0x80 : sign | 0x7f;
  uint8_t overflow = format->specials == IEEE ? sign | 0x7c : nan;
  if (isnan(value))
    return nan;
  if (isinf(value))
    return overflow;
  if (value == 0)
    return fnuz ? 0 : sign;
  int exponent;
  double size = frexp(fabs((double)value), &exponent);
  // size is in [1/2, 1): the number has the exponent below.
  int biased = exponent - 1 + format->bias;
  int places = format->mantissa + 1 + (biased < 1 ? biased - 1 : 0);
  double scaled = ldexp(size, places);
  double code = random ? floor(scaled + *random * 0x1p-32) : nearbyint(scaled);
  // Codes ascend with values: a carry goes into the exponent.
  if (biased > 1)
    code += (double)((biased - 1) << format->mantissa);
  if (code == 0)
    return fnuz ? 0 : sign;
  double largest = fnuz ? 0x7f : format->specials == IEEE ? 0x7b : 0x7e;
  return code > largest ? overflow : sign | (uint8_t)code;
}
