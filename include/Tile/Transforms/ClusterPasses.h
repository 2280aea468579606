//===- ClusterPasses.h - passes for clusters of blocks ---------- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes do is written in ClusterPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_CLUSTERPASSES_H
#define TILE_TRANSFORMS_CLUSTERPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#include "Tile/Transforms/ClusterPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Transforms/ClusterPasses.h.inc"

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_CLUSTERPASSES_H
