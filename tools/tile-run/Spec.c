// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Spec.h"

#include "Options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool endsWith(const char *text, const char *end) {
  size_t length = strlen(text), endLength = strlen(end);
  return length >= endLength && strcmp(text + length - endLength, end) == 0;
}

/// Copies the two texts of "name(low,high)"; false if that is not its form.
static bool splitBounds(const char *text, const char *name, char low[32],
                        char high[32]) {
  size_t length = strlen(name);
  if (strncmp(text, name, length) != 0 || text[length] != '(' ||
      !endsWith(text, ")"))
    return false;
  const char *first = text + length + 1;
  const char *comma = strchr(first, ',');
  const char *end = text + strlen(text) - 1;
  if (!comma || comma - first >= 32 || end - comma > 32)
    return false;
  memcpy(low, first, (size_t)(comma - first));
  low[comma - first] = 0;
  for (++comma; *comma == ' '; ++comma)
    ;
  memcpy(high, comma, (size_t)(end - comma));
  high[end - comma] = 0;
  return true;
}

static bool parseFill(TileRtFill *fill, const char *text) {
  static const struct {
    const char *name;
    TileRtFillKind kind;
  } kinds[] = {{"zeros", TILE_RT_FILL_ZEROS},
               {"ones", TILE_RT_FILL_ONES},
               {"iota", TILE_RT_FILL_IOTA},
               {"poison", TILE_RT_FILL_POISON},
               {"normal", TILE_RT_FILL_NORMAL}};
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); ++i)
    if (strcmp(text, kinds[i].name) == 0) {
      fill->kind = kinds[i].kind;
      return true;
    }
  char low[32], high[32];
  if (splitBounds(text, "uniform", low, high)) {
    fill->kind = TILE_RT_FILL_UNIFORM;
    return tile_run_parse_double(low, &fill->low) &&
           tile_run_parse_double(high, &fill->high);
  }
  if (splitBounds(text, "integers", low, high)) {
    fill->kind = TILE_RT_FILL_INTEGERS;
    return tile_run_parse_int(low, &fill->lowInteger) &&
           tile_run_parse_int(high, &fill->highInteger);
  }
  return false;
}

bool tile_run_spec_parse(TileRunSpec *spec, const char *text, const char *who,
                         TileRtError *error) {
  *spec = (TileRunSpec){.kind = TILE_RUN_FILL};
  if (endsWith(text, ".npy")) {
    spec->kind = TILE_RUN_FILE;
    spec->path = text;
    return true;
  }
  if (parseFill(&spec->fill, text))
    return true;
  spec->kind = TILE_RUN_NUMBER;
  spec->isInteger = tile_run_parse_int(text, &spec->integer);
  if (spec->isInteger)
    spec->number = (double)spec->integer;
  if (spec->isInteger || tile_run_parse_double(text, &spec->number))
    return true;
  return tile_rt_fail(
      error,
      "%s: expected normal, uniform(low,high), integers(low,high), zeros, "
      "ones, iota, poison, a number or a .npy file, got '%s'",
      who, text);
}

TileRunSpec tile_run_spec_default(TileRtDType dtype) {
  TileRunSpec spec = {.kind = TILE_RUN_FILL};
  TileRtFill *fill = &spec.fill;
  fill->kind = TILE_RT_FILL_INTEGERS;
  fill->highInteger = 7;
  if (dtype == TILE_RT_I1)
    fill->highInteger = 1;
  else if (tile_rt_dtype_is_signed_integer(dtype))
    fill->lowInteger = -8;
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
