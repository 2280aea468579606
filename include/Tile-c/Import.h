//===-- Tile-c/Import.h - other languages, and MLIR as text ---*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_IMPORT_H
#define TILE_C_IMPORT_H

#include "Tile-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a PrimFunc or an IRModule of TileLang, as `tvm.ir.save_json` writes it
/// (docs/tilelang.md). Errors are at the lines of the Python source; `name`
/// stands for the file in errors about the JSON itself. Available since: 0.1
TILE_C_EXPORTED TileCompilerModule *
tileCompilerModuleImportTileLang(TileCompiler *compiler, const void *bytes,
                                 size_t size, const char *name,
                                 TileRtError *error);

/// The module as MLIR text, with the names of the source; it lives as long as
/// the module. A NUL follows it, which is not counted. Available since: 0.1
TILE_C_EXPORTED const char *
tileCompilerModuleGetText(TileCompiler *compiler, TileCompilerModule *module,
                          size_t *size, TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_IMPORT_H
