//===- Passes.td - from tile to Ascend instructions --------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOASCEND_PASSES
#define TILE_CONVERSION_TILETOASCEND_PASSES

include "mlir/Pass/PassBase.td"

def AscendInferMemoryPass : Pass<"ascend-infer-memory"> {
  let summary = "places tiles in the memories of an Ascend core";
  let description = [{
    Buffers in `shared`, `fragment` and `local` get one of the memories of the chip. Those that only the vector unit and
    copies access lie in UB; operands of matrix products lie in L1 and their accumulators in L0C. The memory of each operand
    is asked of the op (`AscendLoweringOpInterface`).

    A tile that both cores need lies in UB. Each matrix product takes a copy of it in L1, or accumulates in a buffer of its
    own in L0C, over as many loops as access the tile in no other way; the result is then copied or added to the tile. (The
    order of additions changes with it.)
  }];
}

def AscendSplitRowsPass : Pass<"ascend-split-rows"> {
  let summary = "shares the rows of tiles between the two vector cores of a block";
  let description = [{
    In a kernel of both cores, each block has one cube core and two vector cores. A tile in UB that is accessed row by row
    becomes one of half the rows, the first dimension that is not 1: each vector core holds its own half, from
    `ascend.sub_block` on. Copies, fills, reductions along rows and `tile.parallel` over the rows do half the work; a tile
    that is copied to the cube, or from there, is copied half by half. Of an odd number of rows, the first core has one more.

    Ops that mix rows (a reduction over them, an index that is not the iteration variable) and ops that do not say how they
    work row by row (`AscendLoweringOpInterface`) keep their tiles whole: both cores compute them, and one of them stores
    them. A remark says why. Rows of a global buffer that one core stores and the other one stores or loads are a reason,
    too: nothing orders the two cores. A kernel in which both cores would have to read the rows that the first one stores is
    refused.

    The blocks of a kernel without matrix products are vector cores; there is nothing to share.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tile::ascend::AscendDialect"
  ];
}

def AscendPipelineLoopsPass : Pass<"ascend-pipeline-loops"> {
  let summary = "overlaps the iterations of pipelined loops";
  let description = [{
    A loop with `ascend.stages = n` becomes one of n iterations at a time, the stages, each with buffers of its own for tiles
    from GM and to GM. Where the number of iterations is not known to be a multiple of n, branches behind the loop do the
    remaining iterations, from the first stage on, so that any number of them is right.

    In a kernel of both cores, the body is cut where the core changes, and each part runs for its n iterations before the
    next part begins: while one core works on its part of an iteration, the other one is at another iteration. Tiles that
    go from core to core have n places in their workspace, and their flags count. Instructions whose result no earlier
    part needs are postponed to the part that does. Parts that depend on later parts of earlier iterations stay together.

    When the memories do not hold n stages, fewer are taken, with a remark.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tile::ascend::AscendDialect"
  ];
}

def AscendSplitCoresPass : Pass<"ascend-split-cores"> {
  let summary = "divides kernels between the cube core and the vector cores";
  let description = [{
    The code of a kernel that has instructions of both cores becomes two sections (`ascend.section`): each has the scalar
    code, and the instructions and cross-core flags of its core. Loops that have nothing left disappear later.

    **Errors.** `one core writes a global buffer that the other core uses; nothing orders the two`.
  }];
  let dependentDialects = ["::mlir::tile::ascend::AscendDialect"];
}

def ConvertTileToAscendPass : Pass<"convert-tile-to-ascend"> {
  let summary = "lowers tile ops to Ascend instructions";
  let description = [{
    Replaces the tile ops of a kernel, whose buffers have their memories, by ops of the `ascend` dialect. `tile.kernel` and
    `tile.alloc` stay; loops become `scf.for`.

    A buffer in UB becomes a matrix whose rows begin at whole blocks of 32 bytes. A tile that reaches past the end of a
    global buffer is filled with the padding value before the part that is inside is copied; stores are cut off. Element types
    that an instruction does not take are converted on the way, as the tables of the target say.

    `tile.parallel` becomes vector instructions over its last two dimensions that are not 1: each value is a matrix, or a
    row, a column or a scalar where it does not depend on both. Comparisons of indices are comparisons in f32 with a
    sequence.

    A copy from L0C to UB, or from UB to L1, goes from core to core through a workspace in GM, with a flag that says that it is
    full and one that says that it is free.

    **Errors.** Each op or access without an instruction is named, with its reason.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tile::ascend::AscendDialect"
  ];
}

#endif // TILE_CONVERSION_TILETOASCEND_PASSES
