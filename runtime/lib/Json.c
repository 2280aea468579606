// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// The bound on members keeps the search for a repeated key short.
enum { kChunkBytes = 4096, kMaxDepth = 32, kMaxMembers = 64 };

typedef struct ArenaChunk {
  struct ArenaChunk *next;
  size_t used;
  size_t size;
  max_align_t data[];
} ArenaChunk;

void *tile_rt_arena_alloc(Arena *arena, size_t bytes) {
  const size_t unit = sizeof(max_align_t);
  if (bytes > PTRDIFF_MAX / 2)
    return NULL;
  bytes = (bytes + unit - 1) / unit * unit;
  ArenaChunk *chunk = arena->chunks;
  if (!chunk || chunk->size - chunk->used < bytes) {
    size_t size = bytes > kChunkBytes ? bytes : kChunkBytes;
    chunk = calloc(1, sizeof(*chunk) + size);
    if (!chunk)
      return NULL;
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
  }
  void *memory = (char *)chunk->data + chunk->used;
  chunk->used += bytes;
  return memory;
}

void tile_rt_arena_free(Arena *arena) {
  while (arena->chunks) {
    ArenaChunk *next = arena->chunks->next;
    free(arena->chunks);
    arena->chunks = next;
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

const char *tile_rt_json_kind_name(JsonKind kind) {
  switch (kind) {
  case JSON_NULL:
    return "null";
  case JSON_BOOL:
    return "a truth value";
  case JSON_INTEGER:
    return "an integer";
  case JSON_STRING:
    return "a string";
  case JSON_ARRAY:
    return "an array";
  default:
    return "an object";
  }
}

bool tile_rt_json_fail(const char *text, size_t at, TileRtError *error,
                       const char *format, ...) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < at; ++i, ++column)
    if (text[i] == '\n') {
      ++line;
      column = 0;
    }
  char message[sizeof(error->message)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  return tile_rt_fail(error, "metadata: line %zu, column %zu: %s", line, column,
                      message);
}

typedef struct Parser {
  Arena *arena;
  const char *text;
  size_t size;
  size_t at;
  TileRtError *error;
} Parser;

static bool failExpected(Parser *p, const char *expected) {
  if (p->at >= p->size)
    return tile_rt_json_fail(p->text, p->at, p->error,
                             "expected %s, got the end", expected);
  unsigned char c = (unsigned char)p->text[p->at];
  if (c > ' ' && c < 0x7F)
    return tile_rt_json_fail(p->text, p->at, p->error, "expected %s, got '%c'",
                             expected, c);
  return tile_rt_json_fail(p->text, p->at, p->error,
                           "expected %s, got byte 0x%02x", expected, c);
}

static bool failMemory(Parser *p) {
  return tile_rt_json_fail(p->text, p->at, p->error,
                           "expected memory, got none");
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static void skipSpace(Parser *p) {
  while (p->at < p->size && strchr(" \t\r\n", p->text[p->at]) && p->text[p->at])
    ++p->at;
}

static bool accept(Parser *p, char c) {
  skipSpace(p);
  if (p->at >= p->size || p->text[p->at] != c)
    return false;
  ++p->at;
  return true;
}

static bool acceptWord(Parser *p, const char *word) {
  size_t length = strlen(word);
  if (p->size - p->at < length || memcmp(p->text + p->at, word, length) != 0)
    return false;
  p->at += length;
  return true;
}

static bool isDigit(const Parser *p) {
  return p->at < p->size && p->text[p->at] >= '0' && p->text[p->at] <= '9';
}

static bool parseInteger(Parser *p, int64_t *out) {
  size_t begin = p->at;
  bool negative = acceptWord(p, "-");
  if (!isDigit(p))
    return failExpected(p, "a digit");
  bool zero = p->text[p->at] == '0';
  uint64_t limit = (uint64_t)INT64_MAX + negative, value = 0;
  for (int digits = 0; isDigit(p); ++p->at, ++digits) {
    uint64_t digit = (uint64_t)(p->text[p->at] - '0');
    if (zero && digits)
      return failExpected(p, "no digit after a leading zero");
    if (value > (limit - digit) / 10) {
      p->at = begin;
      return tile_rt_json_fail(p->text, begin, p->error,
                               "expected an integer of 64 bits");
    }
    value = value * 10 + digit;
  }
  if (p->at < p->size && strchr(".eE", p->text[p->at]) && p->text[p->at])
    return failExpected(p, "an integer");
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

static bool parseHex(Parser *p, uint32_t *code) {
  *code = 0;
  for (int i = 0; i < 4; ++i, ++p->at) {
    char c = p->at < p->size ? p->text[p->at] : 0;
    uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 16;
    if (digit == 16)
      return failExpected(p, "four hexadecimal digits");
    *code = *code * 16 + digit;
  }
  return true;
}

/// The code after "\u", with the second half of a surrogate pair.
static bool parseUnicode(Parser *p, uint32_t *code) {
  size_t begin = p->at;
  if (!parseHex(p, code))
    return false;
  bool high = *code >= 0xD800 && *code < 0xDC00;
  uint32_t low = 0;
  if (high && acceptWord(p, "\\u") && !parseHex(p, &low))
    return false;
  if (high && low >= 0xDC00 && low < 0xE000)
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
  else if (*code == 0 || (*code >= 0xD800 && *code < 0xE000) || high)
    return tile_rt_json_fail(p->text, begin, p->error,
                             "expected the code of a character");
  return true;
}

static char *writeUtf8(char *out, uint32_t code) {
  if (code < 0x80) {
    *out++ = (char)code;
    return out;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
  *out++ = (char)(lead[more] | code >> (6 * more));
  while (more--)
    *out++ = (char)(0x80 | (code >> (6 * more) & 0x3F));
  return out;
}

static bool parseEscape(Parser *p, char **out) {
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  char c = p->at < p->size ? p->text[p->at] : 0;
  uint32_t code;
  if (c == 'u') {
    ++p->at;
    if (!parseUnicode(p, &code))
      return false;
    *out = writeUtf8(*out, code);
    return true;
  }
  const char *found = c ? strchr(names, c) : NULL;
  if (!found)
    return failExpected(p, "an escape");
  ++p->at;
  *(*out)++ = values[found - names];
  return true;
}

static bool parseString(Parser *p, const char **string) {
  if (!accept(p, '"'))
    return failExpected(p, "a string");
  // Decoding never lengthens a string, so what it takes in the text is enough.
  size_t end = p->at;
  while (end < p->size && p->text[end] != '"')
    end += p->text[end] == '\\' ? 2 : 1;
  if (end >= p->size) {
    p->at = p->size;
    return failExpected(p, "'\"'");
  }
  char *out = tile_rt_arena_alloc(p->arena, end - p->at + 1);
  if (!out)
    return failMemory(p);
  *string = out;
  while (p->at < end) {
    char c = p->text[p->at];
    if ((unsigned char)c < 0x20)
      return failExpected(p, "a character of a string");
    ++p->at;
    if (c != '\\')
      *out++ = c;
    else if (!parseEscape(p, &out))
      return false;
  }
  ++p->at;
  return true;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Parses a scalar, or the opening bracket of what holds values.
static bool parseOne(Parser *p, JsonValue *value) {
  skipSpace(p);
  value->at = p->at;
  char c = p->at < p->size ? p->text[p->at] : 0;
  if (c == '{' || c == '[') {
    value->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
    ++p->at;
    return true;
  }
  if (c == '"') {
    value->kind = JSON_STRING;
    return parseString(p, &value->string);
  }
  if (c == '-' || isDigit(p)) {
    value->kind = JSON_INTEGER;
    return parseInteger(p, &value->integer);
  }
  if (acceptWord(p, "null"))
    return true;
  value->kind = JSON_BOOL;
  value->integer = acceptWord(p, "true");
  return value->integer || acceptWord(p, "false") || failExpected(p, "a value");
}

/// Parses the key of the next member.
static bool parseKey(Parser *p, const JsonValue *object, JsonValue *member) {
  skipSpace(p);
  member->keyAt = p->at;
  if (p->at >= p->size || p->text[p->at] != '"')
    return failExpected(p, "a key");
  if (!parseString(p, &member->key))
    return false;
  if (object->count == kMaxMembers)
    return tile_rt_json_fail(p->text, member->keyAt, p->error,
                             "expected at most %d members", kMaxMembers);
  for (const JsonValue *other = object->first; other; other = other->next)
    if (strcmp(other->key, member->key) == 0)
      return tile_rt_json_fail(p->text, member->keyAt, p->error,
                               "expected a key once, got \"%s\" again",
                               member->key);
  return accept(p, ':') || failExpected(p, "':'");
}

static char closing(const JsonValue *container) {
  return container->kind == JSON_OBJECT ? '}' : ']';
}

/// Parses one element of the container; `last` is its last one so far.
static JsonValue *parseElement(Parser *p, JsonValue *container,
                               JsonValue *last) {
  JsonValue *value = tile_rt_arena_alloc(p->arena, sizeof(*value));
  if (!value) {
    failMemory(p);
    return NULL;
  }
  if ((container->kind == JSON_OBJECT && !parseKey(p, container, value)) ||
      !parseOne(p, value))
    return NULL;
  *(last ? &last->next : &container->first) = value;
  ++container->count;
  return value;
}

/// Fills what the bracket of `root` opens. Not recursive, so that no input
/// overflows the stack.
static bool parseContainers(Parser *p, JsonValue *root) {
  struct {
    JsonValue *container, *last;
  } stack[kMaxDepth] = {{root, NULL}};
  int depth = 1;
  while (depth) {
    JsonValue *container = stack[depth - 1].container;
    JsonValue **last = &stack[depth - 1].last;
    char close = closing(container);
    if (accept(p, close)) {
      --depth;
      continue;
    }
    if (*last && !accept(p, ','))
      return failExpected(p, close == '}' ? "',' or '}'" : "',' or ']'");
    JsonValue *value = parseElement(p, container, *last);
    if (!value)
      return false;
    *last = value;
    if (value->kind != JSON_OBJECT && value->kind != JSON_ARRAY)
      continue;
    if (depth == kMaxDepth)
      return tile_rt_json_fail(p->text, value->at, p->error,
                               "expected values that nest at most %d deep",
                               kMaxDepth);
    stack[depth].container = value;
    stack[depth++].last = NULL;
  }
  return true;
}

JsonValue *tile_rt_json_parse(Arena *arena, const char *text, size_t size,
                              TileRtError *error) {
  Parser p = {.arena = arena, .text = text, .size = size, .error = error};
  JsonValue *root = tile_rt_arena_alloc(arena, sizeof(*root));
  if (!root) {
    failMemory(&p);
    return NULL;
  }
  if (!parseOne(&p, root))
    return NULL;
  if ((root->kind == JSON_OBJECT || root->kind == JSON_ARRAY) &&
      !parseContainers(&p, root))
    return NULL;
  skipSpace(&p);
  if (p.at != size) {
    failExpected(&p, "the end");
    return NULL;
  }
  return root;
}

JsonValue *tile_rt_json_find(JsonValue *object, const char *key) {
  for (JsonValue *member = object->first; member; member = member->next)
    if (strcmp(member->key, key) == 0) {
      member->used = true;
      return member;
    }
  return NULL;
}
