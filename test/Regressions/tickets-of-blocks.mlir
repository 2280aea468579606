// Blocks that draw their work from a counter.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// RIGHT: 1 passed, 0 failed
// ERROR: error: on Ascend, 'tile.atomic' returns no old value of global memory; let one block count, or count in a tile

func.func @p1(%q: memref<1xi32> {tile.init = "zeros"}, %y: memref<10xi32> {tile.init = "zeros", tile.result}) attributes {tile.reference = @ref} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = arith.constant 10 : i32
  tile.kernel (%b) in (3) threads(128) {
    scf.while : () -> () {
      %t = tile.atomic add %one, %q[%c0] : i32, memref<1xi32> -> i32
      %go = arith.cmpi slt, %t, %n : i32
      scf.if %go {
        %p = arith.index_cast %t : i32 to index
        tile.parallel (%i) in (1) {
          memref.store %t, %y[%p] : memref<10xi32>
        }
      }
      scf.condition(%go)
    } do {
      scf.yield
    }
  }
  return
}
func.func private @ref(%q: memref<1xi32>, %y: memref<10xi32>) {
  affine.for %i = 0 to 10 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %y[%i] : memref<10xi32>
  }
  return
}
