//===- IndexedPasses.td - ops that have a form in others ---*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_INDEXEDPASSES
#define TILE_TRANSFORMS_INDEXEDPASSES

include "mlir/Pass/PassBase.td"

def ExpandIndexedPass : Pass<"tile-expand-indexed"> {
  let summary = "writes rows by a list, windows and positions of extrema in other ops";
  let description = [{
    Replaces `tile.arg_reduce` by a reduction to the extremum, a loop that gives each element that equals it its index, and a
    reduction to the lowest one. A NaN equals an extremum that is a NaN.

    With `rows`, `tile.gather` and `tile.scatter` become loops that read an entry of the list and copy one row, for targets that
    move a row at a time: the CPU and Ascend. GPUs lower both ops as they are.

    With `lists`, too, an entry is read from a tile that takes the list of a gather or scatter from global memory before, and a
    gathered tile is filled before its rows are copied: where an element of global memory takes as long as many of them, and a
    row that is filled has the next ones wait, as on Ascend.

    With `windows`, `tile.im2col` becomes a copy of a box of the image where the rows of the tile are known to be one (of part of a
    line of output pixels, of whole lines, or of whole images, at a stride of 1) and its columns channels of one element of the
    window. Otherwise it becomes a loop over the elements of the tile that reads each where it is in the image: for GPUs, on which
    every thread can.

    **Example.** With `rows`, of
    ```mlir
    func.func @rows(%a: memref<?x64xf32>, %list: memref<8xi32>, %b: memref<8x64xf32>) {
      tile.kernel (%k) in (1) {
        %t = tile.alloc : memref<8x64xf32, #tile.shared>
        tile.gather %a[0, 0] by %list[0], %t : memref<?x64xf32>, memref<8xi32>, memref<8x64xf32, #tile.shared>
        tile.copy %t, %b : memref<8x64xf32, #tile.shared>, memref<8x64xf32>
      }
      return
    }
    ```
    the gather becomes a loop `scf.for %j` with `tile.copy %a[%row, 0] [1, 64], %t[%j, 0] [1, 64]`, where `%row` is the entry, or
    -1 if that is negative.
  }];
  let options = [
    Option<"rows", "rows", "bool", /*default=*/"false", "gathers and scatters become loops over rows, too">,
    Option<"windows", "windows", "bool", /*default=*/"false", "im2col becomes a loop over elements, too">,
    Option<"lists", "lists", "bool", /*default=*/"false", "with rows: lists in global memory are copied to tiles, and gathered tiles filled before">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tile::TileDialect"];
}

def ExpandSparsePass : Pass<"tile-expand-sparse"> {
  let summary = "gives sparse products their instruction, or writes them as dense ones";
  let description = [{
    Where the sparse tensor cores of the target compute a `tile.sparse_gemm`, it gets its `instruction`. Otherwise its sparse
    operand is written, with the zeros, to a tile in shared memory by a `tile.parallel`, and multiplied by `tile.gemm`; a remark
    says why. One that has an instruction stays.

    **Example.** On a CPU, of
    ```mlir
    func.func @sparse(%a: memref<16x16xf16>, %e: memref<16x2xi16>, %b: memref<32x8xf16>, %c: memref<16x8xf32>) {
      tile.kernel (%k) in (1) {
        %as = tile.alloc : memref<16x16xf16, #tile.shared>
        %es = tile.alloc : memref<16x2xi16, #tile.shared>
        %bs = tile.alloc : memref<32x8xf16, #tile.shared>
        %cf = tile.alloc : memref<16x8xf32, #tile.fragment>
        tile.copy %a, %as
        tile.copy %e, %es
        tile.copy %b, %bs
        tile.sparse_gemm %as by %es, %bs, %cf {clear}
        tile.copy %cf, %c
      }
      return
    }
    ```
    the product becomes a `tile.parallel (%m, %k) in (16, 32)` that stores to a new `memref<16x32xf16, #tile.shared>`, and a
    `tile.gemm` of that tile.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_INDEXEDPASSES
