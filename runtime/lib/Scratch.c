// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One growing buffer a thread, for the temporaries of a kernel.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/ParallelFor.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { kAlignment = 64, kSmallest = 4096 };

// The usable size is kept in front of the buffer, in an alignment unit of its
// own, so that one thread-specific pointer is all there is.
typedef struct Header {
  size_t bytes;
} Header;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool hasKey;

static void createKey(void) { hasKey = pthread_key_create(&key, free) == 0; }

void *tile_rt_scratch(size_t bytes) {
  pthread_once(&once, createKey);
  if (!hasKey)
    return NULL;
  Header *header = pthread_getspecific(key);
  if (!header || header->bytes < bytes) {
    // Doubling keeps a kernel that asks for a little more each time linear.
    size_t size = kSmallest;
    while (size < bytes && size <= SIZE_MAX / 4)
      size *= 2;
    if (size < bytes)
      return NULL;
    free(header);
    pthread_setspecific(key, NULL);
    header = aligned_alloc(kAlignment, size + kAlignment);
    if (!header)
      return NULL;
    header->bytes = size;
    if (pthread_setspecific(key, header)) {
      free(header);
      return NULL;
    }
  }
  return (char *)header + kAlignment;
}

/// The key's destructor does not run for the thread that ends the process.
__attribute__((destructor)) static void freeScratchAtExit(void) {
  pthread_once(&once, createKey);
  if (!hasKey)
    return;
  free(pthread_getspecific(key));
  pthread_setspecific(key, NULL);
}
