//===- Passes.h - estimates of kernels --------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_PASSES_H
#define TILE_COSTMODEL_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#include "Tile/CostModel/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/CostModel/Passes.h.inc"

} // namespace mlir::tile

#endif // TILE_COSTMODEL_PASSES_H
