// A part of a fragment, by an offset that is known at run time, went through a shared copy of all of it: 64 KB in the backward pass of
// sparse MLA, which did not fit. No test had a loop over a part of a fragment.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=parts %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu --func=parts %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=list '--arg=0:integers(-1,3)' %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu --func=list '--arg=0:integers(-1,3)' %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @parts(%x: memref<40x48xf32>, %y: memref<40x48xf32> {tile.result}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  tile.kernel (%b) in (1) threads(96) {
    %f = tile.alloc : memref<40x48xf32, #tile.fragment>
    %g = tile.alloc : memref<40x48xf32, #tile.fragment>
    %s = tile.alloc : memref<8x48xf32, #tile.shared>
    tile.copy %x, %f : memref<40x48xf32>, memref<40x48xf32, #tile.fragment>
    scf.for %n = %zero to %five step %one {
      tile.parallel (%i, %j) in (8, 48) {
        %k = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 8)>(%i, %n)
        %v = memref.load %f[%k, %j] : memref<40x48xf32, #tile.fragment>
        memref.store %v, %s[%i, %j] : memref<8x48xf32, #tile.shared>
      }
      tile.parallel (%i, %j) in (8, 48) {
        %k = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 8)>(%i, %n)
        %c7 = arith.constant 7 : index
        %back = arith.subi %c7, %i : index
        %v = memref.load %s[%back, %j] : memref<8x48xf32, #tile.shared>
        memref.store %v, %g[%k, %j] : memref<40x48xf32, #tile.fragment>
      }
    }
    tile.copy %g, %y : memref<40x48xf32, #tile.fragment>, memref<40x48xf32>
  }
  return
}

// More threads than elements, one of which is each element's; a list in registers says which rows are added.
func.func @list(%list: memref<2x7xi32>, %x: memref<2x7x8x32xf16>, %y: memref<2x32xf32> {tile.result}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  tile.kernel (%b) in (2) threads(128) {
    %which = tile.alloc : memref<7xi32, #tile.fragment>
    %sum = tile.alloc : memref<32xf32, #tile.fragment>
    %t = tile.alloc : memref<8x32xf32, #tile.shared>
    tile.copy %list[%b, 0], %which : memref<2x7xi32>, memref<7xi32, #tile.fragment>
    tile.parallel (%j) in (32) do %sum[%j] = 0.0
    tile.pipelined %k = 0 to 7 stages(2) {
      %w = memref.load %which[%k] : memref<7xi32, #tile.fragment>
      %c0 = arith.constant 0 : i32
      %is = arith.cmpi sgt, %w, %c0 : i32
      scf.if %is {
        tile.copy %x[%b, %k, 0, 0], %t : memref<2x7x8x32xf16>, memref<8x32xf32, #tile.shared>
        scf.for %i = %zero to %eight step %one {
          tile.parallel (%j) in (32) do %sum[%j] = %sum[%j] + %t[%i, %j]
        }
      }
    }
    tile.copy %sum, %y[%b, 0] : memref<32xf32, #tile.fragment>, memref<2x32xf32>
  }
  return
}
