// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only additions, multiplications, divisions and square roots are used, which
// IEEE rounds the same everywhere: the C library's log is not.

#include "TileRuntime/Fill.h"

#include "TileRuntime/ParallelFor.h"

#include <math.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

// The increment and the mixer of splitmix64 (Steele, Lea, Flood 2014).
static const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);

static uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

uint64_t tile_rt_random(uint64_t seed, uint64_t argument, uint64_t k) {
  return mix(mix(seed + (argument + 1) * golden) + (k + 1) * golden);
}

double tile_rt_random_uniform(uint64_t bits) {
  return (double)(bits >> 11) * 0x1p-53;
}

/// The natural logarithm of a positive normal number.
static double portableLog(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  int exponent = (int)(bits >> 52) - 1023;
  bits = (bits & (~UINT64_C(0) >> 12)) | UINT64_C(1023) << 52;
  memcpy(&x, &bits, sizeof(x));
  if (x > 1.4142135623730951) {
    x *= 0.5;
    ++exponent;
  }
  // 2 artanh((x-1)/(x+1)); its argument is below 0.172.
  double s = (x - 1) / (x + 1), square = s * s, sum = 0;
  for (int n = 23; n >= 1; n -= 2)
    sum = sum * square + 1.0 / n;
  return exponent * 0.69314718055994530942 + 2 * s * sum;
}

/// P. J. Acklam's rational approximation of the normal quantile.
static double normalQuantile(double p) {
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                             -2.759285104469687e+02, 1.383577518672690e+02,
                             -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                             -1.556989798598866e+02, 6.680131188771972e+01,
                             -1.328068155288572e+01, 1.0};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                             -2.400758277161838e+00, -2.549732539343734e+00,
                             4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
                             2.445134137142996e+00, 3.754408661907416e+00, 1.0};
  const double low = 0.02425;
  if (p > 1 - low)
    return -normalQuantile(1 - p);
  bool tail = p < low;
  double q = tail ? sqrt(-2 * portableLog(p)) : p - 0.5;
  double x = tail ? q : q * q;
  const double *top = tail ? c : a, *bottom = tail ? d : b;
  double numerator = 0, denominator = 0;
  for (int i = 0; i < 6; ++i)
    numerator = numerator * x + top[i];
  for (int i = 0; i < (tail ? 5 : 6); ++i)
    denominator = denominator * x + bottom[i];
  return (tail ? numerator : numerator * q) / denominator;
}

