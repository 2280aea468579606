// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sizes.h"

#include "Options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool isNameChar(char c, bool first) {
  return isalpha((unsigned char)c) || c == '_' ||
         (!first && isdigit((unsigned char)c));
}

int64_t tile_run_sizes_find(const TileRunSizes *sizes, const char *name) {
  for (int32_t i = 0; i < sizes->count; ++i)
    if (strcmp(sizes->items[i].name, name) == 0)
      return sizes->items[i].value;
  return -1;
}

bool tile_run_sizes_bind(TileRunSizes *sizes, const char *name, int64_t value,
                         TileRtError *error) {
  int64_t known = tile_run_sizes_find(sizes, name);
  if (known == value)
    return true;
  if (known >= 0)
    return tile_rt_fail(error, "expected %s=%lld, got %lld", name,
                        (long long)known, (long long)value);
  if (sizes->count == TILE_RUN_MAX_SIZES)
    return tile_rt_fail(error, "expected at most %d sizes, got more",
                        TILE_RUN_MAX_SIZES);
  snprintf(sizes->items[sizes->count].name, TILE_RUN_MAX_NAME, "%s", name);
  sizes->items[sizes->count++].value = value;
  return true;
}

/// Parses one "NAME=NUMBER" of that length.
static bool parseSize(TileRunSizes *sizes, const char *text, size_t length,
                      TileRtError *error) {
  char name[TILE_RUN_MAX_NAME], number[24];
  size_t nameLength = 0;
  while (nameLength < length && isNameChar(text[nameLength], nameLength == 0))
    ++nameLength;
  size_t numberLength = length - nameLength - 1;
  int64_t value = -1;
  bool valid = nameLength > 0 && nameLength < sizeof(name) &&
               nameLength < length && text[nameLength] == '=' &&
               numberLength < sizeof(number);
  if (valid) {
    memcpy(name, text, nameLength);
    name[nameLength] = 0;
    memcpy(number, text + nameLength + 1, numberLength);
    number[numberLength] = 0;
    valid = tile_run_parse_int(number, &value);
  }
  if (!valid || value < 0)
    return tile_rt_fail(error,
                        "expected a size NAME=NUMBER of at least 0, got '%.*s'",
                        (int)length, text);
  if (tile_run_sizes_find(sizes, name) >= 0)
    return tile_rt_fail(error, "size %s is given twice", name);
  return tile_run_sizes_bind(sizes, name, value, error);
}

bool tile_run_sizes_parse(TileRunSizes *sizes, const char *text,
                          TileRtError *error) {
  for (;;) {
    text += strspn(text, " \t\n,");
    size_t length = strcspn(text, " \t\n,");
    if (length == 0)
      return true;
    if (!parseSize(sizes, text, length, error))
      return false;
    text += length;
  }
}

void tile_run_sizes_format(const TileRunSizes *sizes, char *buffer,
                           size_t size) {
  size_t at = 0;
  buffer[0] = 0;
  for (int32_t i = 0; i < sizes->count && at < size; ++i)
    at += (size_t)snprintf(buffer + at, size - at, "%s%s=%lld", i ? " " : "",
                           sizes->items[i].name,
                           (long long)sizes->items[i].value);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

static bool parseName(TileRunExtent *extent, const char *text, size_t length) {
  while (length && text[length - 1] == ' ')
    --length;
  if (length == 0 || length >= sizeof(extent->name))
    return false;
  for (size_t i = 0; i < length; ++i)
    if (!isNameChar(text[i], i == 0))
      return false;
  memcpy(extent->name, text, length);
  extent->name[length] = 0;
  return true;
}

/// "K * 2", "K + 1", "K - 1" and "K%8", where the operator is at `at`.
static bool parseOperator(TileRunExtent *extent, const char *text, size_t at) {
  const char *number = text + at + 1;
  number += strspn(number, " ");
  int64_t value;
  if (!isdigit((unsigned char)*number) || !tile_run_parse_int(number, &value) ||
      !parseName(extent, text, at))
    return false;
  if (text[at] == '%') {
    extent->multiple = value;
    return value > 0;
  }
  extent->formula = text[at] == '*' ? TILE_RUN_PRODUCT : TILE_RUN_SUM;
  extent->number = text[at] == '-' ? -value : value;
  return text[at] != '*' || value > 0;
}

/// "ceildiv(K, 2)" and "floordiv(K, 2)", of which `text` is what follows the
/// opening parenthesis.
static bool parseDivision(TileRunExtent *extent, TileRunFormula formula,
                          const char *text) {
  size_t comma = strcspn(text, ","), length = strlen(text);
  char number[24];
  if (text[comma] == 0 || text[length - 1] != ')' ||
      length - comma - 2 >= sizeof(number))
    return false;
  size_t size = length - comma - 2;
  while (size && text[comma + size] == ' ')
    --size;
  memcpy(number, text + comma + 1, size);
  number[size] = 0;
  text += strspn(text, " ");
  extent->formula = formula;
  return tile_run_parse_int(number + strspn(number, " "), &extent->number) &&
         extent->number > 0 &&
         parseName(extent, text, strcspn(text, ","));
}

static bool parseExtent(TileRunExtent *extent, const char *text) {
  *extent = (TileRunExtent){.value = -1};
  if (strncmp(text, "ceildiv(", 8) == 0)
    return parseDivision(extent, TILE_RUN_CEILDIV, text + 8);
  if (strncmp(text, "floordiv(", 9) == 0)
    return parseDivision(extent, TILE_RUN_FLOORDIV, text + 9);
  size_t at = strcspn(text, "*+-%");
  if (at > 0 && text[at])
    return parseOperator(extent, text, at);
  if (isNameChar(*text, true))
    return parseName(extent, text, strlen(text));
  return tile_run_parse_int(text, &extent->value) && extent->value >= 0;
}

bool tile_run_extents_parse(const char *text, TileRunExtent *extents,
                            int32_t *rank, TileRtError *error) {
  *rank = 0;
  const char *rest = text;
  while (*rest) {
    size_t whole = strcspn(rest, "x"), begin = strspn(rest, " "), end = whole;
    while (end > begin && rest[end - 1] == ' ')
      --end;
    char part[2 * TILE_RUN_MAX_NAME];
    TileRunExtent extent;
    bool valid = end > begin && end - begin < sizeof(part) &&
                 (rest[whole] == 0 || rest[whole + 1] != 0);
    if (valid) {
      memcpy(part, rest + begin, end - begin);
      part[end - begin] = 0;
      valid = parseExtent(&extent, part);
    }
    if (!valid)
      return tile_rt_fail(error, "expected a shape like MxN or 2x3, got '%s'",
                          text);
    if (*rank == TILE_RT_MAX_RANK)
      return tile_rt_fail(error, "expected a rank of at most %d, got '%s'",
                          TILE_RT_MAX_RANK, text);
    extents[(*rank)++] = extent;
    rest += whole + (rest[whole] == 'x');
  }
  return true;
}

bool tile_run_extent_apply(const TileRunExtent *extent, int64_t size,
                           int64_t *value) {
  *value = size;
  switch (extent->formula) {
  case TILE_RUN_SAME:
    return true;
  case TILE_RUN_SUM:
    return !__builtin_add_overflow(size, extent->number, value) && *value >= 0;
  case TILE_RUN_PRODUCT:
    return !__builtin_mul_overflow(size, extent->number, value);
  case TILE_RUN_FLOORDIV:
  case TILE_RUN_CEILDIV:
    *value = size / extent->number +
             (extent->formula == TILE_RUN_CEILDIV && size % extent->number);
    return true;
  }
  return false;
}
