//===- Passes.h - from threads to NVIDIA GPUs -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_GPUTONVVM_PASSES_H
#define TILE_CONVERSION_GPUTONVVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#include "Tile/Conversion/GPUToNVVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Conversion/GPUToNVVM/Passes.h.inc"

} // namespace mlir::tile

#endif // TILE_CONVERSION_GPUTONVVM_PASSES_H