double tile_rt_random_normal(uint64_t bits) {
  // Half a step away from 0 and 1. With 52 bits the sum is exact.
  return normalQuantile(((double)(bits >> 12) + 0.5) * 0x1p-52);
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

/// The upper half of the product of two 64-bit numbers.
static uint64_t multiplyHigh(uint64_t a, uint64_t b) {
  const uint64_t mask = 0xFFFFFFFF;
  uint64_t low = (a & mask) * (b & mask);
  uint64_t middle = (a >> 32) * (b & mask) + (low >> 32);
  uint64_t other = (a & mask) * (b >> 32) + (middle & mask);
  return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

/// Where element k of 0 to count - 1 goes: a Feistel network permutes the
/// numbers of the least even count of bits that is enough, and is repeated as
/// long as a number is too large. Repetition leads back into the range.
static uint64_t permute(const TileRtFill *fill, uint64_t k, uint64_t count) {
  enum { kRounds = 4 };
  unsigned half = 1;
  while (half < 32 && count > UINT64_C(1) << 2 * half)
    ++half;
  uint64_t mask = (UINT64_C(1) << half) - 1;
  do {
    uint64_t left = k >> half, right = k & mask;
    for (uint64_t round = 0; round < kRounds; ++round) {
      uint64_t key =
          tile_rt_random(fill->seed, fill->argument, round << 32 | right);
      uint64_t next = left ^ (key & mask);
      left = right;
      right = next;
    }
    k = left << half | right;
  } while (k >= count);
  return k;
}

/// Number k of `count`, each about its place in an even division: they do not
/// fall, and their distances are 0 to twice the mean.
static int64_t makeOffset(const TileRtFill *fill, uint64_t random, int64_t k,
                          int64_t count) {
  if (k == 0)
    return 0;
  if (k == count - 1)
    return fill->highInteger;
  double place = (double)k + tile_rt_random_uniform(random) - 0.5;
  return (int64_t)((double)fill->highInteger * (place / (double)(count - 1)));
}

static uint64_t elementBits(TileRtDType dtype, const TileRtFill *fill,
                            int64_t k, int64_t count) {
  uint64_t random = tile_rt_random(fill->seed, fill->argument, (uint64_t)k);
  switch (fill->kind) {
  case TILE_RT_FILL_ZEROS:
    return tile_rt_encode(dtype, 0.0);
  case TILE_RT_FILL_ONES:
    return tile_rt_encode(dtype, 1.0);
  case TILE_RT_FILL_IOTA:
    return tile_rt_encode_int(dtype, k);
  case TILE_RT_FILL_POISON:
    return UINT64_C(0x0101010101010101) * tile_rt_poison_byte(dtype);
  case TILE_RT_FILL_NORMAL:
    return tile_rt_encode(dtype, tile_rt_random_normal(random));
  case TILE_RT_FILL_UNIFORM:
    return tile_rt_encode(dtype,
                          fill->low + (fill->high - fill->low) *
                                          tile_rt_random_uniform(random));
  case TILE_RT_FILL_INTEGERS: {
    // Zero stands for 2^64 values. The bias is below values / 2^64.
    uint64_t values =
        (uint64_t)fill->highInteger - (uint64_t)fill->lowInteger + 1;
    uint64_t step = values ? multiplyHigh(random, values) : random;
    return tile_rt_encode_int(dtype,
                              (int64_t)((uint64_t)fill->lowInteger + step));
  }
  case TILE_RT_FILL_PERMUTATION:
    return tile_rt_encode_int(
        dtype, (int64_t)permute(fill, (uint64_t)k, (uint64_t)count));
  case TILE_RT_FILL_OFFSETS:
    return tile_rt_encode_int(dtype, makeOffset(fill, random, k, count));
  case TILE_RT_FILL_MASK:
    return tile_rt_encode_int(dtype,
                              tile_rt_random_uniform(random) < fill->high);
  }
  return 0;
}

typedef struct FillContext {
  TileRtTensor *tensor;
  const TileRtFill *fill;
} FillContext;

static void fillRange(void *context, int64_t begin, int64_t end) {
  const FillContext *c = context;
  bool dense = tile_rt_tensor_is_row_major(c->tensor);
  int64_t count = tile_rt_tensor_count(c->tensor);
  for (int64_t k = begin; k < end; ++k)
    tile_rt_tensor_store_bits(c->tensor,
                              dense ? k : tile_rt_tensor_offset(c->tensor, k),
                              elementBits(c->tensor->dtype, c->fill, k, count));
}

/// Whether the bounds make sense for what has elements.
static bool checkBounds(const TileRtFill *fill, TileRtError *error) {
  switch (fill->kind) {
  case TILE_RT_FILL_UNIFORM:
    return (fill->low <= fill->high && isfinite(fill->high - fill->low)) ||
           tile_rt_fail(
               error, "fill: expected finite bounds in order, got %g and %g",
               fill->low, fill->high);
  case TILE_RT_FILL_INTEGERS:
    return fill->lowInteger <= fill->highInteger ||
           tile_rt_fail(error,
                        "fill: expected bounds in order, got %lld and %lld",
                        (long long)fill->lowInteger,
                        (long long)fill->highInteger);
  case TILE_RT_FILL_OFFSETS:
    return fill->highInteger >= 0 ||
           tile_rt_fail(error, "fill: expected a last offset of at least 0, "
                               "got %lld",
                        (long long)fill->highInteger);
  case TILE_RT_FILL_MASK:
    return (fill->high >= 0 && fill->high <= 1) ||
           tile_rt_fail(error, "fill: expected a probability of 0 to 1, got %g",
                        fill->high);
  default:
    return true;
  }
}

bool tile_rt_fill(TileRtTensor *tensor, const TileRtFill *fill,
                  TileRtError *error) {
  int64_t count = tile_rt_tensor_count(tensor);
  if (count && !checkBounds(fill, error))
    return false;
  FillContext context = {tensor, fill};
  // Two threads must not store to one byte.
  if (tile_rt_dtype_bits(tensor->dtype) < 8)
    fillRange(&context, 0, count);
  else
    tile_rt_parallel_for(fillRange, &context, count, 16384);
  return true;
}
