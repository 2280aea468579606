//===- ClusterPasses.td - passes for clusters of blocks ----*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_CLUSTERPASSES
#define TILE_TRANSFORMS_CLUSTERPASSES

include "mlir/Pass/PassBase.td"

def SumInClustersPass : Pass<"tile-sum-in-clusters"> {
  let summary = "adds up parts within clusters, without a second kernel";
  let description = [{
    Blocks that share the reduction of a tile leave their parts in a workspace, and a second kernel adds them up. Where two
    blocks share a tile, they become a cluster, and add their parts up through each other's shared memory: the
    workspace and the second kernel disappear. `tile.cluster_sum` on the `tile.copy` or `tile.parallel` that stored the parts
    says that what it takes from its fragment is the sum over so many blocks, which share its elements out among themselves. It
    may be written by hand, with `cluster` on the kernel.

    That is so where
    - the chip has clusters;
    - the workspace, `tile.alloc` of the function, has a part for each of the two coordinates of a grid dimension, which nothing
      else that is stored depends on;
    - it is stored once, from a fragment of f32 that half of the shared memory of a block can hold, and the next kernel does nothing
      else than to sum up all parts of all elements of a result of the same size, in tiles, which are converted to a float type.

    Larger clusters leave processors of a chip idle, and lose more than the second kernel takes. The order of the sum is that of the
    blocks. A remark, `ClusterSum`, reports each workspace that disappears, or why one of such a pair of kernels does not.

    **Example.** In
    ```mlir
    func.func @dot(%a: memref<64x1024xf16>, %b: memref<64x1024xf16>, %c: memref<64x64xf16>) {
      %parts = tile.alloc : memref<2x64x64xf32>
      tile.kernel (%z) in (2) threads(128) {
        %as = tile.alloc : memref<64x64xf16, #tile.shared>
        %bs = tile.alloc : memref<64x64xf16, #tile.shared>
        %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.fill %sum, 0.0
        tile.pipelined %k = 0 to 8 stages(2) {
          tile.copy %a[0, (%z * 8 + %k) * 64], %as
          tile.copy %b[0, (%z * 8 + %k) * 64], %bs
          tile.gemm %as, %bs, %sum {transpose_b}
        }
        tile.copy %sum, %parts[%z, 0, 0]
      }
      tile.kernel (%y) in (16) threads(128) {
        %all = tile.alloc : memref<2x4x64xf32, #tile.fragment>
        %total = tile.alloc : memref<4x64xf32, #tile.fragment>
        tile.copy %parts[0, %y * 4, 0], %all
        tile.reduce sum %all, %total dim(0)
        tile.copy %total, %c[%y * 4, 0]
      }
      return
    }
    ```
    the first kernel gets `cluster(2)` and ends with `tile.copy %sum, %c {tile.cluster_sum = 2 : i64}`; the second one is gone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::tile::TileDialect"];
}

def SpreadRowsPass : Pass<"tile-spread-rows"> {
  let summary = "divides long rows among the blocks of a cluster";
  let description = [{
    A kernel that reduces whole rows, such as a softmax or a norm, holds them in a block. Long ones spill registers, or leave room for
    few blocks on a processor, whose loads then wait for the stores of the rows before. On chips with clusters such a kernel gets one
    more dimension of its grid, and a cluster along it: each block has a part of the columns of all tiles whose rows are reduced, and
    of those that are copied or computed from them. Reductions combine the parts of all blocks of the cluster (`tile.spread`, the
    number of the blocks) by stores to the shared memory of the others, and all of them get the same result. What has no columns is
    computed by each block; copies of it to global memory are those of the first block.

    `tile.spread_rows` on a kernel chooses the number of blocks, each of the kernel's `threads`; 1 keeps rows whole. Without it, rows
    are divided where a tile of them takes more than half of the registers of a processor, elements counted as 32 bits, or those in
    shared memory more than one in `least` parts of that: among as few blocks as end it, if parts are whole vectors of the chip.
    Threads that keep elements of a tile in registers are then divided, too: each has as many as before, and at most 64. Elements of 32
    bits or more in registers are divided further if that takes no more than four blocks, two where rows are reduced more than once and
    blocks wait for each other as often: a quarter of the registers each, at most 32 elements a thread, and two of them share a
    processor (`tile.resident_blocks`). Where none keeps any, but each computes 32 or more of a tile, `tile.resident_blocks` asks for as
    many blocks as fill half of the shared memory of a processor and leave 40 registers a thread, whether rows are divided or not.

    A kernel is divided if its ops, beside allocations and arithmetic, are copies, fills, reductions and loops `tile.parallel` over
    all columns, which index tiles by the variable of the columns and combine nothing by atomics; if nothing in it has an
    instruction, layout or cluster yet; and if it reads no other columns of global memory than it writes. A remark says into how many
    parts rows are divided, or why they are not.

    **Example.** With `tile.spread_rows = 4`, of
    ```mlir
    func.func @total(%x: memref<64x4096xf32>, %y: memref<64xf32>) {
      tile.kernel (%b) in (64) attributes {tile.spread_rows = 4} {
        %row = tile.alloc : memref<1x4096xf32, #tile.fragment>
        %sum = tile.alloc : memref<1xf32, #tile.fragment>
        tile.copy %x[%b, 0], %row
        tile.reduce sum %row, %sum dim(1)
        tile.copy %sum, %y[%b]
      }
      return
    }
    ```
    the kernel becomes
    ```
    tile.kernel (%b, %part) in (64, 4) threads(128) cluster(1, 4) {
      %row = tile.alloc : memref<1x1024xf32, #tile.fragment>
      …
      tile.copy %x[%b, %part * 1024] [1, 1024], %row
      tile.reduce sum %row, %sum dim(1) {tile.spread = 4}
      scf.if %isFirst {
        tile.copy %sum, %y[%b]
    ```
  }];
  let options = [
    Option<"least", "least", "int64_t", /*default=*/"3",
           "blocks with rows in shared memory that are to share a processor">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_CLUSTERPASSES
