// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "model.h"

#include <stdlib.h>
#include <string.h>

struct chunk {
  struct chunk *next;
  size_t used, bytes;
  _Alignas(16) uint8_t data[];
};

struct simt_pool {
  struct chunk *chunks;
};

struct simt_pool *simt_pool_create(void) {
  struct simt_pool *pool = calloc(1, sizeof(*pool));
  if (!pool)
    abort();
  return pool;
}

void *simt_pool_take(struct simt_pool *pool, size_t bytes) {
  enum { kChunk = 1 << 16 };
  bytes = (bytes + 15) & ~(size_t)15;
  struct chunk *chunk = pool->chunks;
  if (!chunk || chunk->bytes - chunk->used < bytes) {
    size_t size = bytes > kChunk ? bytes : kChunk;
    chunk = calloc(1, sizeof(*chunk) + size);
    if (!chunk)
      abort();
    chunk->bytes = size;
    chunk->next = pool->chunks;
    pool->chunks = chunk;
  }
  void *result = chunk->data + chunk->used;
  chunk->used += bytes;
  return result;
}

char *simt_pool_text(struct simt_pool *pool, const char *text, size_t length) {
  char *copy = simt_pool_take(pool, length + 1);
  memcpy(copy, text, length);
  return copy;
}

struct simt_piece {
  struct simt_piece *next, **link; ///< `link` is what points here
  _Alignas(16) uint8_t data[];
};

void *simt_take(size_t bytes) {
  struct simt_piece *piece = calloc(1, sizeof(*piece) + bytes);
  if (!piece)
    abort();
  piece->link = &simt_running->pieces;
  piece->next = *piece->link;
  if (piece->next)
    piece->next->link = &piece->next;
  *piece->link = piece;
  return piece->data;
}

void simt_give(void *memory) {
  if (!memory)
    return;
  struct simt_piece *piece = (struct simt_piece *)memory - 1;
  *piece->link = piece->next;
  if (piece->next)
    piece->next->link = piece->link;
  free(piece);
}

void simt_give_all(struct simt_run *run) {
  while (run->pieces)
    simt_give(run->pieces->data);
}

void simt_pool_free(struct simt_pool *pool) {
  for (struct chunk *at = pool ? pool->chunks : NULL, *next; at; at = next) {
    next = at->next;
    free(at);
  }
  free(pool);
}
