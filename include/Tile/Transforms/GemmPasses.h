//===- GemmPasses.h - passes for operands of products ------------ -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes do is written in GemmPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_GEMMPASSES_H
#define TILE_TRANSFORMS_GEMMPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#include "Tile/Transforms/GemmPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Transforms/GemmPasses.h.inc"

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_GEMMPASSES_H
