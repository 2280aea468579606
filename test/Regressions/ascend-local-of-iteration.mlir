// A buffer of one iteration crashed the vectorizer of Ascend.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend --chip=950 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: a buffer of one iteration cannot be lowered to Ascend; keep a value instead, or a tile outside of 'tile.parallel'

func.func @local_of_iteration(%x: memref<7x64xf32>, %y: memref<7x64xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<7x64xf32, #tile.fragment>
    tile.copy %x, %t : memref<7x64xf32>, memref<7x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (7, 64) {
      %own = tile.alloc : memref<1xf32, #tile.local>
      %v = memref.load %t[%i, %j] : memref<7x64xf32, #tile.fragment>
      memref.store %v, %own[%c0] : memref<1xf32, #tile.local>
      %w = memref.load %own[%c0] : memref<1xf32, #tile.local>
      %s = arith.mulf %v, %w : f32
      memref.store %s, %t[%i, %j] : memref<7x64xf32, #tile.fragment>
    }
    tile.copy %t, %y : memref<7x64xf32, #tile.fragment>, memref<7x64xf32>
  }
  return
}
