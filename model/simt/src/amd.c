// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of AMD GPUs.

#include "instruction.h"

const struct simt_function simt_amd[] = {
    {0},
};
const struct simt_function simt_amd_mfma[] = {
    {0},
};
