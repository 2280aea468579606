// Results are poisoned before the run, so that elements that are not written are seen.

// RUN: not tile-run %s | FileCheck %s
// CHECK: half - inf equal {{.*}} FAIL: argument 0: 2 of 4 elements differ: at [2] expected 1, got nan
// RUN: tile-run %s --arg=0:ones | FileCheck %s --check-prefix=ONES
// ONES: 1 passed, 0 failed

func.func @half(%x: memref<4xf32> {tile.result}) attributes {tile.reference = @all} {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 2 {
    affine.store %one, %x[%i] : memref<4xf32>
  }
  return
}

func.func @all(%x: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %one, %x[%i] : memref<4xf32>
  }
  return
}
