// The old value of an atomic outside of 'tile.parallel' is the same for all threads of a block.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR

// RIGHT: 1 passed, 0 failed
// ERROR: error: on Ascend, 'tile.atomic' returns no old value of global memory; let one block count, or count in a tile

func.func @ticket(%q: memref<1xi32> {tile.init = "zeros", tile.result}, %y: memref<8xi32> {tile.init = "zeros", tile.result}) attributes {tile.reference = @reference} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (8) threads(128) {
    %t = tile.atomic add %one, %q[%c0] : i32, memref<1xi32> -> i32
    %p = arith.index_cast %t : i32 to index
    tile.parallel (%i) in (1) {
      memref.store %one, %y[%p] : memref<8xi32>
    }
  }
  return
}
func.func private @reference(%q: memref<1xi32>, %y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %e = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  memref.store %e, %q[%c0] : memref<1xi32>
  affine.for %i = 0 to 8 {
    memref.store %one, %y[%i] : memref<8xi32>
  }
  return
}
