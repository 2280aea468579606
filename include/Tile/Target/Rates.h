//===- Rates.h - how fast chips are -----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records of Rates.td, which says what the fields mean.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_RATES_H
#define TILE_TARGET_RATES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tile::target {

struct Rates {
  llvm::StringLiteral chip;
  uint32_t units, mhz, dramBytes, cacheBytes, cacheSize, unitCacheBytes;
  uint32_t rowCentiClocks, cacheRowCentiClocks;
  uint32_t sharedBytes, lanes, specialLanes, convertLanes;
  uint32_t dramLatency, stepLatency, shuffleLatency, blockLatency, launchNs, tensorPercent;
};

struct MatrixRate {
  llvm::StringLiteral chip, family;
  uint32_t bits, operations;
};

/// By the name of the chip; null where no figures are known.
const Rates *lookupRates(llvm::StringRef chip);

/// Operations a clock and unit of a family of matrix instructions ("wgmma") for
/// operands of so many bits; 0 where none is known.
int64_t lookupMatrixRate(llvm::StringRef chip, llvm::StringRef family,
                         int64_t bits);

/// "910B, 950, …": the chips that have rates.
std::string listRatedChips();

} // namespace tile::target

#endif // TILE_TARGET_RATES_H
