// Tiles that a branch in a loop fills anew each time shared no bytes: TileLang's persistent GEMM did not fit into the 64 KB of gfx942.
//
// REQUIRES: tile-run, amd
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @tiles_of_a_branch(%a: memref<5x96x128xf32>, %c: memref<5x96x128xf32> {tile.result}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %five = arith.constant 5 : index
  tile.kernel (%b) in (2) threads(256) {
    %x = tile.alloc : memref<96x128xf32, #tile.shared>
    %y = tile.alloc : memref<96x128xf32, #tile.shared>
    %f = tile.alloc : memref<96x128xf32, #tile.fragment>
    scf.for %i = %zero to %three step %one {
      %w = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%i, %b)
      %is = arith.cmpi slt, %w, %five : index
      scf.if %is {
        tile.copy %a[%w, 0, 0], %x : memref<5x96x128xf32>, memref<96x128xf32, #tile.shared>
        tile.parallel (%r, %j) in (96, 128) do %f[%r, %j] = %x[%r, 127 - %j] + %x[95 - %r, %j]
        tile.copy %f, %y : memref<96x128xf32, #tile.fragment>, memref<96x128xf32, #tile.shared>
        tile.parallel (%r, %j) in (96, 128) do %f[%r, %j] = %y[95 - %r, 127 - %j]
        tile.copy %f, %c[%w, 0, 0] : memref<96x128xf32, #tile.fragment>, memref<5x96x128xf32>
      }
    }
  }
  return
}
