// A region of a tile at 4 bytes: a copy began where none may.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @sub(%a: memref<8x32xf32>, %c: memref<8x32xf32> {tile.result}) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<8x32xf32, #tile.fragment>
    %z = tile.alloc : memref<8x32xf32, #tile.fragment>
    tile.copy %a, %x : memref<8x32xf32>, memref<8x32xf32, #tile.fragment>
    tile.fill %z, %zero : memref<8x32xf32, #tile.fragment>
    tile.copy %x[0, 1] [8, 16], %z[0, 0] [8, 16] : memref<8x32xf32, #tile.fragment>, memref<8x32xf32, #tile.fragment>
    tile.copy %z, %c : memref<8x32xf32, #tile.fragment>, memref<8x32xf32>
  }
  return
}
