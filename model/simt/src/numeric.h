// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small floats. Widening is exact; narrowing rounds to the nearest, ties to
// even, from a float or a double.

#ifndef SIMT_NUMERIC_H
#define SIMT_NUMERIC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// A format with `exponent` and `mantissa` bits and the usual bias.
struct simt_format {
  int exponent, mantissa;
  /// No infinity: the largest exponent has numbers, and NaN only where all bits
  /// are set; with `noNaN`, not even that.
  bool finite, noNaN;
};

extern const struct simt_format simt_f16, simt_bf16, simt_e4m3, simt_e5m2,
    simt_e2m3, simt_e3m2, simt_e2m1;

float simt_widen(const struct simt_format *format, uint32_t bits);
/// What is too large becomes infinity, or with `saturate` the largest number;
/// in formats without infinity NaN, or the largest number.
uint32_t simt_narrow(const struct simt_format *format, double value,
                     bool saturate);
/// The nearest tf32, ties away from zero, in a float.
float simt_round_tf32(float value);

static inline float simt_as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
static inline uint32_t simt_as_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static inline double simt_as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
static inline uint64_t simt_as_bits64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

#endif // SIMT_NUMERIC_H
