//===- SparseGemms.h - instructions of sparse products ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse instruction has the name, the accumulator and the stored elements of
// A of a dense one, and twice its K, so that it takes B of two of these. The
// tables have the dense instruction, of which `sparse` says that there is that
// form; `#tile.mma` on a sparse gemm has the sparse K.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_SPARSEGEMMS_H
#define TILE_TRANSFORMS_SPARSEGEMMS_H

#include "Tile/Dialect/Tile/IR/Sparse.h"
#include "Tile/Layout/Distribute.h"

namespace mlir::tile {

/// Dense instructions in one sparse one, along K.
constexpr int64_t kSparseDepth = 2;

/// The instruction with which sparse tensor cores of the target compute the
/// product; fails where they cannot.
::tile::layout::Result<MmaAttr>
selectSparseGemm(SparseGemmOp gemm, const ::tile::target::Target &target);

/// The dense instruction behind that of `gemm`; fails if it has none, or none
/// of the target.
::tile::layout::Result<::tile::target::MmaChoice>
getDenseChoice(SparseGemmOp gemm, const ::tile::target::Target &target);

/// Where the instruction wants `c`.
::tile::layout::Result<::tile::layout::Layout>
getSparseAccumulator(SparseGemmOp gemm, const ::tile::target::Target &target,
                     int64_t warps);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_SPARSEGEMMS_H
