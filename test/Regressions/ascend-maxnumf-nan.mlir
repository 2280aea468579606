// 'maxnumf' of a number and a NaN is the number; Ascend gave the NaN.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @maxnum(%a: memref<16x64xf32>, %c: memref<16x64xf32> {tile.result}) {
  %nan = arith.constant 0x7FC00000 : f32
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.fragment>
    %n = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.copy %a, %x : memref<16x64xf32>, memref<16x64xf32, #tile.fragment>
    tile.fill %n, %nan : memref<16x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 64) {
      %u = memref.load %x[%i, %j] : memref<16x64xf32, #tile.fragment>
      %v = memref.load %n[%i, %j] : memref<16x64xf32, #tile.fragment>
      %w = arith.maxnumf %u, %v : f32
      memref.store %w, %x[%i, %j] : memref<16x64xf32, #tile.fragment>
    }
    tile.copy %x, %c : memref<16x64xf32, #tile.fragment>, memref<16x64xf32>
  }
  return
}
