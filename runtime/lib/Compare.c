// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Compare.h"

#include "TileRuntime/ParallelFor.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

// What is known of a range of elements.
typedef struct Partial {
  TileRtComparison comparison;
  bool worstMismatches; // whether comparison.worst is a mismatch
  double worstError;
} Partial;

typedef struct CompareContext {
  const TileRtTensor *got;
  const TileRtTensor *expected;
  TileRtTolerance tolerance;
  bool dense; // whether element numbers are offsets, in both tensors
  pthread_mutex_t mutex;
  Partial total; // guarded by mutex
} CompareContext;

/// The absolute difference. Same-typed integers are subtracted exactly, and
/// rounded only then: a difference is never lost.
static double difference(const TileRtTensor *got, int64_t gotOffset,
                         const TileRtTensor *expected, int64_t expectedOffset,
                         double *reference) {
  uint64_t a = tile_rt_tensor_load_bits(got, gotOffset);
  uint64_t b = tile_rt_tensor_load_bits(expected, expectedOffset);
  *reference = tile_rt_decode(expected->dtype, b);
  if (got->dtype == expected->dtype && !tile_rt_dtype_is_float(got->dtype)) {
    int64_t x = tile_rt_decode_int(got->dtype, a);
    int64_t y = tile_rt_decode_int(got->dtype, b);
    bool less = tile_rt_dtype_is_signed_integer(got->dtype)
                    ? x < y
                    : (uint64_t)x < (uint64_t)y;
    return (double)(less ? (uint64_t)y - (uint64_t)x
                         : (uint64_t)x - (uint64_t)y);
  }
  double value = tile_rt_decode(got->dtype, a);
  if (value == *reference || (isnan(value) && isnan(*reference)))
    return 0;
  double error = fabs(value - *reference);
  return isnan(error) ? INFINITY : error;
}

static void raiseTo(double *maximum, double value) {
  if (value > *maximum)
    *maximum = value;
}

/// Takes one element, or what another range knows of its worst, into account.
static void noteWorst(Partial *partial, int64_t k, double error,
                      bool mismatch) {
  if (error == 0 || mismatch < partial->worstMismatches)
    return;
  bool worse = mismatch > partial->worstMismatches ||
               partial->comparison.worst < 0 || error > partial->worstError ||
               (error == partial->worstError && k < partial->comparison.worst);
  if (!worse)
    return;
  partial->comparison.worst = k;
  partial->worstError = error;
  partial->worstMismatches = mismatch;
}

/// The error that a reference allows by absolute and relative tolerance.
static double getBound(const CompareContext *c, double reference) {
  return c->tolerance.absolute + c->tolerance.relative * fabs(reference);
}

static void compareElement(const CompareContext *c, int64_t k,
                           Partial *partial) {
  TileRtComparison *r = &partial->comparison;
  double reference;
  double error = difference(
      c->got, c->dense ? k : tile_rt_tensor_offset(c->got, k), c->expected,
      c->dense ? k : tile_rt_tensor_offset(c->expected, k), &reference);
  if (error == 0)
    return;
  double ulp = isfinite(reference) ? tile_rt_ulp(c->got->dtype, reference) : 1;
  double ulps = error / ulp;
  // An infinite error must not pass under an infinite reference or tolerance.
  bool match = isfinite(error) && (error <= getBound(c, reference) ||
                                   ulps <= c->tolerance.ulps);
  raiseTo(&r->maxAbsolute, error);
  raiseTo(&r->maxUlps, ulps);
  if (reference != 0)
    raiseTo(&r->maxRelative,
            isfinite(error) ? error / fabs(reference) : INFINITY);
  if (!match && r->mismatches++ == 0)
    r->firstMismatch = k;
  noteWorst(partial, k, error, !match);
}

static void compareRange(void *context, int64_t begin, int64_t end) {
  CompareContext *c = context;
  Partial p = {.comparison = {.firstMismatch = -1, .worst = -1}};
  for (int64_t k = begin; k < end; ++k)
    compareElement(c, k, &p);
  pthread_mutex_lock(&c->mutex);
  TileRtComparison *r = &c->total.comparison, *q = &p.comparison;
  r->mismatches += q->mismatches;
  if (q->firstMismatch >= 0 &&
      (r->firstMismatch < 0 || q->firstMismatch < r->firstMismatch))
    r->firstMismatch = q->firstMismatch;
  raiseTo(&r->maxAbsolute, q->maxAbsolute);
  raiseTo(&r->maxRelative, q->maxRelative);
  raiseTo(&r->maxUlps, q->maxUlps);
  noteWorst(&c->total, q->worst, p.worstError, p.worstMismatches);
  pthread_mutex_unlock(&c->mutex);
}

