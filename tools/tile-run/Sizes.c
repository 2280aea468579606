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

bool tile_run_extents_parse(const char *text, TileRunExtent *extents,
                            int32_t *rank, TileRtError *error) {
  *rank = 0;
  const char *rest = text;
  while (*rest) {
    size_t whole = strcspn(rest, "x"), length = strcspn(rest, "%x");
    TileRunExtent extent = {.value = -1};
    bool valid = length > 0 && length < sizeof(extent.name) &&
                 (rest[whole] == 0 || rest[whole + 1] != 0);
    char number[sizeof(extent.name)] = "";
    if (length != whole && whole - length <= sizeof(number))
      memcpy(number, rest + length + 1, whole - length - 1);
    valid = valid && (length == whole ||
                      (isNameChar(*rest, true) &&
                       tile_run_parse_int(number, &extent.multiple) &&
                       extent.multiple > 0));
    if (valid) {
      memcpy(extent.name, rest, length);
      if (isNameChar(extent.name[0], true)) {
        for (size_t i = 0; i < length; ++i)
          valid = valid && isNameChar(extent.name[i], i == 0);
      } else {
        valid =
            tile_run_parse_int(extent.name, &extent.value) && extent.value >= 0;
        extent.name[0] = 0;
      }
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
