//===- CoreOverlap.h - loops that both cores share --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The records of CoreOverlap.td, which says what the fields mean.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_COREOVERLAP_H
#define TILE_TARGET_COREOVERLAP_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tile::target {

struct CoreSteps {
  llvm::StringLiteral chip;
  uint32_t few, most;
};

struct CoreDistances {
  llvm::StringLiteral chip;
  uint32_t rank, fromCube, fromVector, fromCopy;
};

/// By the name of the chip; null where the chip has no record.
const CoreSteps *lookupCoreSteps(llvm::StringRef chip);

/// The choices for a chip, the best one first.
llvm::SmallVector<CoreDistances, 4> lookupCoreDistances(llvm::StringRef chip);

} // namespace tile::target

#endif // TILE_TARGET_COREOVERLAP_H
