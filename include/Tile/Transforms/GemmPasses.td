//===- GemmPasses.td - passes for operands of products -----*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_GEMMPASSES
#define TILE_TRANSFORMS_GEMMPASSES

include "mlir/Pass/PassBase.td"

def SplitConversionsPass : Pass<"tile-split-conversions"> {
  let summary = "loops of their own for conversions of elements of 4 bits";
  let description = [{
    A loop that reads elements of 4 bits at places that it computes, converts and scales them, and writes them to a fragment
    becomes two: one only converts, the other scales in place. The first one then reads whole words where the elements of a
    thread fill them, and `tile-defer-scales` knows the second one. The order of packed weights is such an index.

    That is so where
    - the chip converts to pairs of bf16;
    - the loop covers a fragment, whose elements it writes by its own indices and does not read, and writes nothing else;
    - it reads one element of 4 bits of shared memory, by indices that depend on its own ones alone, and uses it only to convert
      it to the element type of the fragment.

    A remark, `SplitConversion`, reports each such loop.

    **Example.** In
    ```mlir
    func.func @unpack(%q: memref<64x128xi4>, %s: memref<64xbf16>, %c: memref<64x128xbf16>) {
      tile.kernel (%x) in (1) threads(128) {
        %codes = tile.alloc : memref<64x128xi4, #tile.shared>
        %w = tile.alloc : memref<64x128xbf16, #tile.fragment>
        tile.copy %q, %codes
        tile.parallel (%i, %j) in (64, 128) do %w[%i, %j] = bf16(%codes[%i, %j mod 2 * 64 + %j floordiv 2]) * %s[%i]
        tile.copy %w, %c
      }
      return
    }
    ```
    the loop becomes one that writes `bf16(%codes[...])` to `%w[%i, %j]`, and one that multiplies `%w[%i, %j]` by `%s[%i]`.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

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
    - the operand is a fragment of bf16 that a `tile.copy` or a `tile.parallel` converts from elements of 4 bits, a
      `tile.parallel` multiplies in place, and one `tile.gemm` reads, as one operand; the same may follow again, for other products;
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
