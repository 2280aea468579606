// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table row an element type; small floats share one codec.

#include "TileRuntime/DType.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the runtime expects a little-endian host"
#endif

enum Kind { kNone, kBool, kSigned, kUnsigned, kFloat };

// Codes are given without the sign bit. overflow == nan says that the type has
// no infinity; nan == 0, that NaN is the code of negative zero (FNUZ).
typedef struct Format {
  const char *name;
  uint8_t bits;
  uint8_t kind;
  uint8_t mantissaBits;
  int16_t bias;
  uint16_t largest;
  uint16_t overflow;
  uint16_t nan;
} Format;

static const Format formats[TILE_RT_DTYPE_COUNT] = {
    [TILE_RT_NONE] = {"none", 0, kNone, 0, 0, 0, 0, 0},
    [TILE_RT_I1] = {"i1", 8, kBool, 0, 0, 0, 0, 0},
    [TILE_RT_I4] = {"i4", 4, kSigned, 0, 0, 0, 0, 0},
    [TILE_RT_I8] = {"i8", 8, kSigned, 0, 0, 0, 0, 0},
    [TILE_RT_I16] = {"i16", 16, kSigned, 0, 0, 0, 0, 0},
    [TILE_RT_I32] = {"i32", 32, kSigned, 0, 0, 0, 0, 0},
    [TILE_RT_I64] = {"i64", 64, kSigned, 0, 0, 0, 0, 0},
    [TILE_RT_U8] = {"ui8", 8, kUnsigned, 0, 0, 0, 0, 0},
    [TILE_RT_U16] = {"ui16", 16, kUnsigned, 0, 0, 0, 0, 0},
    [TILE_RT_U32] = {"ui32", 32, kUnsigned, 0, 0, 0, 0, 0},
    [TILE_RT_U64] = {"ui64", 64, kUnsigned, 0, 0, 0, 0, 0},
    [TILE_RT_F16] = {"f16", 16, kFloat, 10, 15, 0x7BFF, 0x7C00, 0x7E00},
    [TILE_RT_BF16] = {"bf16", 16, kFloat, 7, 127, 0x7F7F, 0x7F80, 0x7FC0},
    [TILE_RT_F32] = {"f32", 32, kFloat, 23, 127, 0, 0, 0},
    [TILE_RT_F64] = {"f64", 64, kFloat, 52, 1023, 0, 0, 0},
    [TILE_RT_F8E4M3FN] = {"f8E4M3FN", 8, kFloat, 3, 7, 0x7E, 0x7F, 0x7F},
    [TILE_RT_F8E5M2] = {"f8E5M2", 8, kFloat, 2, 15, 0x7B, 0x7C, 0x7E},
    [TILE_RT_F8E4M3FNUZ] = {"f8E4M3FNUZ", 8, kFloat, 3, 8, 0x7F, 0, 0},
    [TILE_RT_F8E5M2FNUZ] = {"f8E5M2FNUZ", 8, kFloat, 2, 16, 0x7F, 0, 0},
    [TILE_RT_F8E8M0FNU] = {"f8E8M0FNU", 8, kFloat, 0, 127, 0xFE, 0xFF, 0xFF},
    [TILE_RT_F4E2M1FN] = {"f4E2M1FN", 4, kFloat, 1, 1, 7, 7, 7},
};

static const Format *formatOf(TileRtDType dtype) {
  return &formats[(unsigned)dtype < TILE_RT_DTYPE_COUNT ? dtype : TILE_RT_NONE];
}

const char *tile_rt_dtype_name(TileRtDType dtype) {
  return formatOf(dtype)->name;
}

TileRtDType tile_rt_dtype_from_name(const char *name) {
  for (int i = TILE_RT_NONE + 1; i < TILE_RT_DTYPE_COUNT; ++i)
    if (strcmp(name, formats[i].name) == 0)
      return (TileRtDType)i;
  return TILE_RT_NONE;
}

int tile_rt_dtype_bits(TileRtDType dtype) { return formatOf(dtype)->bits; }

bool tile_rt_dtype_is_float(TileRtDType dtype) {
  return formatOf(dtype)->kind == kFloat;
}

