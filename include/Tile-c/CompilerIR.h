//===-- Tile-c/CompilerIR.h - from the IR level to the compiler ---*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_COMPILERIR_H
#define TILE_C_COMPILERIR_H

#include "Tile-c/Compiler.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Copies a module, which stays the caller's; it must consist of the dialects
/// of the project and of upstream. Its context must not be used by other
/// threads meanwhile. Available since: 0.1
TILE_C_EXPORTED TileCompilerModule *
tileCompilerModuleFromIR(TileCompiler *compiler, MlirModule module,
                         TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_COMPILERIR_H
