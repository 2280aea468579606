// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fake libraries of HIP and ACL saw, and what they are to pretend.
// Memory is the host's, kernels are recorded and not run.

#ifndef TILE_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define TILE_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FakeDriverState {
  // To pretend.
  int devices;
  const char *chip;
  int maxThreads, staticShared; ///< of every function
  const char *failCall;
  int failResult;
  bool captured; ///< a graph captures all streams
  int parameterBytes[8]; ///< to copy, up to a 0
  // Seen.
  int current; ///< device, or context
  int opened;  ///< devices that were set and not reset
  int modules, allocations, streams, events, launches, fills, syncs;
  int graphAllocations, graphFrees; ///< nodes of the graph
  uint32_t magic;
  char function[64];
  uint32_t grid[3], block[3], sharedBytes;
  bool cooperative;
  void *stream;
  unsigned char parameters[8][8];
  unsigned char arguments[256];
  size_t argumentBytes;
} FakeDriverState;

#endif // TILE_UNITTESTS_RUNTIME_FAKEDRIVER_H
