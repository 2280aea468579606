// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subset of JSON (RFC 8259) that launch metadata is written in: numbers are
// 64-bit integers, an object has at most 64 members of distinct keys, strings
// hold no NUL, and values nest at most 32 deep.

#ifndef TILERUNTIME_LIB_JSON_H
#define TILERUNTIME_LIB_JSON_H

#include "TileRuntime/Error.h"

#include <stddef.h>
#include <stdint.h>

/// Memory that is freed at once.
typedef struct Arena {
  struct ArenaChunk *chunks;
} Arena;

/// Zeroed memory, aligned for any type, or null when there is none.
void *tile_rt_arena_alloc(Arena *arena, size_t bytes);
void tile_rt_arena_free(Arena *arena);

typedef enum JsonKind {
  JSON_NULL,
  JSON_BOOL,
  JSON_INTEGER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
} JsonKind;

typedef struct JsonValue {
  JsonKind kind;
  size_t at;               ///< where it starts, in bytes
  const char *key;         ///< of a member of an object, else null
  size_t keyAt;            ///< where the key starts
  const char *string;      ///< of JSON_STRING; ends with NUL
  int64_t integer;         ///< of JSON_INTEGER and JSON_BOOL
  int32_t count;           ///< of JSON_ARRAY and JSON_OBJECT
  struct JsonValue *first; ///< child
  struct JsonValue *next;  ///< sibling
  bool used;               ///< for the reader's notes
} JsonValue;

/// "an array", "a string" ...
const char *tile_rt_json_kind_name(JsonKind kind);

/// Parses a whole text; the value lives as long as the arena. Null on failure.
JsonValue *tile_rt_json_parse(Arena *arena, const char *text, size_t size,
                              TileRtError *error);

/// The member of that key, which is used then, or null.
JsonValue *tile_rt_json_find(JsonValue *object, const char *key);

/// Fails with "metadata: line L, column C: ...", of a byte of the text.
bool tile_rt_json_fail(const char *text, size_t at, TileRtError *error,
                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif // TILERUNTIME_LIB_JSON_H
