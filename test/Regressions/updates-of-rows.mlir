// Rows that a list names are updated four neighbours at a time: each had a
// branch of its own, so that no two were one instruction. Some rows lie outside.
// The tests of vectors had no guards.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu '--arg=0:integers(-2,9)' '--arg=1:integers(-9,9)' '--arg=2:integers(-9,9)' %s | FileCheck %s
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu '--arg=0:integers(-2,9)' '--arg=1:integers(-9,9)' '--arg=2:integers(-9,9)' %s | FileCheck %s
// RUN: tile-translate --tile-to-ptx --chip=sm_90a %s | FileCheck %s --check-prefix=PTX

// CHECK: 1 passed, 0 failed
// PTX-COUNT-4: red.relaxed.gpu.global.add.v4.f32
// PTX-NOT: atom.global.add

func.func @rows(%rows: memref<16xi32>, %x: memref<16x128xf32>, %y: memref<8x128xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<16x128xf32, #tile.shared>
    tile.copy %x, %t : memref<16x128xf32>, memref<16x128xf32, #tile.shared>
    tile.parallel (%i, %j) in (16, 32) {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %r = memref.load %rows[%i] : memref<16xi32>
      %p = arith.index_cast %r : i32 to index
      %q = affine.apply affine_map<(d0) -> (d0 * 4)>(%j)
      %v0 = memref.load %t[%i, %q] : memref<16x128xf32, #tile.shared>
      tile.atomic add %v0, %y[%p, %q] : f32, memref<8x128xf32>
      %q1 = arith.addi %q, %c1 : index
      %v1 = memref.load %t[%i, %q1] : memref<16x128xf32, #tile.shared>
      tile.atomic add %v1, %y[%p, %q1] : f32, memref<8x128xf32>
      %q2 = arith.addi %q, %c2 : index
      %v2 = memref.load %t[%i, %q2] : memref<16x128xf32, #tile.shared>
      tile.atomic add %v2, %y[%p, %q2] : f32, memref<8x128xf32>
      %q3 = arith.addi %q, %c3 : index
      %v3 = memref.load %t[%i, %q3] : memref<16x128xf32, #tile.shared>
      tile.atomic add %v3, %y[%p, %q3] : f32, memref<8x128xf32>
    }
  }
  return
}
