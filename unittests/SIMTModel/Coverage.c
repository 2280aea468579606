// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Coverage.h"

#include "model.h"

#include <stdlib.h>

static const struct simt_function *const tables[] = {
    simt_nvidia,     simt_nvidia_copy,   simt_nvidia_math,
    simt_nvidia_mma, simt_nvidia_hopper, simt_amd,
    simt_amd_lane,   simt_amd_memory,    simt_amd_mfma};
enum { kTables = sizeof(tables) / sizeof(*tables), kRows = 256 };

static bool executed[kTables][kRows];

void coverageBegin(TileSimtProgram *program) {
  program->reached = calloc(program->instructionCount + 1, sizeof(bool));
  if (!program->reached)
    abort();
}

static void note(const struct simt_function *row) {
  for (int t = 0; t < kTables; ++t)
    for (int r = 0; tables[t][r].pattern; ++r)
      if (&tables[t][r] == row)
        executed[t][r] = true;
}

void coverageEnd(TileSimtProgram *program) {
  for (uint32_t id = 1; id <= program->instructionCount; ++id)
    if (program->reached[id] && program->instructions[id]->function)
      note(program->instructions[id]->function);
  free(program->reached);
  program->reached = NULL;
}

const char *coverageMissing(int index) {
  for (int t = 0; t < kTables; ++t)
    for (int r = 0; tables[t][r].pattern; ++r)
      if (!executed[t][r] && index-- == 0)
        return tables[t][r].pattern;
  return NULL;
}

// Kernels of these tests are C++, and a report leaves their vectors where they
// are; the model is C, and what it loses is found.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:operator new\n"; }
