//===- Rates.cpp - how fast chips are -------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Target/Rates.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace tile::target {
#define GET_RatesTable_IMPL
#define GET_MatrixRatesTable_IMPL
#include "Tile/Target/Rates.inc"
} // namespace tile::target

using namespace tile::target;

const Rates *tile::target::lookupRates(llvm::StringRef chip) {
  const Rates *found = llvm::find_if(
      RatesTable, [&](const Rates &rates) { return rates.chip == chip; });
  return found == std::end(RatesTable) ? nullptr : found;
}

int64_t tile::target::lookupMatrixRate(llvm::StringRef chip,
                                       llvm::StringRef family, int64_t bits) {
  const MatrixRate *found =
      llvm::find_if(MatrixRatesTable, [&](const MatrixRate &rate) {
        return rate.chip == chip && rate.family == family && rate.bits == bits;
      });
  return found == std::end(MatrixRatesTable) ? 0 : found->operations;
}

std::string tile::target::listRatedChips() {
  std::string text;
  for (const Rates &rates : RatesTable)
    text += (text.empty() ? "" : ", ") + rates.chip.str();
  return text;
}
