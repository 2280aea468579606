// A scan that is longer than a block: blocks add up their parts, one block scans the sums, blocks scan their parts behind them.
// Three kernels and a workspace; what one kernel writes, the next one reads.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}

func.func @prefix_sum(%x: memref<?xi32> {tile.shape = "N", tile.init = "integers(-9,9)"}, %y: memref<?xi32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @prefix_sum_reference, tile.cases = ["N=5000", "N=256", "N=257", "N=1", "N=0"]} {
  %sums = tile.alloc (ceildiv(dim(%x, 0), 256)) : memref<?xi32>
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 256)) threads(128) {
    %t = tile.alloc : memref<256xi32, #tile.shared>
    %sum = tile.alloc : memref<1xi32, #tile.shared>
    tile.copy %x[%b * 256], %t
    tile.reduce sum %t, %sum dim(0)
    tile.copy %sum, %sums[%b]
  }
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<128xi32, #tile.shared>
    %carry = tile.alloc : memref<1xi32, #tile.shared>
    %sum = tile.alloc : memref<1xi32, #tile.shared>
    tile.fill %carry, 0
    tile.pipelined %k = 0 to ceildiv(dim(%sums, 0), 128) {
      tile.copy %sums[%k * 128], %t
      tile.reduce sum %t, %sum dim(0)
      tile.scan sum %t, %t dim(0)
      tile.parallel (%i) in (128) do %t[%i] = %t[%i] + %carry[0]
      tile.copy %t, %sums[%k * 128]
      tile.parallel (%i) in (1) do %carry[%i] = %carry[%i] + %sum[%i]
    }
  }
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 256)) threads(128) {
    %t = tile.alloc : memref<256xi32, #tile.shared>
    %before = tile.alloc : memref<1xi32, #tile.shared>
    tile.copy %x[%b * 256], %t
    // Before the first block, the padding value: 0.
    tile.copy %sums[%b - 1], %before
    tile.scan sum %t, %t dim(0)
    tile.parallel (%i) in (256) do %t[%i] = %t[%i] + %before[0]
    tile.copy %t, %y[%b * 256]
  }
  return
}
func.func private @prefix_sum_reference(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  affine.for %i = 0 to %n iter_args(%old = %zero) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %new = arith.addi %old, %v : i32
    affine.store %new, %y[%i] : memref<?xi32>
    affine.yield %new : i32
  }
  return
}
