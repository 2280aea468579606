//===- GemmLayouts.h - the operands of a gemm's instruction -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `#tile.mma` on a gemm means on a target: the row of the instruction
// tables and the layouts of the operands.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_GEMMLAYOUTS_H
#define TILE_TRANSFORMS_GEMMLAYOUTS_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Layout/Distribute.h"

namespace mlir::tile {

/// The types of the instruction that computes the gemm: sums of floats are
/// those of f32 or f64 whatever the type of `c`, which is converted.
/// Fails on types that no table has.
::tile::layout::Result<::tile::target::MmaTypes> getMmaTypes(GemmOp gemm);

/// The row behind `gemm`'s instruction; fails for `fma`, for a gemm without an
/// instruction, and for one that the target does not have.
::tile::layout::Result<::tile::target::MmaChoice>
getMmaChoice(GemmOp gemm, const ::tile::target::Target &target);

/// Where the instruction wants an operand that lies in registers, in the shape
/// of the buffer (`a` of a transposed gemm is K x M). `warps` are those of the
/// kernel.
::tile::layout::Result<::tile::layout::Layout>
getGemmFragment(GemmOp gemm, ::tile::layout::MatrixOperand operand,
                const ::tile::target::Target &target, int64_t warps);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_GEMMLAYOUTS_H