bool tile_rt_dtype_is_signed_integer(TileRtDType dtype) {
  return formatOf(dtype)->kind == kSigned;
}

static uint64_t lowBits(int bits) { return ~(uint64_t)0 >> (64 - bits); }

static uint64_t bitsOfDouble(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static double doubleOfBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

/// 2^exponent for exponents of normal doubles.
static double powerOfTwo(int exponent) {
  return doubleOfBits((uint64_t)(exponent + 1023) << 52);
}

//===----------------------------------------------------------------------===//
// Small floats
//===----------------------------------------------------------------------===//

static double decodeSmallFloat(const Format *format, uint64_t bits) {
  uint64_t signBit = (uint64_t)1 << (format->bits - 1);
  uint64_t magnitude = bits & (signBit - 1);
  double sign = bits & signBit ? -1.0 : 1.0;
  if (magnitude > format->largest)
    return copysign(magnitude == format->overflow &&
                            format->overflow != format->nan
                        ? INFINITY
                        : NAN,
                    sign);
  if (magnitude == 0 && format->nan == 0 && sign < 0)
    return NAN;
  int m = format->mantissaBits;
  uint64_t exponent = magnitude >> m;
  if (exponent == 0)
    return sign * (double)magnitude * powerOfTwo(1 - format->bias - m);
  uint64_t mantissa = magnitude & (((uint64_t)1 << m) - 1);
  uint64_t biased = exponent + 1023 - (uint64_t)format->bias;
  return sign * doubleOfBits(biased << 52 | mantissa << (52 - m));
}

/// Rounds value = significand * 2^(exponent - 52) > 0 to the nearest code, ties
/// to even, as if the type had codes without end.
static uint64_t roundMagnitude(const Format *format, uint64_t significand,
                               int exponent) {
  int lowest = 1 - format->bias;
  int shift = 52 - format->mantissaBits;
  if (exponent < lowest) {
    shift += lowest - exponent;
    exponent = lowest;
  }
  if (shift > 54) // less than half of the smallest number
    return 0;
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & (((uint64_t)1 << shift) - 1);
  uint64_t half = (uint64_t)1 << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // The hidden bit of `kept` raises the exponent field by one, and so does the
  // carry out of a mantissa of ones.
  return ((uint64_t)(exponent - lowest) << format->mantissaBits) + kept;
}

static uint64_t encodeSmallFloat(const Format *format, double value) {
  uint64_t signBit = (uint64_t)1 << (format->bits - 1);
  uint64_t sign = signbit(value) ? signBit : 0;
  // Where NaN is the code of negative zero there is one NaN and one zero.
  uint64_t nan = format->nan ? format->nan | sign : signBit;
  uint64_t zero = format->nan ? sign : 0;
  uint64_t overflow = format->overflow ? format->overflow | sign : signBit;
  if (isnan(value)) // f4E2M1FN has none and gives its largest number
    return format->nan == format->largest ? format->nan : nan;
  if (isinf(value))
    return overflow;
  uint64_t bits = bitsOfDouble(value);
  int exponent = (int)(bits >> 52 & 0x7FF) - 1023;
  if (exponent == -1023) // zero, or a double far below all of these types
    return zero;
  uint64_t significand = (bits & lowBits(52)) | (uint64_t)1 << 52;
  uint64_t magnitude = roundMagnitude(format, significand, exponent);
  if (magnitude == 0)
    return zero;
  return magnitude > format->largest ? overflow : sign | magnitude;
}

/// Codes 0 to 254 are the powers of two from 2^-127, 255 is NaN.
static uint64_t encodeE8M0(double value) {
  if (value == 0)
    return 0;
  if (!(value > 0) || isinf(value))
    return 0xFF;
  int exponent;
  double fraction = frexp(value, &exponent); // in [0.5, 1)
  int code = exponent - 1 + 127;
  if (code < 0)
    return 0;
  if (fraction > 0.75 || (fraction == 0.75 && code % 2))
    ++code;
  return code > 0xFF ? 0xFF : (uint64_t)code;
}

static double decodeE8M0(uint64_t bits) {
  return (bits & 0xFF) == 0xFF ? NAN : powerOfTwo((int)(bits & 0xFF) - 127);
}

//===----------------------------------------------------------------------===//
// All types
//===----------------------------------------------------------------------===//

int64_t tile_rt_decode_int(TileRtDType dtype, uint64_t bits) {
  const Format *format = formatOf(dtype);
  if (format->kind == kNone || format->kind == kFloat)
    return 0;
  bits &= lowBits(format->bits);
  if (format->kind == kBool)
    return bits != 0;
  if (format->kind == kSigned) {
    uint64_t signBit = (uint64_t)1 << (format->bits - 1);
    bits = (bits ^ signBit) - signBit;
  }
  return (int64_t)bits;
}

uint64_t tile_rt_encode_int(TileRtDType dtype, int64_t value) {
  const Format *format = formatOf(dtype);
  switch (format->kind) {
  case kBool:
    return value != 0;
  case kSigned:
  case kUnsigned:
    return (uint64_t)value & lowBits(format->bits);
  default:
    return tile_rt_encode(dtype, (double)value);
  }
}

static uint64_t saturate(const Format *format, double value) {
  if (isnan(value))
    return 0;
  value = rint(value);
  bool isSigned = format->kind == kSigned;
  double beyond = ldexp(1.0, format->bits - isSigned);
  uint64_t mask = lowBits(format->bits);
  if (value >= beyond)
    return mask >> isSigned;
  if (isSigned)
    return (value < -beyond ? ~(mask >> 1) : (uint64_t)(int64_t)value) & mask;
  return value < 0 ? 0 : (uint64_t)value;
}

double tile_rt_decode(TileRtDType dtype, uint64_t bits) {
  const Format *format = formatOf(dtype);
  if (dtype == TILE_RT_F64)
    return doubleOfBits(bits);
  if (dtype == TILE_RT_F32) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof(value));
    return value;
  }
  if (dtype == TILE_RT_F8E8M0FNU)
    return decodeE8M0(bits);
  if (format->kind == kFloat)
    return decodeSmallFloat(format, bits);
  int64_t value = tile_rt_decode_int(dtype, bits);
  return format->kind == kUnsigned ? (double)(uint64_t)value : (double)value;
}

