//===- Stages.h - loops over the stages of buffers --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_STAGES_H
#define TILE_LIB_IMPORT_TILELANG_STAGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::tilelang {

/// A loop of nothing but loops over the stages of shared buffers, of which each
/// iteration overwrites one before it reads it, is one loop over the stages of
/// all iterations, and such a buffer is a tile without stages: how many there
/// are is up to the compiler. Inner loops become one where no iteration of an
/// earlier loop touches what an iteration before it of a later loop does.
void joinStages(func::FuncOp function);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_STAGES_H
