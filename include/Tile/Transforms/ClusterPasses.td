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
    - it is stored once, from a fragment of f32 that half of the shared memory of a block can hold, and the next kernel does nothing else than to sum up all parts of all elements
      of a result of the same size, in tiles, which are converted to a float type.

    Larger clusters leave processors of a chip idle, and lose more than the second kernel takes. The order of the sum is that of the blocks. A remark, `ClusterSum`, reports each workspace that disappears, or why one of
    such a pair of kernels does not.

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

#endif // TILE_TRANSFORMS_CLUSTERPASSES
