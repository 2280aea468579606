// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Spec.h"

#include "Options.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool endsWith(const char *text, const char *end) {
  size_t length = strlen(text), endLength = strlen(end);
  return length >= endLength && strcmp(text + length - endLength, end) == 0;
}

enum { kMaxBounds = 2, kBoundBytes = 64 };

/// Copies the texts of "name(low,high)" or "name(high)"; false if that is not
/// its form.
static bool splitBounds(const char *text, const char *name, int count,
                        char bounds[kMaxBounds][kBoundBytes]) {
  size_t length = strlen(name);
  if (strncmp(text, name, length) != 0 || text[length] != '(' ||
      !endsWith(text, ")"))
    return false;
  const char *at = text + length + 1;
  for (int i = 0; i < count; ++i) {
    at += strspn(at, " ");
    size_t size = strcspn(at, i + 1 < count ? "," : ")");
    const char *end = at + size;
    while (size && at[size - 1] == ' ')
      --size;
    if (!*end || size == 0 || size >= kBoundBytes)
      return false;
    memcpy(bounds[i], at, size);
    bounds[i][size] = 0;
    at = end + 1;
  }
  return *at == 0;
}

/// Parses "12", "N", "N - 1" or "N + 1".
static bool parseBound(TileRunBound *bound, const char *text) {
  *bound = (TileRunBound){"", 0};
  if (tile_run_parse_int(text, &bound->number))
    return true;
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_')
    ++length;
  if (length == 0 || length >= sizeof(bound->size) ||
      isdigit((unsigned char)*text))
    return false;
  memcpy(bound->size, text, length);
  text += length;
  text += strspn(text, " ");
  if (*text == 0)
    return true;
  char sign = *text++;
  text += strspn(text, " ");
  if ((sign != '+' && sign != '-') ||
      !isdigit((unsigned char)*text) ||
      !tile_run_parse_int(text, &bound->number))
    return false;
  if (sign == '-')
    bound->number = -bound->number;
  return true;
}

static bool parseFill(TileRunSpec *spec, const char *text) {
  static const struct {
    const char *name;
    TileRtFillKind kind;
  } kinds[] = {{"zeros", TILE_RT_FILL_ZEROS},
               {"ones", TILE_RT_FILL_ONES},
               {"iota", TILE_RT_FILL_IOTA},
               {"poison", TILE_RT_FILL_POISON},
               {"normal", TILE_RT_FILL_NORMAL},
               {"permutation", TILE_RT_FILL_PERMUTATION}};
  TileRtFill *fill = &spec->fill;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); ++i)
    if (strcmp(text, kinds[i].name) == 0) {
      fill->kind = kinds[i].kind;
      return true;
    }
  char bounds[kMaxBounds][kBoundBytes];
  if (splitBounds(text, "uniform", 2, bounds)) {
    fill->kind = TILE_RT_FILL_UNIFORM;
    return tile_run_parse_double(bounds[0], &fill->low) &&
           tile_run_parse_double(bounds[1], &fill->high);
  }
  if (splitBounds(text, "mask", 1, bounds)) {
    fill->kind = TILE_RT_FILL_MASK;
    return tile_run_parse_double(bounds[0], &fill->high);
  }
  if (splitBounds(text, "integers", 2, bounds)) {
    fill->kind = TILE_RT_FILL_INTEGERS;
    return parseBound(&spec->low, bounds[0]) &&
           parseBound(&spec->high, bounds[1]);
  }
  if (splitBounds(text, "offsets", 1, bounds)) {
    fill->kind = TILE_RT_FILL_OFFSETS;
    return parseBound(&spec->high, bounds[0]);
  }
  return false;
}

static bool resolveBound(const TileRunBound *bound, const TileRunSizes *sizes,
                         const char *who, int64_t *number,
                         TileRtError *error) {
  int64_t size = 0;
  if (bound->size[0] && (size = tile_run_sizes_find(sizes, bound->size)) < 0)
    return tile_rt_fail(error,
                        "%s: the size %s is not given; add %s=NUMBER, or name "
                        "one of tile.shape",
                        who, bound->size, bound->size);
  return !__builtin_add_overflow(size, bound->number, number) ||
         tile_rt_fail(error, "%s: expected numbers of 64 bits, got %s + %lld",
                      who, bound->size, (long long)bound->number);
}

