// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SIMT_DEBUG_H
#define SIMT_DEBUG_H

#include "instruction.h"

void simt_vprintf(struct simt_call *call);
void simt_assertfail(struct simt_call *call);
void simt_trap(struct simt_call *call);

#endif // SIMT_DEBUG_H
