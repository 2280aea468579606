//===- ViewPasses.td - passes over views of buffers --------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_VIEWPASSES
#define TILE_TRANSFORMS_VIEWPASSES

include "mlir/Pass/PassBase.td"

def FoldViewsPass : Pass<"tile-fold-views"> {
  let summary = "addresses parts of buffers in the buffers themselves";
  let description = [{
    Replaces accesses of a `memref.subview` by accesses of its source: copies take the region that lies there, element accesses
    and accesses of vectors the indices. `memref.expand_shape` and `memref.collapse_shape` of static shapes become `tile.reshape`.
    What is left of `tile.reshape` of a global buffer in copies goes the same way, if it
    merges dimensions and the tile lies in the innermost of those. Instruction selection, tensor copies and Ascend then see
    plain regions of arguments.

    A copy out of or into a part of a global buffer is bounded by the part: what lies outside reads as padding, not as what
    stands next to it. It is replaced only where the tile is known to stay in the part, or where part and buffer end at the
    same place; other views stay, and GPUs and the CPU lower them.

    What is left of `memref.expand_shape` and `memref.collapse_shape` of global buffers with dynamic extents becomes a
    `memref.reinterpret_cast`, except of row-major buffers on GPUs, and where a buffer that is not row-major is collapsed; so does
    what is left of `tile.reshape` of global buffers where the target is an NPU. Without a target all of them stay.

    Ops that take whole tiles (`tile.gemm`, `tile.reduce` …) get a tile of their own for a part: the part is copied there before
    the op if it is read, and back behind it if it is written. A remark, `PartOfTile`, tells of it.

    **Errors.** `takes a part of a tile with strides other than 1; copy it to a tile of its own first`.

    **Example.** In
    ```mlir
    func.func @second_half(%a: memref<64x128xf16>, %b: memref<64x64xf16>) {
      tile.kernel (%k) in (1) {
        %t = tile.alloc : memref<64x64xf16, #tile.shared>
        %half = memref.subview %a[0, 64] [64, 64] [1, 1] : memref<64x128xf16> to memref<64x64xf16, strided<[128, 1], offset: 64>>
        tile.copy %half, %t : memref<64x64xf16, strided<[128, 1], offset: 64>>, memref<64x64xf16, #tile.shared>
        tile.copy %t, %b : memref<64x64xf16, #tile.shared>, memref<64x64xf16>
      }
      return
    }
    ```
    the first copy becomes `tile.copy %a[0, 64] [64, 64], %t`.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect", "::mlir::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_VIEWPASSES
