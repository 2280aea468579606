//===- CoreOverlap.cpp - loops that both cores share ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Target/CoreOverlap.h"

#include "llvm/ADT/STLExtras.h"

namespace tile::target {
#define GET_CoreStepsTable_IMPL
#define GET_CoreDistancesTable_IMPL
#include "Tile/Target/CoreOverlap.inc"
} // namespace tile::target

using namespace tile::target;

const CoreSteps *tile::target::lookupCoreSteps(llvm::StringRef chip) {
  const CoreSteps *found = llvm::find_if(
      CoreStepsTable, [&](const CoreSteps &row) { return row.chip == chip; });
  return found == std::end(CoreStepsTable) ? nullptr : found;
}

llvm::SmallVector<CoreDistances, 4>
tile::target::lookupCoreDistances(llvm::StringRef chip) {
  llvm::SmallVector<CoreDistances, 4> rows;
  for (const CoreDistances &row : CoreDistancesTable)
    if (row.chip == chip)
      rows.push_back(row);
  llvm::sort(rows, [](const CoreDistances &a, const CoreDistances &c) {
    return a.rank < c.rank;
  });
  return rows;
}
