// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that begin with Hopper.

#include "instruction.h"

const struct simt_function simt_nvidia_hopper[] = {
    {0},
};
