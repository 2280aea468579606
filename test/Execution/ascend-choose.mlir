// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s --arg='0:integers(0,1)' --arg='1:integers(0,1)' | FileCheck %s

// Maxima and minima of scalars: 0 / 0 is a NaN, on the left, on the right and on both sides. `maximumf` and `minimumf`
// keep it, `maxnumf` and `minnumf` leave it out.

// CHECK: {{^}}1 passed, 0 failed

func.func @choose(%a: memref<66xf32>, %d: memref<66xf32>, %out: memref<64x4x8xf32> {tile.result}) {
  tile.kernel (%b) in (64) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    %c1 = arith.constant 1 : index
    %next = arith.addi %b, %c1 : index
    %a0 = memref.load %a[%b] : memref<66xf32>
    %d0 = memref.load %d[%b] : memref<66xf32>
    %x = arith.divf %a0, %d0 : f32
    %a1 = memref.load %a[%next] : memref<66xf32>
    %d1 = memref.load %d[%next] : memref<66xf32>
    %y = arith.divf %a1, %d1 : f32
    %v0 = arith.maximumf %x, %y : f32
    tile.fill %t, %v0 : memref<8xf32, #tile.shared>
    tile.copy %t, %out[%b, 0, 0] : memref<8xf32, #tile.shared>, memref<64x4x8xf32>
    %v1 = arith.minimumf %x, %y : f32
    tile.fill %t, %v1 : memref<8xf32, #tile.shared>
    tile.copy %t, %out[%b, 1, 0] : memref<8xf32, #tile.shared>, memref<64x4x8xf32>
    %v2 = arith.maxnumf %x, %y : f32
    tile.fill %t, %v2 : memref<8xf32, #tile.shared>
    tile.copy %t, %out[%b, 2, 0] : memref<8xf32, #tile.shared>, memref<64x4x8xf32>
    %v3 = arith.minnumf %x, %y : f32
    tile.fill %t, %v3 : memref<8xf32, #tile.shared>
    tile.copy %t, %out[%b, 3, 0] : memref<8xf32, #tile.shared>, memref<64x4x8xf32>
  }
  return
}
