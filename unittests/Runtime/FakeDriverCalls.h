// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fake libraries of HIP and ACL do alike.

#ifndef TILE_UNITTESTS_RUNTIME_FAKEDRIVERCALLS_H
#define TILE_UNITTESTS_RUNTIME_FAKEDRIVERCALLS_H

#include "FakeDriver.h"

#include <stdlib.h>
#include <string.h>

static FakeDriverState state;

static int fakeCall(const char *name) {
  return state.failCall && strcmp(state.failCall, name) == 0 ? state.failResult
                                                             : 0;
}

static int fakeMalloc(const char *name, void **memory, size_t bytes) {
  int result = fakeCall(name);
  if (result || !bytes)
    return result ? result : 1;
  ++state.allocations;
  *memory = aligned_alloc(256, (bytes / 256 + 1) * 256);
  return 0;
}

static int fakeFree(const char *name, void *memory) {
  --state.allocations;
  free(memory);
  return fakeCall(name);
}

static int fakeCopy(const char *name, void *to, const void *from,
                    size_t bytes) {
  memcpy(to, from, bytes);
  return fakeCall(name);
}

static int fakeFill(const char *name, void *memory, int value, size_t bytes) {
  ++state.fills;
  memset(memory, value, bytes);
  return fakeCall(name);
}

static int fakeCreate(const char *name, int *counter, void **handle) {
  ++*counter;
  *handle = counter;
  return fakeCall(name);
}

static int fakeDestroy(const char *name, int *counter) {
  --*counter;
  return fakeCall(name);
}

#endif // TILE_UNITTESTS_RUNTIME_FAKEDRIVERCALLS_H