/// Writes "[1, 2] expected 3, got 4" with all digits that the types hold.
static void formatElement(const CompareContext *c, int64_t k, char *buffer,
                          size_t size) {
  int64_t index[TILE_RT_MAX_RANK];
  tile_rt_tensor_index(c->got, k, index);
  size_t at = (size_t)snprintf(buffer, size, "[");
  for (int32_t d = 0; d < c->got->rank && at < size; ++d)
    at += (size_t)snprintf(buffer + at, size - at, d ? ", %lld" : "%lld",
                           (long long)index[d]);
  const TileRtTensor *sides[] = {c->expected, c->got};
  const char *labels[] = {"] expected ", ", got "};
  for (int i = 0; i < 2 && at < size; ++i) {
    const TileRtTensor *t = sides[i];
    int64_t offset = tile_rt_tensor_offset(t, k);
    uint64_t bits = tile_rt_tensor_load_bits(t, offset);
    int64_t integer = tile_rt_decode_int(t->dtype, bits);
    int n;
    if (t->dtype == TILE_RT_U64)
      n = snprintf(buffer + at, size - at, "%s%llu", labels[i],
                   (unsigned long long)integer);
    else if (!tile_rt_dtype_is_float(t->dtype))
      n = snprintf(buffer + at, size - at, "%s%lld", labels[i],
                   (long long)integer);
    else if (isnan(tile_rt_decode(t->dtype, bits)))
      // Poison has a sign; nobody wants to see it.
      n = snprintf(buffer + at, size - at, "%snan", labels[i]);
    else
      n = snprintf(buffer + at, size - at, "%s%.*g", labels[i],
                   t->dtype == TILE_RT_F64 ? 17 : 9,
                   tile_rt_decode(t->dtype, bits));
    at += (size_t)n;
  }
}

/// Writes how many times the tolerance the worst error is, if there is one.
static void formatRatio(const CompareContext *c, char *buffer, size_t size) {
  const TileRtTensor *t = c->expected;
  int64_t offset = tile_rt_tensor_offset(t, c->total.comparison.worst);
  double reference =
      tile_rt_decode(t->dtype, tile_rt_tensor_load_bits(t, offset));
  double bound =
      fmax(getBound(c, reference),
           c->tolerance.ulps * tile_rt_ulp(c->got->dtype, reference));
  double ratio = c->total.worstError / bound;
  buffer[0] = 0;
  if (bound > 0 && isfinite(ratio))
    snprintf(buffer, size, ", %.3g times the tolerance", ratio);
}

bool tile_rt_compare(const char *name, const TileRtTensor *got,
                     const TileRtTensor *expected,
                     const TileRtTolerance *tolerance, TileRtComparison *result,
                     TileRtError *error) {
  if (!tile_rt_tensor_expect(got, name, TILE_RT_NONE, expected->rank,
                             expected->shape, error))
    return false;
  CompareContext c = {
      .got = got,
      .expected = expected,
      .dense = tile_rt_tensor_is_row_major(got) &&
               tile_rt_tensor_is_row_major(expected),
      .mutex = PTHREAD_MUTEX_INITIALIZER,
      .total = {.comparison = {.firstMismatch = -1, .worst = -1}}};
  if (tolerance)
    c.tolerance = *tolerance;
  TileRtComparison *r = &c.total.comparison;
  r->count = tile_rt_tensor_count(got);
  tile_rt_parallel_for(compareRange, &c, r->count, 16384);
  pthread_mutex_destroy(&c.mutex);
  if (result)
    *result = *r;
  if (r->mismatches == 0)
    return true;
  char first[300], worst[300], ratio[48];
  formatElement(&c, r->firstMismatch, first, sizeof(first));
  formatElement(&c, r->worst, worst, sizeof(worst));
  formatRatio(&c, ratio, sizeof(ratio));
  return tile_rt_fail(error,
                      "%s: %lld of %lld elements differ: at %s; worst at %s, "
                      "error %g%s",
                      name, (long long)r->mismatches, (long long)r->count,
                      first, worst, c.total.worstError, ratio);
}
