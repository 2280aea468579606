// Numbers that f16 does not hold become infinities, unless the copy saturates; Ascend gave 65504.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @narrow(%a: memref<16x32xi32> {tile.init = "integers(100000,200000)"}, %c: memref<16x32xf16> {tile.result}) {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<16x32xi32, #tile.fragment>
    %z = tile.alloc : memref<16x32xf16, #tile.fragment>
    tile.copy %a, %x : memref<16x32xi32>, memref<16x32xi32, #tile.fragment>
    tile.copy %x, %z : memref<16x32xi32, #tile.fragment>, memref<16x32xf16, #tile.fragment>
    tile.copy %z, %c : memref<16x32xf16, #tile.fragment>, memref<16x32xf16>
  }
  return
}
