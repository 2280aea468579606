// An atomic outside of 'tile.parallel' happens once for a block, not once for each thread.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @block_atomic(%y: memref<1xi32> {tile.init = "zeros", tile.result}) attributes {tile.reference = @reference} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (5) threads(128) {
    tile.atomic add %one, %y[%c0] : i32, memref<1xi32>
  }
  return
}
func.func private @reference(%y: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i32
  memref.store %five, %y[%c0] : memref<1xi32>
  return
}
