// Sums along two dimensions in turn, through one buffer, in a loop whose first iteration skips a half.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

!x = memref<32x4x4xf32>
!t = memref<32x4x4xf32, #tile.fragment>
!s = memref<32x4xf32, #tile.fragment>
func.func @loop_if_reduce(%x: !x, %y: !x {tile.result})
    attributes {tile.atol = 1.0e-5} { // sums in another order
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %h = arith.constant 0.5 : f32
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !t
    %s = tile.alloc : !s
    tile.copy %x, %t : !x, !t
    scf.for %r = %c0 to %c3 step %c1 {
      %again = arith.cmpi sgt, %r, %c0 : index
      scf.if %again {
        tile.reduce sum %t, %s dim(2) : !t, !s
        tile.parallel (%i, %j, %k) in (32, 4, 4) {
          %v = memref.load %t[%i, %j, %k] : !t
          %n = memref.load %s[%i, %j] : !s
          %m = arith.mulf %n, %h : f32
          %q = arith.subf %v, %m : f32
          memref.store %q, %t[%i, %j, %k] : !t
        }
      }
      tile.reduce sum %t, %s dim(1) : !t, !s
      tile.parallel (%i, %j, %k) in (32, 4, 4) {
        %v = memref.load %t[%i, %j, %k] : !t
        %n = memref.load %s[%i, %k] : !s
        %m = arith.mulf %n, %h : f32
        %q = arith.subf %v, %m : f32
        memref.store %q, %t[%i, %j, %k] : !t
      }
    }
    tile.copy %t, %y : !t, !x
  }
  return
}
