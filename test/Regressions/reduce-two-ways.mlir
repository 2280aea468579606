// Sums along two dimensions in turn, through one buffer, overwrote each other.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

!x = memref<32x4x4xf32>
!t = memref<32x4x4xf32, #tile.fragment>
!s = memref<32x4xf32, #tile.fragment>
func.func @rowcol_reduce(%x: !x, %y: !x {tile.result})
    attributes {tile.atol = 1.0e-4} { // sums in another order
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !t
    %s = tile.alloc : !s
    tile.copy %x, %t : !x, !t
    tile.reduce sum %t, %s dim(2) : !t, !s
    tile.parallel (%i, %j, %k) in (32, 4, 4) {
      %v = memref.load %t[%i, %j, %k] : !t
      %n = memref.load %s[%i, %j] : !s
      %r = arith.addf %v, %n : f32
      memref.store %r, %t[%i, %j, %k] : !t
    }
    tile.reduce sum %t, %s dim(1) : !t, !s
    tile.parallel (%i, %j, %k) in (32, 4, 4) {
      %v = memref.load %t[%i, %j, %k] : !t
      %n = memref.load %s[%i, %k] : !s
      %r = arith.addf %v, %n : f32
      memref.store %r, %t[%i, %j, %k] : !t
    }
    tile.copy %t, %y : !t, !x
  }
  return
}
