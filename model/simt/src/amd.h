// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of AMD's instructions share.

#ifndef SIMT_AMD_H
#define SIMT_AMD_H

#include "instruction.h"

/// The first lane that takes part.
static inline int simt_amd_first(const struct simt_call *call) {
  int lane = 0;
  while (!call->active[lane])
    ++lane;
  return lane;
}

/// Waits until at most `count` of the wave's loads to LDS are under way.
void simt_amd_wait_loads(struct simt_call *call, int lane,
                         unsigned count); // amd_memory.c

#endif // SIMT_AMD_H
