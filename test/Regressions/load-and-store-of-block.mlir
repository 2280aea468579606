// A load and a store outside of 'tile.parallel' happen once for a block, not once for each thread.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @block_rmw(%y: memref<8xi32> {tile.init = "zeros", tile.result}) attributes {tile.reference = @reference} {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (8) threads(128) {
    %v = memref.load %y[%b] : memref<8xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %y[%b] : memref<8xi32>
  }
  return
}
func.func private @reference(%y: memref<8xi32>) {
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 8 {
    memref.store %one, %y[%i] : memref<8xi32>
  }
  return
}
