// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code wanted and did not get, for the launch that asks.

#include "TileRuntime/ParallelFor.h"

static _Thread_local int64_t missing;

void tile_rt_note_missing_memory(int64_t bytes) { missing = bytes; }

int64_t tile_rt_take_missing_memory(void) {
  int64_t bytes = missing;
  missing = 0;
  return bytes;
}