uint64_t tile_rt_encode(TileRtDType dtype, double value) {
  const Format *format = formatOf(dtype);
  if (dtype == TILE_RT_F64)
    return bitsOfDouble(value);
  if (dtype == TILE_RT_F32) {
    if (isnan(value))
      return signbit(value) ? 0xFFC00000 : 0x7FC00000;
    float rounded = (float)value;
    uint32_t word;
    memcpy(&word, &rounded, sizeof(word));
    return word;
  }
  if (dtype == TILE_RT_F8E8M0FNU)
    return encodeE8M0(value);
  switch (format->kind) {
  case kFloat:
    return encodeSmallFloat(format, value);
  case kBool:
    return value != 0;
  case kNone:
    return 0;
  default:
    return saturate(format, value);
  }
}

double tile_rt_ulp(TileRtDType dtype, double value) {
  const Format *format = formatOf(dtype);
  if (!isfinite(value))
    return NAN;
  if (format->kind != kFloat)
    return 1.0;
  int lowest = dtype == TILE_RT_F8E8M0FNU ? -127 : 1 - format->bias;
  // f32 and f64 have no largest code in the table; their ranges are symmetric.
  int highest = format->largest
                    ? (format->largest >> format->mantissaBits) - format->bias
                    : format->bias;
  // Zero and subnormal doubles come out as -1023, below all lowest exponents.
  int exponent = (int)(bitsOfDouble(value) >> 52 & 0x7FF) - 1023;
  exponent = exponent < lowest    ? lowest
             : exponent > highest ? highest
                                  : exponent;
  exponent -= format->mantissaBits;
  return exponent >= -1022 ? powerOfTwo(exponent) : ldexp(1.0, exponent);
}

uint8_t tile_rt_poison_byte(TileRtDType dtype) {
  if (!tile_rt_dtype_is_float(dtype) || dtype == TILE_RT_F4E2M1FN)
    return 0xA5;
  return dtype == TILE_RT_F8E4M3FNUZ || dtype == TILE_RT_F8E5M2FNUZ ? 0x80
                                                                    : 0xFF;
}
