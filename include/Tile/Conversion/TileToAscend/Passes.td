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
    copies touch lie in UB.
  }];
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

    **Errors.** Each op or access without an instruction is named, with its reason.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tile::ascend::AscendDialect"
  ];
}

#endif // TILE_CONVERSION_TILETOASCEND_PASSES
