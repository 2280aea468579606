// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of results.

#ifndef TILE_RUN_TABLE_H
#define TILE_RUN_TABLE_H

#include "Run.h"

typedef struct TileRunTable {
  int kernelWidth, caseWidth, toleranceWidth;
  bool timed; ///< there is a column for the minimum
  bool rated; ///< there are columns for rates
  bool json;  ///< one object a line, and no head
  int32_t passed, failed, unchecked;
} TileRunTable;

/// Prints the head of a table for these cases.
void tile_run_table_begin(TileRunTable *table, const TileRunCaseList *cases,
                          bool timed, bool rated, bool json);
void tile_run_table_row(TileRunTable *table, const TileRunCase *c,
                        const TileRunOutcome *outcome);
void tile_run_table_end(const TileRunTable *table);

#endif // TILE_RUN_TABLE_H
