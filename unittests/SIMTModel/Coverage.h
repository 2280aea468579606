// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of the model's tables the tests of this program have executed:
// each instruction has a test of its own (InstructionTest.cpp).

#ifndef TILE_UNITTESTS_SIMTMODEL_COVERAGE_H
#define TILE_UNITTESTS_SIMTMODEL_COVERAGE_H

#include "tile_simt_model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Around the launches of a program.
void coverageBegin(TileSimtProgram *program);
void coverageEnd(TileSimtProgram *program);
/// The patterns that no launch has reached, from 0; null behind the last.
const char *coverageMissing(int index);

#ifdef __cplusplus
}
#endif

#endif // TILE_UNITTESTS_SIMTMODEL_COVERAGE_H
