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
class SparseGemmOp;

/// The types of the instruction that computes the gemm: sums of floats are
/// those of f32 or f64 whatever the type of `c`, which is converted.
/// Fails on types that no table has.
::tile::layout::Result<::tile::target::MmaTypes> getMmaTypes(GemmOp gemm);
::tile::layout::Result<::tile::target::MmaTypes> getMmaTypes(SparseGemmOp gemm);

/// The row behind `gemm`'s instruction; fails for `fma`, for a gemm without an
/// instruction, and for one that the target does not have.
::tile::layout::Result<::tile::target::MmaChoice>
getMmaChoice(GemmOp gemm, const ::tile::target::Target &target);

/// Where the instruction wants an operand that lies in registers, in the shape
/// of the buffer (`a` of a transposed gemm is K x M). `warps` are those of the
/// kernel. With `steps` above 1, `a` and `b` are those of so many instructions
/// along K at once; see getStepsOfRead.
::tile::layout::Result<::tile::layout::Layout>
getGemmFragment(GemmOp gemm, ::tile::layout::MatrixOperand operand,
                const ::tile::target::Target &target, int64_t warps,
                int64_t steps = 1);

/// For how many instructions along K a thread takes its part of `a` and `b` from
/// shared memory by one read. A product does not depend on the order of its
/// terms, so that the instructions may share out K among the threads in any way
/// that is the same for both operands: each thread has neighbours along K, as
/// many as the widest read brings, and gives them to one instruction after the
/// other. 1 where an operand lies in registers, whose order is the
/// instruction's.
int64_t getStepsOfRead(GemmOp gemm, const ::tile::target::Target &target);

/// The same where one operand lies in registers and copies convert it from
/// shorter elements in memory, of which a read brings more neighbours. The other
/// one lies in shared memory, or in registers that nothing else gives an order.
int64_t getStepsOfConversion(GemmOp gemm,
                             const ::tile::target::Target &target);

/// How many instructions share out K if an operand in registers has `layout`; 1
/// if it is no fragment of the gemm.
int64_t getStepsOfLayout(GemmOp gemm, ::tile::layout::MatrixOperand operand,
                         const ::tile::layout::Layout &layout,
                         const ::tile::target::Target &target, int64_t warps);

/// The fragment of `steps` instructions along K at once, where each thread has
/// neighbours along K, as many as in all the instructions together.
::tile::layout::Result<::tile::layout::Layout>
widenFragment(const ::tile::layout::Layout &fragment,
              ::tile::layout::MatrixOperand operand, int64_t steps);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_GEMMLAYOUTS_H