bool tile_run_spec_resolve(TileRunSpec *spec, const TileRunSizes *sizes,
                           const char *who, TileRtError *error) {
  TileRtFill *fill = &spec->fill;
  if (spec->kind != TILE_RUN_FILL || (fill->kind != TILE_RT_FILL_INTEGERS &&
                                      fill->kind != TILE_RT_FILL_OFFSETS))
    return true;
  return resolveBound(&spec->low, sizes, who, &fill->lowInteger, error) &&
         resolveBound(&spec->high, sizes, who, &fill->highInteger, error);
}

bool tile_run_spec_parse(TileRunSpec *spec, const char *text, const char *who,
                         TileRtError *error) {
  *spec = (TileRunSpec){.kind = TILE_RUN_FILL};
  if (endsWith(text, ".npy")) {
    spec->kind = TILE_RUN_FILE;
    spec->path = text;
    return true;
  }
  if (parseFill(spec, text))
    return true;
  spec->kind = TILE_RUN_NUMBER;
  spec->isInteger = tile_run_parse_int(text, &spec->integer);
  if (spec->isInteger)
    spec->number = (double)spec->integer;
  if (spec->isInteger || tile_run_parse_double(text, &spec->number))
    return true;
  return tile_rt_fail(
      error,
      "%s: expected normal, uniform(low,high), integers(low,high), "
      "offsets(last), permutation, mask(probability), zeros, ones, iota, "
      "poison, a number or a .npy file, got '%s'",
      who, text);
}

TileRunSpec tile_run_spec_default(TileRtDType dtype) {
  TileRunSpec spec = {.kind = TILE_RUN_FILL};
  TileRtFill *fill = &spec.fill;
  fill->kind = TILE_RT_FILL_INTEGERS;
  spec.high.number = dtype == TILE_RT_I1 ? 1 : 7;
  if (dtype != TILE_RT_I1 && tile_rt_dtype_is_signed_integer(dtype))
    spec.low.number = -8;
  if (tile_rt_dtype_is_float(dtype))
    fill->kind = TILE_RT_FILL_NORMAL;
  if (dtype == TILE_RT_F8E8M0FNU) {
    // It has no negative numbers.
    fill->kind = TILE_RT_FILL_UNIFORM;
    fill->low = 0.25;
    fill->high = 4;
  }
  return spec;
}

/// Whether an integer type can hold the number. Types without a sign in MLIR
/// take both ranges.
static bool fits(TileRtDType dtype, const TileRunSpec *spec) {
  if (tile_rt_dtype_is_float(dtype))
    return true;
  if (!spec->isInteger)
    return false;
  int bits = dtype == TILE_RT_I1 ? 1 : tile_rt_dtype_bits(dtype);
  bool isSigned = tile_rt_dtype_is_signed_integer(dtype);
  if (bits == 64)
    return isSigned || spec->integer >= 0;
  return spec->integer >= (isSigned ? -(INT64_C(1) << (bits - 1)) : 0) &&
         spec->integer < INT64_C(1) << bits;
}

bool tile_run_spec_fill(const TileRunSpec *spec, const char *who, uint64_t seed,
                        uint64_t argument, TileRtTensor *tensor,
                        TileRtError *error) {
  if (spec->kind == TILE_RUN_FILL) {
    TileRtFill fill = spec->fill;
    fill.seed = seed;
    fill.argument = argument;
    TileRtError inner;
    return tile_rt_fill(tensor, &fill, &inner) ||
           tile_rt_fail(error, "%s: %.900s", who, inner.message);
  }
  if (!fits(tensor->dtype, spec)) {
    if (spec->isInteger)
      return tile_rt_fail(error, "%s: expected a number that fits %s, got %lld",
                          who, tile_rt_dtype_name(tensor->dtype),
                          (long long)spec->integer);
    return tile_rt_fail(error, "%s: expected an integer for %s, got %g", who,
                        tile_rt_dtype_name(tensor->dtype), spec->number);
  }
  uint64_t bits = spec->isInteger
                      ? tile_rt_encode_int(tensor->dtype, spec->integer)
                      : tile_rt_encode(tensor->dtype, spec->number);
  int64_t count = tile_rt_tensor_count(tensor);
  for (int64_t k = 0; k < count; ++k)
    tile_rt_tensor_store_bits(tensor, tile_rt_tensor_offset(tensor, k), bits);
  return true;
}
