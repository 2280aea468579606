// A reduction leaves NaNs out; Ascend did not.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @reduce(%a: memref<16x64xf32>, %c: memref<16xf32> {tile.result}) {
  %nan = arith.constant 0x7FC00000 : f32
  %c5 = arith.constant 5 : index
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.fragment>
    %n = tile.alloc : memref<16x64xf32, #tile.fragment>
    %r = tile.alloc : memref<16xf32, #tile.fragment>
    tile.copy %a, %n : memref<16x64xf32>, memref<16x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 64) {
      %v = memref.load %n[%i, %j] : memref<16x64xf32, #tile.fragment>
      %far = arith.constant 1.0 : f32
      %odd = arith.cmpf ogt, %v, %far : f32
      %w = arith.select %odd, %nan, %v : f32
      memref.store %w, %x[%i, %j] : memref<16x64xf32, #tile.fragment>
    }
    tile.reduce max %x, %r dim(1) : memref<16x64xf32, #tile.fragment>, memref<16xf32, #tile.fragment>
    tile.copy %r, %c : memref<16xf32, #tile.fragment>, memref<16xf32>
  }
  return
}
