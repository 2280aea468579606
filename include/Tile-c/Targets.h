//===-- Tile-c/Targets.h - chips ----------------------------------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler knows about chips. Everything is constant and may be read
// from any thread; docs/targets.md has all of it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_TARGETS_H
#define TILE_C_TARGETS_H

#include "Tile-c/Support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A chip. Texts are static. A number is -1 where the chip has no such thing.
typedef struct TileChip {
  size_t structSize;          ///< set by the caller: sizeof(TileChip)
  const char *name;           ///< "sm_90a" ...
  const char *vendor;         ///< "nvidia", "amd", "ascend" or "cpu"
  const char *products;       ///< "H100, H200" ...
  int64_t warpSize;           ///< threads of a warp
  int64_t threadsPerBlock;    ///< at most
  int64_t registersPerThread; ///< at most
  int64_t sharedBytesPerBlock;
  int64_t clusterSize; ///< at most
  int64_t tensorMemoryColumns;
  int64_t vectorBytes; ///< of a vector register of a CPU
  int64_t cubeCores;   ///< of an Ascend chip
} TileChip;

/// The number of chips. Available since: 0.1
TILE_C_EXPORTED size_t tileChipCount(void);

/// Describes a chip by its number. Fields that the caller's struct has not are
/// not written. False for a number that is no chip. Available since: 0.1
TILE_C_EXPORTED bool tileChipGet(size_t index, TileChip *chip);

/// Describes a chip by its name or alias. False if it is unknown.
/// Available since: 0.1
TILE_C_EXPORTED bool tileChipFind(const char *name, TileChip *chip);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_TARGETS_H
