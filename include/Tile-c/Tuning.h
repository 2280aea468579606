//===-- Tile-c/Tuning.h - estimates and tuned parameters ----------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_TUNING_H
#define TILE_C_TUNING_H

#include "Tile-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Estimates how long the functions of a module with kernels take on a chip, for
/// sizes ("M=64 N=32"; null for those of the first case of each). Nothing is
/// compiled. `seconds` may be null. `json` may be null; else it is filled with a
/// text that docs/cost-model.md describes, for the caller to free().
/// Available since: 0.1
TILE_C_EXPORTED bool
tileCompilerModuleEstimate(TileCompiler *compiler, TileCompilerModule *module,
                           const char *chip, const char *sizes,
                           double *seconds, char **json, TileRtError *error);

/// The module with the values that a record of tile-tune has for the parameters
/// of a function, for sizes on a chip; a new module in any case. Sizes that the
/// record does not have are a remark. Available since: 0.1
TILE_C_EXPORTED TileCompilerModule *
tileCompilerModuleTune(TileCompiler *compiler, TileCompilerModule *module,
                       const char *record, const char *chip,
                       const char *function, const char *sizes,
                       TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_TUNING_H
