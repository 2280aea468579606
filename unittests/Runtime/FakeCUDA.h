// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fake driver saw, and what it is to pretend.

#ifndef TILE_UNITTESTS_RUNTIME_FAKECUDA_H
#define TILE_UNITTESTS_RUNTIME_FAKECUDA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct FakeCudaMap {
  int type, rank;
  void *address;
  uint64_t sizes[5], strides[5];
  uint32_t box[5], elementStrides[5];
  int32_t lower[5], upper[5];
  uint32_t channels, pixels;
  int interleave, swizzle, l2Promotion, fill;
} FakeCudaMap;

typedef struct FakeCudaState {
  // To pretend.
  int devices, major;
  bool apart; ///< devices do not reach each other
  bool busy;     ///< streams are never done
  bool captured; ///< a graph captures all streams: nothing else allocates
  int maxThreads, staticShared; ///< of every function
  const char *failCall;         ///< without the version
  int failResult;
  int parameterCount; ///< to copy
  int parameterBytes[8];
  // Seen.
  int calls, retained, pushes, modules, allocations, streams, events;
  int graphAllocations, graphFrees; ///< nodes of the graph
  int peers, fills, syncs, encodes, launches, functionAttributes;
  int jitRegisters, imageLength, dynamicShared, nonPortable;
  char function[64]; ///< found last
  char launched[64];
  uint32_t grid[3], block[3], cluster[3], sharedBytes;
  bool cooperative, pdl;
  void *stream;
  unsigned char parameters[8][128];
  FakeCudaMap map;
} FakeCudaState;

#endif // TILE_UNITTESTS_RUNTIME_FAKECUDA_H
