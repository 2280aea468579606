//===- GemmPasses.td - passes for operands of products -----*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_GEMMPASSES
#define TILE_TRANSFORMS_GEMMPASSES

include "mlir/Pass/PassBase.td"

def DeferScalesPass : Pass<"tile-defer-scales"> {
  let summary = "powers of two that scales of converted operands leave to the sums";
  let description = [{
    An element of 4 bits that is converted to bf16 and multiplied by a scale takes one fused multiply-add on some GPUs, if the
    scale is small: its bits are those of a float below the normal ones, times 2^133. Here the scale of such an operand is
    multiplied by 2^-64, and the sum by 2^64, once, behind its last product. Scales from 2^-62 to 2^59 lose nothing by that;
    larger ones overflow, an infinite one makes NaN of all weights, and smaller ones lose bits, as products below 2^-62 do. So
    the program has to allow it: the multiplication has `fastmath<reassoc>`.

    That is so where
    - the chip converts to pairs of bf16;
    - the operand is a fragment of bf16 that a `tile.copy` converts from elements of 4 bits, a `tile.parallel` multiplies in
      place, and one `tile.gemm` reads, as one operand;
    - the sum is of f32 in a fragment, begins with a fill of 0, has no other products, is used behind them, and none is asynchronous.

    A remark, `DeferredScale`, reports each sum, or why one with such operands keeps its scales.

    **Example.** In
    ```mlir
    func.func @product(%q: memref<64x64xi4>, %s: memref<64xbf16>, %b: memref<16x64xbf16>, %c: memref<64x16xf32>) {
      tile.kernel (%x) in (1) threads(128) {
        %w = tile.alloc : memref<64x64xbf16, #tile.fragment>
        %bs = tile.alloc : memref<16x64xbf16, #tile.shared>
        %sum = tile.alloc : memref<64x16xf32, #tile.fragment>
        tile.fill %sum, 0.0
        tile.copy %q, %w
        tile.copy %b, %bs
        tile.parallel (%i, %j) in (64, 64) {
          %v = memref.load %w[%i, %j] : memref<64x64xbf16, #tile.fragment>
          %scale = memref.load %s[%i] : memref<64xbf16>
          %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
          memref.store %next, %w[%i, %j] : memref<64x64xbf16, #tile.fragment>
        }
        tile.gemm %w, %bs, %sum {transpose_b}
        tile.copy %sum, %c
      }
      return
    }
    ```
    `%scale` is multiplied by 2^-64, and each element of `%sum` by 2^64 in front of the last copy.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_GEMMPASSES
