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
    copies touch lie in UB; operands of products lie in L1 and their results in L0C.

    A tile that both cores need lies in UB. Each product takes a copy of it in L1, or adds to an accumulator of its own in
    L0C, over as many loops as touch the tile in no other way, whose content the tile then takes. (Sums of one tile are so
    added in another order.)
  }];
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
    global buffer is filled with the safe value before the part that is inside is copied; stores are cut off. Element types
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
