// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NpyHeader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct Parser {
  const char *path;
  const char *text;
  size_t size;
  size_t at;
  TileRtError *error;
} Parser;

static void skipSpace(Parser *p) {
  while (p->at < p->size && isspace((unsigned char)p->text[p->at]))
    ++p->at;
}

/// The next character that is not white space, or 0 at the end.
static char peek(Parser *p) {
  skipSpace(p);
  return p->at < p->size ? p->text[p->at] : 0;
}

static bool failAt(Parser *p, const char *expected) {
  if (p->at >= p->size)
    return tile_rt_fail(
        p->error, "%s: expected %s at byte %zu of the header, got its end",
        p->path, expected, p->at);
  int length = (int)(p->size - p->at < 16 ? p->size - p->at : 16);
  char shown[17] = {0};
  for (int i = 0; i < length; ++i) {
    unsigned char c = (unsigned char)p->text[p->at + (size_t)i];
    shown[i] = isprint(c) ? (char)c : '?';
  }
  return tile_rt_fail(p->error,
                      "%s: expected %s at byte %zu of the header, got \"%s\"",
                      p->path, expected, p->at, shown);
}

static bool accept(Parser *p, char c) {
  if (peek(p) != c)
    return false;
  ++p->at;
  return true;
}

static bool parseString(Parser *p, const char *what, char *out, size_t size) {
  char quote = peek(p);
  if (quote != '\'' && quote != '"')
    return failAt(p, what);
  size_t begin = p->at + 1, end = begin;
  while (end < p->size && p->text[end] != quote)
    ++end;
  if (end == p->size || end - begin >= size)
    return failAt(p, what);
  memcpy(out, p->text + begin, end - begin);
  out[end - begin] = 0;
  p->at = end + 1;
  return true;
}

static bool acceptWord(Parser *p, const char *word) {
  size_t length = strlen(word);
  skipSpace(p);
  if (p->size - p->at < length || memcmp(p->text + p->at, word, length) != 0)
    return false;
  p->at += length;
  return true;
}

static bool parseBool(Parser *p, bool *out) {
  *out = acceptWord(p, "True");
  return *out || acceptWord(p, "False") || failAt(p, "True or False");
}

static bool parseSize(Parser *p, int64_t *out) {
  if (!isdigit((unsigned char)peek(p)))
    return failAt(p, "a size");
  int64_t value = 0;
  while (p->at < p->size && isdigit((unsigned char)p->text[p->at])) {
    int digit = p->text[p->at] - '0';
    if (value > (INT64_MAX - digit) / 10)
      return failAt(p, "a size of 63 bits");
    value = value * 10 + digit;
    ++p->at;
  }
  acceptWord(p, "L"); // a long integer of Python 2
  *out = value;
  return true;
}

static bool parseShape(Parser *p, NpyHeader *header) {
  if (!accept(p, '('))
    return failAt(p, "a tuple of sizes");
  header->rank = 0;
  while (!accept(p, ')')) {
    if (header->rank == TILE_RT_MAX_RANK)
      return failAt(p, "a rank of at most 16");
    if (!parseSize(p, &header->shape[header->rank]))
      return false;
    ++header->rank;
    if (!accept(p, ',') && peek(p) != ')')
      return failAt(p, "',' or ')'");
  }
  return true;
}

static bool parseEntry(Parser *p, NpyHeader *header, unsigned *seen) {
  const char *keys = "'descr', 'fortran_order' or 'shape'";
  size_t start = p->at;
  char key[16];
  if (!parseString(p, keys, key, sizeof(key)))
    return false;
  if (!accept(p, ':'))
    return failAt(p, "':'");
  if (strcmp(key, "descr") == 0) {
    *seen |= 1;
    return parseString(p, "the name of an element type", header->descr,
                       sizeof(header->descr));
  }
  if (strcmp(key, "fortran_order") == 0) {
    *seen |= 2;
    return parseBool(p, &header->fortranOrder);
  }
  if (strcmp(key, "shape") == 0) {
    *seen |= 4;
    return parseShape(p, header);
  }
  p->at = start;
  return failAt(p, keys);
}

bool tile_rt_npy_parse_header(const char *path, const char *text, size_t size,
                              NpyHeader *header, TileRtError *error) {
  Parser p = {path, text, size, 0, error};
  unsigned seen = 0;
  *header = (NpyHeader){0};
  if (!accept(&p, '{'))
    return failAt(&p, "'{'");
  while (!accept(&p, '}')) {
    if (!parseEntry(&p, header, &seen))
      return false;
    if (!accept(&p, ',') && peek(&p) != '}')
      return failAt(&p, "',' or '}'");
  }
  skipSpace(&p);
  if (p.at != size)
    return failAt(&p, "the end of the header");
  if (seen != 7)
    return tile_rt_fail(
        error,
        "%s: expected the keys descr, fortran_order and shape, got%s%s%s", path,
        seen & 1 ? " descr" : "", seen & 2 ? " fortran_order" : "",
        seen & 4 ? " shape"
        : seen   ? ""
                 : " none");
  return true;
}
