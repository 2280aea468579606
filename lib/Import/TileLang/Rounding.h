//===- Rounding.h - how closely floats are computed -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLang's compiler of CUDA rounds a product and a sum once where it can, and
// approximates functions and quotients where the program asks for fast math.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_ROUNDING_H
#define TILE_LIB_IMPORT_TILELANG_ROUNDING_H

#include "ObjectGraph.h"

#include "mlir/IR/Operation.h"

namespace mlir::tile::tilelang {

/// Whether the attributes of a function have `tl.enable_fast_math` set.
bool wantsFastMath(Node attributes);

/// Flags of all arithmetic on f32 and f64 below `root`.
void setRounding(Operation *root, bool fastMath);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_ROUNDING_H
